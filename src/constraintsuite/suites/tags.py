"""The guide's tags: overlap, length, who mentions Y, and a rule of thumb for difficulty."""

from __future__ import annotations

from typing import Literal

from constraintsuite.core.records.examples import SATISFYING
from constraintsuite.suites.pairs.records import AcceptedPair
from constraintsuite.suites.recipe import TagSettings
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import words


def make_tags(kept: AcceptedPair, settings: TagSettings) -> dict[str, str]:
    """The tags of one kept pair."""
    mentioned = any(one.document == SATISFYING for one in kept.evidence)
    pair = tags_of_texts(kept.draft.satisfying.text, kept.draft.violating.text, settings)
    return {
        "difficulty": _difficulty(pair["overlap"], mentioned=mentioned),
        **pair,
        "explicitness": "explicit" if mentioned else "implicit",
    }


def tags_of_texts(first: str, second: str, settings: TagSettings) -> dict[str, str]:
    """What two texts alone say: how many of their words they share, and how long they are."""
    one, other = words(first), words(second)
    return {
        "overlap": overlap_bin(jaccard(set(one), set(other)), settings),
        "length": length_bin((len(one) + len(other)) / 2, settings),
    }


def overlap_bin(jaccard_index: float, settings: TagSettings) -> Literal["low", "medium", "high"]:
    """How many of their distinct words two texts share."""
    low, high = settings.overlap_bins
    return "low" if jaccard_index < low else "medium" if jaccard_index < high else "high"


def length_bin(mean_words: float, settings: TagSettings) -> Literal["short", "medium", "long"]:
    """How long two texts are in the mean."""
    short, long = settings.length_bins
    return "short" if mean_words < short else "medium" if mean_words < long else "long"


def _difficulty(overlap: str, *, mentioned: bool) -> Literal["easy", "medium", "hard"]:
    """The guide's rule, kept as a tag only: nothing in a build depends on it but the mix of the gold sample."""
    if overlap == "high":
        return "hard"
    if overlap == "low" and not mentioned:
        return "easy"
    return "medium"
