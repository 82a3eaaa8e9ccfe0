"""Lemmas and inflected forms of English words, from lemminflect."""

from __future__ import annotations

from collections.abc import Callable

from constraintsuite.text.hidden_modules import hidden_modules

WordForms = tuple[str, ...]

with hidden_modules("spacy"):
    import lemminflect

get_lemmas: Callable[[str, str], WordForms] = lemminflect.getLemma
"""The lemmas of a word as a part of speech, such as ("leaves", "NOUN"); unknown words get a guess."""
get_all_lemmas: Callable[[str], dict[str, WordForms]] = lemminflect.getAllLemmas
"""The lemmas of a word by part of speech; empty for an unknown word."""
get_inflections: Callable[[str, str], WordForms] = lemminflect.getInflection
"""The forms of a lemma with a tag, such as ("leaf", "NNS"); unknown words get a guess."""
get_all_inflections: Callable[[str, str], dict[str, WordForms]] = lemminflect.getAllInflections
"""The forms of a lemma as a part of speech, by tag."""
