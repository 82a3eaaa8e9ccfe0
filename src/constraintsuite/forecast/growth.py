"""How a quantity grows, from what it was at two sizes: a + b·x, or b·x^p where it is seen to grow faster than that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

STEEPEST = 2.0
_FAR = 10
_NOISE = 1.15
"""Below this power two sizes do not tell growth from noise: what doubles with x and a little more is taken as b·x."""


class Range(NamedTuple):
    """What is expected, and between what."""

    value: float
    low: float
    high: float

    def plus(self, other: Range) -> Range:
        """The sum, as if all were low together or high together."""
        return Range(self.value + other.value, self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> Range:
        """The product with a number that is sure."""
        return Range(self.value * factor, self.low * factor, self.high * factor)


NOTHING = Range(0.0, 0.0, 0.0)


class GrowthPoint(NamedTuple):
    """A size, and what was seen there."""

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
    """The growth that is expected, and all those that two of the points give."""

    best: GrowthCurve
    others: tuple[GrowthCurve, ...]

    def at(self, x: float) -> Range:
        """The quantity at a size, and the least and the most that any of them says."""
        value = self.best.at(x)
        values = [other.at(x) for other in self.others]
        return Range(value, min(value, *values), max(value, *values))

    def with_fixed(self, factor: float) -> Fit:
        """What does not grow, so many times."""
        best, *others = (replace(each, fixed=each.fixed * factor) for each in (self.best, *self.others))
        return Fit(best, tuple(others))


def fit(small: Sequence[GrowthPoint], large: Sequence[GrowthPoint], steepest: float = STEEPEST) -> Fit:
    """The middle one of all growths through a small and a large point, the lower where two are in the middle.

    Something that is loaded once between two sizes looks like growth; where small points differ in size it is not in all of
    them. Where the middle one is a power, plain proportion is among the others: two sizes are little to tell a power from.
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
    """The growth through two points, with nothing below zero and no power beyond the steepest."""
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
