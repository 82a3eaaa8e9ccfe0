"""The tags of the guide: overlap, length, explicitness, and a rule of thumb for difficulty."""

from __future__ import annotations

from bisect import bisect

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
    """The tags that need only two texts: how many words they share, and how long they are."""
    one, other = words(first), words(second)
    return {
        "overlap": ("low", "medium", "high")[bisect(settings.overlap_bins, jaccard(set(one), set(other)))],
        "length": ("short", "medium", "long")[bisect(settings.length_bins, (len(one) + len(other)) / 2)],
    }


def _difficulty(overlap: str, *, mentioned: bool) -> str:
    """The rule of the guide; in a build only the gold sample depends on it."""
    if overlap == "high":
        return "hard"
    if overlap == "low" and not mentioned:
        return "easy"
    return "medium"
