"""Where the points of a recall and speed chart lie: recall on a logit scale, queries a second on a logarithmic one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.vectors.ann.frontier import front, recall_of
from constraintsuite.vectors.ann.results import Cell

CERTAIN = 0.9995
"""Recalls from here on lie on the right edge, which stands for 1: a logit has no place for it."""
_RECALLS = (0.9, 0.99, 0.5, 0.1, 0.999, 0.95, 0.7, 0.3, 0.01, 0.001)  # labels; where they are too close, the first stay
_APART = 0.085  # of the width, between two labels


@dataclass(frozen=True)
class Axis:
    """A scale with its labels; places are between 0 and 1."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Spot:
    """A measured point."""

    name: str
    x: float
    y: float
    words: str


@dataclass(frozen=True)
class Series:
    """All points of an engine; those of its front are joined, in this order."""

    name: str
    front: tuple[Spot, ...]
    others: tuple[Spot, ...]


@dataclass(frozen=True)
class Chart:
    """Everything but the lines and letters."""

    across: Axis
    up: Axis
    series: tuple[Series, ...]
    exact: tuple[Spot, ...]
    """Engines that compare everything: a line at their speed, not a point among approximate ones."""
    description: str


def make_chart(cells: Sequence[Cell]) -> Chart | None:
    """The chart of one arena; None where no engine is approximate."""
    near = [cell for cell in cells if not cell.exact]
    if not near:
        return None
    across, up = recall_axis([recall_of(cell) for cell in near]), speed_axis([cell.speed.qps for cell in cells])
    names = dict.fromkeys(cell.point.name for cell in near)
    series = tuple(_series(name, [c for c in near if c.point.name == name], across, up) for name in names)
    exact = tuple(_spot(cell, across, up) for cell in cells if cell.exact)
    described = "; ".join(f"{one.name}: {', '.join(spot.words for spot in one.front)}" for one in series)
    return Chart(across, up, series, exact, described)


def recall_axis(recalls: Sequence[float]) -> Axis:
    """From the label below the lowest recall to the place of 1."""
    below = [tick for tick in _RECALLS if tick <= min(*recalls, 0.9)]
    low, high = _logit(max(below, default=min(_RECALLS))), _logit(CERTAIN)
    ticks = {1.0: "1"}
    for recall in _RECALLS:
        place = (_logit(recall) - low) / (high - low)
        if place >= 0 and all(abs(place - other) >= _APART for other in ticks):
            ticks[place] = f"{recall:g}"
    return Axis(low, high, tuple(sorted(ticks.items())))


def speed_axis(speeds: Sequence[float]) -> Axis:
    """Whole steps of 1, 2, 5, 10, ...; of a wide range only powers of ten have labels."""
    steps = [math.log10(f) + e for e in range(-3, 10) for f in (1, 2, 5)]
    low = max(step for step in steps if step <= math.log10(min(speeds)))
    high = min(step for step in steps if step >= math.log10(max(speeds)) and step > low)
    inside = [step for step in steps if low <= step <= high]
    tens = [step for step in inside if math.isclose(step, round(step))]
    shown = tens if len(inside) > 7 and len(tens) > 1 else inside
    return Axis(low, high, tuple(((step - low) / (high - low), _rounded(10**step)) for step in shown))


def _series(name: str, cells: Sequence[Cell], across: Axis, up: Axis) -> Series:
    best = front(cells)
    others = [cell for cell in cells if cell not in best]
    return Series(
        name, tuple(_spot(cell, across, up) for cell in best), tuple(_spot(cell, across, up) for cell in others)
    )


def _spot(cell: Cell, across: Axis, up: Axis) -> Spot:
    recall = min(max(recall_of(cell), 10**-3), CERTAIN)
    x = (_logit(recall) - across.low) / (across.high - across.low)
    y = (math.log10(cell.speed.qps) - up.low) / (up.high - up.low)
    point = cell.point
    words = f"{point.series}, {point.setting}: recall {recall_of(cell):.4f}, {cell.speed.qps:,.0f} queries/s"
    return Spot(point.name, max(0.0, x), y, words)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _rounded(number: float) -> str:
    return f"{round(number):,}" if number >= 1 else f"{number:g}"
