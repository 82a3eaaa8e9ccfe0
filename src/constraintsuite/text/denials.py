"""Kinds of denial: by a determiner (*no pool*), a verb (*does not have*, *lacks*), an affix (*nut-free*), a contrast, and others."""

from __future__ import annotations

from functools import cache

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.text.wordlists import WordSet

VERB, CONTRAST = "verb", "contrast"
OTHER = "other"
"""The kind of a denial that no scope rule of the package found, such as one that a person marked."""


class DenialKinds(StrictModel):
    """The file `data/denials.yaml`."""

    rules: dict[str, WordSet]
    """The scope rules of each kind."""
    first_words: dict[str, dict[str, WordSet]]
    """For rules with cues of several kinds: the first words of the cues that are of another kind than the rule."""
    contrast_after: WordSet
    """What stands before a "not a" that follows no verb: a sauna, not a pool."""


@cache
def denial_kinds() -> DenialKinds:
    """The kinds of the package, read once per process."""
    return read_package_yaml(DenialKinds, "constraintsuite.text", "data", "denials.yaml")


def denial_kind(rule: str, cue: str, before: str) -> str:
    """The kind of a denial, from the scope rule that found it, the words of its cue, and the text before the cue."""
    kinds = denial_kinds()
    first = cue.lower().split()[:1]
    special = next((kind for kind, words in kinds.first_words.get(rule, {}).items() if words.intersection(first)), None)
    if special == VERB and first == ["not"] and before.lower().rstrip().endswith(tuple(kinds.contrast_after)):
        return CONTRAST
    return special or next((kind for kind, rules in kinds.rules.items() if rule in rules), OTHER)
