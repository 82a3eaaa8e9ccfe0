"""Numbers as they are printed: shares in per cent, gaps in the model's own unit, always with interval and n."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.records.scores import Interval

MISSING = "–"


class Figure(NamedTuple):
    """A value, its bounds and its n, as text; what is undefined is a dash, or empty for bounds."""

    value: str
    bounds: str
    n: str


def show_interval(interval: Interval, *, share: bool) -> Figure:
    """The parts of an interval in words."""
    if interval.value is None:
        return Figure(MISSING, "", f"n={interval.n:,}")
    low, high = (show_number(bound, share=share) for bound in (interval.low, interval.high))
    between = "–" if share else " to "  # a dash beside a minus sign would be hard to read
    return Figure(
        show_number(interval.value, share=share),
        "" if interval.low is None or interval.high is None else f"{low}{between}{high}",
        f"n={interval.n:,}",
    )


def show_number(number: float | None, *, share: bool) -> str:
    """A share in per cent with one decimal, without the sign; another number with three digits."""
    if number is None:
        return MISSING
    return f"{100 * number:.1f}" if share else f"{number:.3g}".replace("-", "−")


def short_slice(name: str) -> str:
    """A slice's name without the part that all of its kind share."""
    return name.removeprefix("negation_").removeprefix("controls_")
