"""What joins two numbers: to, and, or, a dash; and whether they are the ends of a range or of a change."""

from __future__ import annotations

from typing import Literal, NamedTuple

from constraintsuite.text.quantities.numbers import WrittenNumber
from constraintsuite.text.quantities.scan import Pieces
from constraintsuite.text.quantities.vocabulary import vocabulary

_DASHES = frozenset("-–—‐‑−")
_CHANGE_REACH = 5


class Connector(NamedTuple):
    """The words that join two numbers."""

    kind: Literal["to", "from", "between", "or", "dash", "change"]
    first: int
    """The first place of the range, with "between" or "from"."""
    after: int
    """The place where the second number begins."""


def find_connector(pieces: Pieces, first: int, end: int) -> Connector | None:
    """What stands at `end`, right after the first number and its unit; `first` is where they begin."""
    lead, word = pieces.lower(first - 1), pieces.lower(end)
    if word in _DASHES:
        return _dash(pieces, first, end)
    if lead == "between" and word in ("and", "to"):
        return Connector("between", first - 1, end + 1)
    ages = lead == "of" and pieces.lower(first - 2) == "ages" and pieces.lower(first - 4) == "between"
    if word == "and" and ages:
        return Connector("between", first - 4, end + 1)
    if word in ("to", "through"):
        return _to(pieces, first, end)
    return Connector("or", first, end + 1) if word == "or" else None


def _dash(pieces: Pieces, first: int, end: int) -> Connector | None:
    """A dash with spaces on both sides or on none, or after it alone; "12- to 14-year-olds" has one of its own."""
    if pieces.lower(end + 1) == "to" and pieces.touches(end - 1):
        return Connector("to", first, end + (3 if pieces.lower(end + 2) == "-" else 2))
    even = pieces.touches(end - 1) or not pieces.touches(end)
    led = pieces.lower(first - 1) in ("from", "between")
    return Connector("dash", first - 1 if led else first, end + 1) if even else None


def _to(pieces: Pieces, first: int, end: int) -> Connector | None:
    """The ends of a range, or after a verb of change the values before and after it."""
    if pieces.lower(end + 1) == "as" and pieces.lower(end + 3) == "as":
        return None  # from as little as £20 to as much as £150
    if pieces.lower(first - 1) != "from":
        return Connector("to", first, end + 1)
    words = vocabulary().words.change_verbs
    change = any(pieces.lower(first - 1 - back) in words for back in range(1, _CHANGE_REACH))
    return Connector("change" if change else "from", first - 1, end + 1)


def scaled_like(pieces: Pieces, number: WrittenNumber, value: float, other: WrittenNumber) -> float:
    """The first value with the scale of the second: 2 to 3 million begins at two million."""
    scale = {"million": 1e6, "billion": 1e9, "thousand": 1e3, "trillion": 1e12, "bn": 1e9, "m": 1e6, "k": 1e3}.get(
        pieces.lower(other.after - 1), 1.0
    )
    alone = number.after == number.first + 1
    return value * scale if alone and other.after > other.first + 1 and value < other.value / scale else value
