"""Texts with marks on what decides: evidence, its cues, and edited words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.suites.combined.record import AllOf

LONG = 1_500
"""Characters; for a longer text only the parts near marks are shown."""
NEAR = 140
"""Characters that are shown on either side of a mark."""
_DRAWN = ("affirmed", "negated", "uncertain")
"""Values of evidence that have a style of their own."""


class TextMark(NamedTuple):
    """A span of a text and its kind: evidence, `value` (of the constraint), `cue` or `edit`."""

    start: int
    end: int
    kind: str
    """The class of the mark on a page. For evidence: its value if that has a style of its own, else `evidence`."""
    says: str = ""
    """What evidence says of the constraint if the kind does not: "over 60 minutes"."""


class Segment(NamedTuple):
    """A piece of a text with the kinds of its marks; most pieces have none."""

    text: str
    kinds: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    """What the evidence that ends here says."""


class MarkedDocument(NamedTuple):
    """A document of an example as segments; a long document may be shortened."""

    document: ExampleDocument
    segments: tuple[Segment, ...]


def marks_of(example: Example, role: str) -> list[TextMark]:
    """The marks in the document with this role."""
    document = example.document(role)
    evidence = [found for found in evidence_of(example) if found.document == role]
    return [
        *(_evidence(example, found) for found in evidence),
        *(mark for found in evidence if (mark := _cue(document.text, found)) is not None),
        *(TextMark(start, end, "edit") for start, end in document.changed),
    ]


def evidence_of(example: Example) -> tuple[Evidence, ...]:
    """The evidence of the constraint, and of several constraints that of each; empty for an example without a constraint."""
    constraint = example.constraint
    if isinstance(constraint, AllOf):
        return tuple(one for part in constraint.parts for one in part.evidence)
    return constraint.evidence if constraint else ()


def query_marks(example: Example) -> list[TextMark]:
    """The marks in the query: the value of the constraint and the words that state it."""
    query, constraint = example.query, example.constraint
    if constraint is None:
        return []
    forms = {form for form in (constraint.value, *constraint.forms) if form}
    return [
        *_occurrences(query, [constraint.cue] if constraint.stated_by == "query" else [], "cue"),
        *_occurrences(query, sorted(forms, key=lambda form: (-len(form), form)), "value"),
    ]


def cut(text: str, marks: Sequence[TextMark]) -> tuple[Segment, ...]:
    """The text cut at the ends of all marks; marks outside the text are ignored."""
    valid = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    ends = sorted({0, len(text), *(mark.start for mark in valid), *(mark.end for mark in valid)})
    return tuple(
        _segment(text[a:b], b, [mark for mark in valid if mark.start <= a and b <= mark.end]) for a, b in pairwise(ends)
    )


def excerpt(segments: Sequence[Segment], most: int = LONG, near: int = NEAR) -> tuple[Segment, ...]:
    """Segments shortened to the parts within `near` characters of a mark, if the text has more than `most` characters."""
    if sum(len(segment.text) for segment in segments) <= most:
        return tuple(segments)
    if not any(segment.kinds for segment in segments):
        return (Segment(_whole_words("".join(segment.text for segment in segments)[:most]) + " …"),)
    last = len(segments) - 1
    return tuple(
        segment if segment.kinds else Segment(_shortened(segment.text, near, i == 0, i == last))
        for i, segment in enumerate(segments)
    )


def _segment(text: str, end: int, marks: Sequence[TextMark]) -> Segment:
    later = {mark.says for mark in marks if mark.end > end}
    says = (mark.says for mark in marks if mark.says not in {"", *later})
    return Segment(text, tuple(dict.fromkeys(mark.kind for mark in marks)), tuple(dict.fromkeys(says)))


def _shortened(text: str, near: int, first: bool, last: bool) -> str:
    if len(text) <= 2 * near + 3:
        return text
    before = "" if first else _whole_words(text[:near])
    after = "" if last else _whole_words(text[-near:][::-1])[::-1]
    return f"{before} … {after}"


def _whole_words(text: str) -> str:
    """The text without the word at its end, which may be incomplete, unless it is the only one."""
    return text.rpartition(" ")[0] or text


def _evidence(example: Example, found: Evidence) -> TextMark:
    if found.value in _DRAWN:
        return TextMark(found.start, found.end, found.value)
    return TextMark(found.start, found.end, "evidence", describe_evidence(example, found))


def describe_evidence(example: Example, found: Evidence) -> str:
    """What a piece of evidence says of the constraint, after its value if the text writes it otherwise: "4 person: under 6"."""
    verdict = example.constraint.verdict(found) if example.constraint else found.value
    written = example.document(found.document).text[found.start : found.end]
    return verdict if found.value in (verdict, "") or found.value in written else f"{found.value}: {verdict}"


def _cue(text: str, found: Evidence) -> TextMark | None:
    """The mark of the cue of a piece of evidence: the nearest occurrence of the word."""
    if not found.cue:
        return None
    places = list(_occurrences(text, [found.cue], "cue")) or list(_occurrences(text, [found.cue], "cue", joined=True))
    return min(places, key=lambda mark: max(found.start - mark.end, mark.start - found.end), default=None)


def _occurrences(text: str, phrases: Sequence[str], kind: str, *, joined: bool = False) -> Iterator[TextMark]:
    """Occurrences of phrases as whole words; `joined` also finds the end of a word, as in cannot and won't."""
    wanted = [re.escape(phrase) for phrase in phrases if phrase]
    if wanted:
        before = "" if joined else r"(?<!\w)"
        pattern = rf"{before}(?:{'|'.join(wanted)})(?!\w)"
        yield from (TextMark(match.start(), match.end(), kind) for match in re.finditer(pattern, text, re.IGNORECASE))
