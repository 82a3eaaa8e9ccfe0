"""Axes: the position of a value along an axis, and the round values that label it; shares are labelled in percent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from constraintsuite.core.records.plots import AxisScale

CERTAIN = 0.9995
"""Larger shares are drawn at the edge, which stands for 1, since the logit of 1 is infinite."""
_SMALLEST = 1e-3
# Labels by priority: if two are too close, the earlier one is kept.
_SHARES = (0.9, 0.99, 0.5, 0.1, 0.999, 0.95, 0.7, 0.3, 0.01, _SMALLEST)
_APART = 0.085  # smallest distance between two labels, as a share of the axis
_MOST_LABELS = 7
_MILLION = 1e6


class Ruler(NamedTuple):
    """An axis: `place` maps a value to a position from 0 to 1, and `ticks` are labelled positions."""

    place: Callable[[float], float]
    ticks: tuple[tuple[float, str], ...]


def make_ruler(scale: AxisScale, values: Sequence[float]) -> Ruler:
    """The axis for at least one value on a scale."""
    return _RULERS[scale](values)


def round_steps(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, 20, ... from `low` to `high`, both above 0."""
    tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [float(f"{digit}e{power}") for power in tens for digit in (1, 2, 5)]
    return [step for step in steps if low <= step <= high]


def _logit_ruler(shares: Sequence[float]) -> Ruler:
    """An axis from the label below the lowest share to 1."""
    below = [share for share in _SHARES if share <= min(*shares, _SHARES[0])]
    low, high = _logit(max(below, default=_SMALLEST)), _logit(CERTAIN)

    def place(share: float) -> float:
        return max(0.0, (_logit(min(max(share, _SMALLEST), CERTAIN)) - low) / (high - low))

    ticks = {1.0: "100"}
    for share in _SHARES:
        if _logit(share) >= low and all(abs(place(share) - other) >= _APART for other in ticks):
            ticks[place(share)] = f"{100 * share:g}"
    return Ruler(place, tuple(sorted(ticks.items())))


def _share_ruler(shares: Sequence[float]) -> Ruler:
    """A linear axis with labels in percent."""
    ruler = _linear_ruler([100 * share for share in shares])
    return Ruler(lambda share: ruler.place(100 * share), ruler.ticks)


def _log_ruler(values: Sequence[float]) -> Ruler:
    """A logarithmic axis between steps of 1, 2, 5, 10, ...; a wide range has labels at powers of ten only."""
    steps = round_steps(min(values) / 10, max(values) * 10)
    low = max(step for step in steps if step <= min(values))
    high = min(step for step in steps if step >= max(values) and step > low)
    inside = [step for step in steps if low <= step <= high]
    tens = [step for step in inside if math.log10(step).is_integer()]
    shown = tens if len(inside) > _MOST_LABELS and len(tens) > 1 else inside

    def place(value: float) -> float:
        return math.log(value / low) / math.log(high / low)

    return Ruler(place, tuple((place(step), _number(step)) for step in shown))


def _linear_ruler(values: Sequence[float]) -> Ruler:
    """A linear axis between round steps, with about four to seven labels."""
    spread = max(values) - min(values) or abs(max(values)) or 1.0
    step = next(step for step in round_steps(spread / 100, spread * 10) if spread / step <= _MOST_LABELS - 2)
    first, last = math.floor(min(values) / step + 1e-9), math.ceil(max(values) / step - 1e-9)
    last = max(last, first + 1)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))

    def place(value: float) -> float:
        return (value / step - first) / (last - first)

    return Ruler(place, tuple((place(n * step), f"{n * step:,.{digits}f}") for n in range(first, last + 1)))


def _count_ruler(values: Sequence[float]) -> Ruler:
    """An axis of integers, with a label at each, or at every second, fifth, ... one."""
    low, high = math.floor(min(values)), math.ceil(max(values))
    high = max(high, low + 1)
    step = next(int(step) for step in round_steps(1, 10 * (high - low)) if (high - low) / step <= _MOST_LABELS)

    def place(value: float) -> float:
        return (value - low) / (high - low)

    return Ruler(place, tuple((place(n), f"{n:,}") for n in range(low, high + 1) if (n - low) % step == 0))


_RULERS: Mapping[AxisScale, Callable[[Sequence[float]], Ruler]] = {
    "logit": _logit_ruler,
    "share": _share_ruler,
    "log": _log_ruler,
    "linear": _linear_ruler,
    "count": _count_ruler,
}


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _number(value: float) -> str:
    if value >= _MILLION:
        return f"{value / _MILLION:,.0f}M"  # all zeros would not fit next to the axis
    return f"{round(value):,}" if value >= 1 else f"{value:g}"
