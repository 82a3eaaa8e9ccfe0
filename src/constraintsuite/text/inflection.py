"""Lemmas and inflected forms of English words, from lemminflect; also how a library is imported without its heavy options."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

WordForms = tuple[str, ...]


class _Absent(MetaPathFinder):
    """Makes modules look as if they were not installed."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """Refuse the hidden modules and leave all others to the next finder."""
        if fullname in self._names:
            raise ModuleNotFoundError(f"{fullname} is hidden for the moment", name=fullname)
        return None


@contextmanager
def hidden_modules(*names: str) -> Iterator[None]:
    """Import a library without optional modules that it would load if they are installed.

    lemminflect loads spaCy, and spaCy loads torch, for features that are not used here: two seconds in every process.
    A module that was imported before stays visible.
    """
    finder = _Absent(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


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
