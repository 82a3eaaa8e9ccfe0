"""Ratios of means with 95 % intervals: whole clusters are resampled, numerator and denominator together."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from constraintsuite.metrics.intervals import DRAWS, FEW_CLUSTERS, UNDEFINED, estimate
from constraintsuite.records.scores import Interval

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def ratios_of_means(
    numerators: FloatArray,  # (items, figures), NaN where an item has none
    denominators: FloatArray,  # the same
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> list[Interval]:
    """mean(numerator) / mean(denominator) of each figure, all from the same draws; never a mean of ratios.

    Of 10 clusters or more: percentiles of the bootstrap. Of fewer: Student's t of the ratio made linear around its value.
    A denominator of mean 0 has no ratio.
    """
    defined = ~(np.isnan(numerators) | np.isnan(denominators))
    tops, bottoms = np.where(defined, numerators, 0.0), np.where(defined, denominators, 0.0)
    drawn = _drawn(tops, bottoms, clusters, rng, draws) if len(clusters) else np.empty((draws, numerators.shape[1]))
    return [
        _interval(tops[mine, i], bottoms[mine, i], clusters[mine], drawn[:, i], rng) for i, mine in enumerate(defined.T)
    ]


def _interval(
    top: FloatArray, bottom: FloatArray, clusters: IntArray, drawn: FloatArray, rng: np.random.Generator
) -> Interval:
    below = math.fsum(bottom.tolist())
    if not len(top) or below == 0:
        return Interval(None, None, None, len(top)) if len(top) else UNDEFINED
    value = math.fsum(top.tolist()) / below
    if len(np.unique(clusters)) < FEW_CLUSTERS:
        straight = value + (top - value * bottom) * (len(top) / below)
        (near,) = estimate(straight[:, np.newaxis], [False], clusters, rng=rng, draws=1)
        return Interval(value, near.low, near.high, len(top))
    low, high = np.nanpercentile(drawn, [2.5, 97.5]).tolist()
    return Interval(value, min(low, value), max(high, value), len(top))


def _drawn(
    tops: FloatArray, bottoms: FloatArray, clusters: IntArray, rng: np.random.Generator, draws: int
) -> FloatArray:
    """The ratio in each draw of as many clusters as there are: (draws, figures)."""
    _, members = np.unique(clusters, return_inverse=True)
    groups = int(members.max()) + 1
    above, below = np.zeros((groups, tops.shape[1])), np.zeros((groups, tops.shape[1]))
    np.add.at(above, members, tops)
    np.add.at(below, members, bottoms)
    times = rng.multinomial(groups, np.full(groups, 1 / groups), size=draws).astype(np.float64)
    under = times @ below
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(under == 0, np.nan, (times @ above) / under)
