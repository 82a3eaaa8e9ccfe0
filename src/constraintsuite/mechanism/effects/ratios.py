"""Ratios of means with 95 % intervals: whole clusters are resampled, numerator and denominator together."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from constraintsuite.metrics.intervals import DRAWS, FEW_CLUSTERS, UNDEFINED, FloatArray, IntArray, estimate
from constraintsuite.records.scores import Interval


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
    A denominator that cannot be told from 0, as its own interval holds it, has no ratio.
    """
    defined = ~(np.isnan(numerators) | np.isnan(denominators))
    tops, bottoms = np.where(defined, numerators, 0.0), np.where(defined, denominators, 0.0)
    none = np.empty((draws, numerators.shape[1]))
    drawn = _drawn(tops, bottoms, clusters, rng, draws) if len(clusters) else _Drawn(none, none)
    return [
        _interval(tops[mine, i], bottoms[mine, i], clusters[mine], _Drawn(drawn.tops[:, i], drawn.bottoms[:, i]), rng)
        for i, mine in enumerate(defined.T)
    ]


class _Drawn(NamedTuple):
    """Sums in each draw of as many clusters as there are: (draws, figures)."""

    tops: FloatArray
    bottoms: FloatArray


def _interval(
    top: FloatArray, bottom: FloatArray, clusters: IntArray, drawn: _Drawn, rng: np.random.Generator
) -> Interval:
    if not len(top):
        return UNDEFINED
    below = math.fsum(bottom.tolist())
    few = len(np.unique(clusters)) < FEW_CLUSTERS
    if below == 0 or (_is_near_zero(bottom, clusters, rng) if few else _holds_zero(drawn.bottoms)):
        return Interval(None, None, None, len(top))
    value = math.fsum(top.tolist()) / below
    if few:
        straight = value + (top - value * bottom) * (len(top) / below)
        (near,) = estimate(straight[:, np.newaxis], [False], clusters, rng=rng, draws=1)
        return Interval(value, near.low, near.high, len(top))
    low, high = np.percentile(drawn.tops[drawn.bottoms != 0] / drawn.bottoms[drawn.bottoms != 0], [2.5, 97.5]).tolist()
    return Interval(value, min(low, value), max(high, value), len(top))


def _is_near_zero(values: FloatArray, clusters: IntArray, rng: np.random.Generator) -> bool:
    (mean,) = estimate(values[:, np.newaxis], [False], clusters, rng=rng, draws=1)
    return mean.low is not None and mean.high is not None and mean.low <= 0 <= mean.high


def _holds_zero(sums: FloatArray) -> bool:
    low, high = np.percentile(sums, [2.5, 97.5]).tolist()
    return bool(low <= 0 <= high)


def _drawn(tops: FloatArray, bottoms: FloatArray, clusters: IntArray, rng: np.random.Generator, draws: int) -> _Drawn:
    _, members = np.unique(clusters, return_inverse=True)
    groups = int(members.max()) + 1
    above, below = np.zeros((groups, tops.shape[1])), np.zeros((groups, tops.shape[1]))
    np.add.at(above, members, tops)
    np.add.at(below, members, bottoms)
    times = rng.multinomial(groups, np.full(groups, 1 / groups), size=draws).astype(np.float64)
    return _Drawn(times @ above, times @ below)
