"""Numbers as they are printed: shares in per cent, gaps in the model's own unit, always with interval and n."""

from __future__ import annotations

from typing import Literal, NamedTuple

from constraintsuite.records.scores import Interval

MISSING = "–"
ColumnKind = Literal["text", "count", "share", "points", "number", "p"]
"""How a value is shown: `share` in per cent, `points` a difference of two shares with its sign, `p` a probability."""
CellValue = Interval | float | int | str | None


class PrintedFigure(NamedTuple):
    """A value, its bounds and its n, as text; what is undefined is a dash, or empty for bounds."""

    value: str
    bounds: str
    n: str


def show(value: CellValue, kind: ColumnKind) -> PrintedFigure:
    """The parts of a value in words."""
    if isinstance(value, Interval):
        return _show_interval(value, kind)
    if value is None:
        return PrintedFigure(MISSING, "", "")
    return PrintedFigure(value if isinstance(value, str) else _show_number(value, kind), "", "")


def show_interval(interval: Interval, *, share: bool) -> PrintedFigure:
    """The parts of an interval in words."""
    return _show_interval(interval, "share" if share else "number")


def _show_number(number: float, kind: ColumnKind) -> str:
    if kind == "count":
        return f"{number:,.0f}"
    if kind == "p":
        return "<0.001" if number < 0.001 else f"{number:.3f}"
    if kind in ("share", "points"):
        text = f"{100 * number:.1f}" if kind == "share" else f"{100 * number:+.1f}"
    else:
        text = f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"  # three digits would be written 1.43e+03
    return text.replace("-", "−")


def _show_interval(interval: Interval, kind: ColumnKind) -> PrintedFigure:
    n = f"n={interval.n:,}"
    if interval.value is None:
        return PrintedFigure(MISSING, "", n)
    value = _show_number(interval.value, kind)
    if interval.low is None or interval.high is None:
        return PrintedFigure(value, "", n)
    between = "–" if kind == "share" else " to "  # a dash beside a sign would be hard to read
    return PrintedFigure(value, f"{_show_number(interval.low, kind)}{between}{_show_number(interval.high, kind)}", n)
