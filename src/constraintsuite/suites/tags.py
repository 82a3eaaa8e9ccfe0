"""The tags of an example: overlap, length, explicitness and difficulty by the rules of the guide, and the kind of denial."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import SATISFYING
from constraintsuite.suites.pairs.records import AcceptedPair
from constraintsuite.suites.recipe import TagSettings
from constraintsuite.text.denials import OTHER, denial_kind
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import words

SILENT = "silent"
"""The kind of a satisfying text that does not mention Y."""
Y_KIND = "y_kind"
"""The tag that says whether Y is a name, a value of a closed list, or an attribute."""


def make_tags(kept: AcceptedPair, settings: TagSettings) -> dict[str, str]:
    """The tags of one kept pair."""
    mentions = [one for one in kept.evidence if one.document == SATISFYING]
    pair = tags_of_texts(kept.draft.satisfying.text, kept.draft.violating.text, settings)
    return {
        "difficulty": difficulty(pair["overlap"], mentioned=bool(mentions)),
        **pair,
        "explicitness": "explicit" if mentions else "implicit",
        "denial": denial(kept.draft.satisfying.text, mentions),
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


def denial(text: str, mentions: Sequence[Evidence]) -> str:
    """The kind of the first denial of Y in the satisfying text, from all mentions of Y there."""
    if not mentions:
        return SILENT
    denied = next((one for one in mentions if one.value == "negated"), None)
    if denied is None:
        return OTHER
    cue = denied.cue or ""
    return denial_kind(denied.rule, cue, text[: max(0, text.rfind(cue, 0, denied.start))])
