"""A text cut at what decides: mentions of Y, the cues that govern them, and words that were edited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from constraintsuite.records.examples import Evidence, Example

LONG = 1_500
"""Characters; of a longer text only the neighbourhood of the marks is shown."""
_NEAR = 140


class Mark(NamedTuple):
    """A place in a text and what is there: a verdict on a mention of Y, `cue` or `edit`."""

    start: int
    end: int
    kind: str


class Segment(NamedTuple):
    """A piece of a text with all that marks it; most pieces have no mark."""

    text: str
    kinds: tuple[str, ...] = ()


def marks_of(example: Example, side: Literal["pos", "neg"]) -> list[Mark]:
    """What decides in one of the two documents."""
    text = example.docs.pos.text if side == "pos" else example.docs.neg.text
    evidence = [found for found in example.evidence if found.document == side]
    edits = () if example.edit is None else example.edit.spans_pos if side == "pos" else example.edit.spans_neg
    return [
        *(Mark(found.start, found.end, found.verdict) for found in evidence),
        *(mark for found in evidence if (mark := _cue(text, found)) is not None),
        *(Mark(start, end, "edit") for start, end in edits),
    ]


def query_marks(example: Example) -> list[Mark]:
    """The negation and what it leaves out, in the negated query."""
    query, constraint = example.query.neg, example.constraint
    forms = {form for form in (constraint.y, *constraint.y_surface_forms) if form}
    return [
        *_occurrences(query, [constraint.negation_marker], "cue"),
        *_occurrences(query, sorted(forms, key=lambda form: (-len(form), form)), "y"),
    ]


def cut(text: str, marks: Sequence[Mark]) -> tuple[Segment, ...]:
    """The whole text in order, cut at every end of a mark; places that are not in the text are ignored."""
    valid = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    ends = sorted({0, len(text), *(mark.start for mark in valid), *(mark.end for mark in valid)})
    return tuple(
        Segment(text[a:b], tuple(dict.fromkeys(m.kind for m in valid if m.start <= a and b <= m.end)))
        for a, b in pairwise(ends)
    )


def excerpt(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """The segments of a long text without what is far from any mark."""
    if sum(len(segment.text) for segment in segments) <= LONG:
        return tuple(segments)
    if not any(segment.kinds for segment in segments):
        return (Segment("".join(segment.text for segment in segments)[:LONG] + " …"),)
    last = len(segments) - 1
    return tuple(
        segment if segment.kinds else Segment(_shortened(segment.text, i == 0, i == last))
        for i, segment in enumerate(segments)
    )


def _shortened(text: str, first: bool, last: bool) -> str:
    if len(text) <= 2 * _NEAR + 3:
        return text
    before, after = "" if first else text[:_NEAR], "" if last else text[-_NEAR:]
    return f"{before} … {after}"


def _cue(text: str, found: Evidence) -> Mark | None:
    """The cue that governs a mention: of several such words the nearest."""
    if not found.cue:
        return None
    places = list(_occurrences(text, [found.cue], "cue")) or list(_occurrences(text, [found.cue], "cue", joined=True))
    return min(places, key=lambda mark: max(found.start - mark.end, mark.start - found.end), default=None)


def _occurrences(text: str, phrases: Sequence[str], kind: str, *, joined: bool = False) -> Iterator[Mark]:
    """Whole words; `joined` also finds the end of a word, as in cannot and won't."""
    wanted = [re.escape(phrase) for phrase in phrases if phrase]
    if wanted:
        before = "" if joined else r"(?<!\w)"
        pattern = rf"{before}(?:{'|'.join(wanted)})(?!\w)"
        yield from (Mark(match.start(), match.end(), kind) for match in re.finditer(pattern, text, re.IGNORECASE))
