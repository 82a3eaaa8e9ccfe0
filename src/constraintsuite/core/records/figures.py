"""Numbers as text for people: shares in percent with one decimal, with their interval and n where these are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from constraintsuite.core.records.scores import Interval

MISSING = "–"
ColumnKind = Literal["text", "count", "share", "points", "number", "p"]
"""How a value is shown: `share` in percent, `points` for a signed difference of two shares, `p` for a p-value."""
PlainValue = Interval | float | int | str | None
_UNITS = {"share": " %", "points": " points"}


@dataclass(frozen=True, slots=True)
class UnitValue:
    """A value with its own kind, shown with its unit: for a column whose rows have different kinds."""

    value: PlainValue
    kind: ColumnKind


@dataclass(frozen=True, slots=True)
class LinkedText:
    """A text with a link to another page of the site; formats without links show the text alone."""

    text: str
    address: str


CellValue = PlainValue | UnitValue | LinkedText


class PrintedFigure(NamedTuple):
    """A value, its bounds and its n as text. An undefined value is a dash; missing bounds or n are empty."""

    value: str
    bounds: str
    n: str

    def __str__(self) -> str:
        """All parts in one line."""
        return " ".join(filter(None, [self.value, f"[{self.bounds}]" if self.bounds else "", self.n]))


def show(value: CellValue, kind: ColumnKind) -> PrintedFigure:
    """The parts of a value as text. A share has no percent sign, since the heading of its column has it."""
    if isinstance(value, UnitValue):
        figure = show(value.value, value.kind)
        return figure if figure.value == MISSING else figure._replace(value=figure.value + _UNITS.get(value.kind, ""))
    if isinstance(value, LinkedText):
        return PrintedFigure(value.text, "", "")
    if isinstance(value, Interval):
        return _show_interval(value, kind)
    if value is None:
        return PrintedFigure(MISSING, "", "")
    return PrintedFigure(value if isinstance(value, str) else _show_number(value, kind), "", "")


def say(value: PlainValue, kind: ColumnKind) -> str:
    """A value for a sentence: on one line, with its unit."""
    return str(show(UnitValue(value, kind), kind))


def plain(value: CellValue) -> PlainValue:
    """The value without its unit or link, for programs."""
    if isinstance(value, LinkedText):
        return value.text
    return value.value if isinstance(value, UnitValue) else value


def percent(share: float) -> str:
    """A share for a sentence: 0.341 becomes "34.1 %"."""
    return say(share, "share")


def points(change: float) -> str:
    """The size of a difference of two shares for a sentence, without its sign: 0.02 becomes "2.0 points"."""
    return f"{_show_number(abs(change), 'share')}{_UNITS['points']}"


def _show_number(number: float, kind: ColumnKind) -> str:
    if kind == "count":
        return f"{number:,.0f}"
    if kind == "p":
        return "<0.001" if number < 0.001 else f"{number:.3f}"
    if kind in ("share", "points"):
        text = f"{100 * number:.1f}" if kind == "share" else f"{100 * number:+.1f}"
    else:
        text = f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"  # .3g would give 1.43e+03
    return text.replace("-", "−")


def _show_interval(interval: Interval, kind: ColumnKind) -> PrintedFigure:
    n = f"n={interval.n:,}"
    if interval.value is None:
        return PrintedFigure(MISSING, "", n)
    value = _show_number(interval.value, kind)
    if interval.low is None or interval.high is None:
        return PrintedFigure(value, "", n)
    between = "–" if kind == "share" else " to "  # a dash next to a minus sign would be hard to read
    return PrintedFigure(value, f"{_show_number(interval.low, kind)}{between}{_show_number(interval.high, kind)}", n)
