"""How a quantity grows, from its values at two sizes: a + b·x, or b·x^p if it grows faster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

STEEPEST = 2.0
_FAR = 10
_NOISE = 1.15
"""A power below this is taken for noise, and the growth for b·x."""


class Range(NamedTuple):
    """An estimate with its lower and upper bound."""

    value: float
    low: float
    high: float

    def plus(self, other: Range) -> Range:
        """The sum; bounds add up, as if all were low or high together."""
        return Range(self.value + other.value, self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> Range:
        """The product with a number that has no range."""
        return Range(self.value * factor, self.low * factor, self.high * factor)


def exactly(value: float) -> Range:
    """An amount without uncertainty."""
    return Range(value, value, value)


NOTHING = exactly(0.0)


class GrowthPoint(NamedTuple):
    """A size, and the quantity measured at it."""

    x: float
    y: float


@dataclass(frozen=True)
class GrowthCurve:
    """fixed + rate · x^power."""

    fixed: float
    rate: float
    power: float = 1.0

    def at(self, x: float) -> float:
        """The quantity at a size."""
        return self.fixed + self.rate * math.pow(x, self.power)


@dataclass(frozen=True)
class Fit:
    """The most likely curve, and all curves through two of the points."""

    best: GrowthCurve
    others: tuple[GrowthCurve, ...]

    def at(self, x: float) -> Range:
        """The quantity at size `x`; the range spans all fitted curves."""
        value = self.best.at(x)
        values = [other.at(x) for other in self.others]
        return Range(value, min(value, *values), max(value, *values))

    def with_fixed(self, factor: float) -> Fit:
        """The same growth with the fixed part multiplied."""
        best, *others = (replace(each, fixed=each.fixed * factor) for each in (self.best, *self.others))
        return Fit(best, tuple(others))


def fit(small: Sequence[GrowthPoint], large: Sequence[GrowthPoint], steepest: float = STEEPEST) -> Fit:
    """The median of all curves through a small and a large point.

    What is loaded once, between two sizes, looks like growth; small points of different sizes do not all show it. If the
    median is a power, proportion is among the other curves, since two sizes say little about a power.
    """
    far = _FAR * max(point.x for point in large)
    others = sorted(
        (through(one, other, steepest) for one, other in product(small, large)), key=lambda growth: growth.at(far)
    )
    best = others[(len(others) - 1) // 2]
    if best.power > 1:
        others.append(_proportion(max(large)))
    return Fit(best, tuple(others))


def through(small: GrowthPoint, large: GrowthPoint, steepest: float = STEEPEST) -> GrowthCurve:
    """The curve through two points, never negative and with a power of at most `steepest`."""
    if large.x <= small.x:
        return _proportion(large) if large.x > 0 else GrowthCurve(large.y, 0.0)
    rate = (large.y - small.y) / (large.x - small.x)
    if rate <= 0:
        return GrowthCurve(max(small.y, large.y), 0.0)
    if (fixed := small.y - rate * small.x) >= 0:
        return GrowthCurve(fixed, rate)
    power = math.log(large.y / small.y) / math.log(large.x / small.x) if small.y > 0 else steepest
    power = min(power, steepest)
    if power < _NOISE:
        return _proportion(large)
    return GrowthCurve(0.0, large.y / large.x**power, power)


def _proportion(point: GrowthPoint) -> GrowthCurve:
    return GrowthCurve(0.0, point.y / point.x)
