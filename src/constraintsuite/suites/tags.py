"""The tags of an example: overlap, length, explicitness and difficulty by the rules of the guide, and those of its type."""

from __future__ import annotations

from bisect import bisect

from constraintsuite.core.records.examples import SATISFYING
from constraintsuite.suites.constraints.base import load_builder
from constraintsuite.suites.pairs.records import AcceptedPair
from constraintsuite.suites.recipe import TagSettings
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import words

Y_KIND = "y_kind"
"""The tag that says whether Y is a name, a value of a closed list, or an attribute."""


def make_tags(kept: AcceptedPair, settings: TagSettings) -> dict[str, str]:
    """The tags of one kept pair."""
    mentioned = any(one.document == SATISFYING for one in kept.constraint.evidence)
    satisfying, violating = kept.draft.satisfying.text, kept.draft.violating.text
    pair = tags_of_texts(satisfying, violating, settings)
    return {
        "difficulty": difficulty(pair["overlap"], mentioned=mentioned),
        **pair,
        "explicitness": "explicit" if mentioned else "implicit",
        **load_builder(kept.constraint.type).tags(kept.constraint, satisfying),
    }


def tags_of_texts(first: str, second: str, settings: TagSettings) -> dict[str, str]:
    """The tags that need only two texts: how many words they share, and how long they are."""
    one, other = words(first), words(second)
    return {
        "overlap": ("low", "medium", "high")[bisect(settings.overlap_bins, jaccard(set(one), set(other)))],
        "length": ("short", "medium", "long")[bisect(settings.length_bins, (len(one) + len(other)) / 2)],
    }


def difficulty(overlap: str, *, mentioned: bool) -> str:
    """The rule of the guide: hard if the texts share many words and the satisfying one does not mention Y."""
    if overlap == "high" and not mentioned:
        return "hard"
    return "easy" if overlap == "low" else "medium"
