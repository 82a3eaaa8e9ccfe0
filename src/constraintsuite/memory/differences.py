"""Paired differences of a share or a part of one, cluster by cluster."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraintsuite.experiments.figures import rounded
from constraintsuite.metrics.intervals import UNDEFINED, FloatArray, IntArray, clipped, wilson_bounds
from constraintsuite.metrics.resampling import estimate
from constraintsuite.records.scores import Interval

FEWEST = 6
"""With fewer clusters that differ from the others no exchange of signs is rarer than 5 % (2 in 2^5)."""


def mean_difference(values: FloatArray, clusters: IntArray, *, bounded: bool = True, seed: int = 0) -> Interval:
    """The mean of differences, one an item, with an interval that does not overrate agreement.

    Resampling knows only what happened, and would call agreement in two clusters certain, and one exception among ten harmless.
    So unless six clusters differ from the commonest value, the interval of `bounded` differences (of values from 0 to 1) reaches
    at least as far from the mean as the share that can escape so many clusters altogether: Wilson's bound of 0 in n.
    """
    if not len(values):
        return UNDEFINED
    (found,) = estimate(values[:, np.newaxis], [False], clusters, rng=np.random.default_rng(seed))
    if not bounded:
        return rounded(found)
    assert found.value is not None
    means = _means(values, clusters)
    if _unlike(means) < FEWEST:
        reach = wilson_bounds(0.0, len(means)).high
        low, high = (found.value if end is None else end for end in (found.low, found.high))
        found = replace(found, low=min(low, found.value - reach), high=max(high, found.value + reach))
    # One side may be scaled: an end that a difference lies beyond is none.
    return rounded(clipped(found, min(-1.0, float(values.min())), max(1.0, float(values.max()))))


def _means(values: FloatArray, clusters: IntArray) -> FloatArray:
    _, members = np.unique(clusters, return_inverse=True)
    means: FloatArray = np.bincount(members, weights=values) / np.bincount(members)
    return means


def _unlike(means: FloatArray) -> int:
    """How many are not the commonest one."""
    _, counts = np.unique(means.round(9), return_counts=True)
    return len(means) - int(counts.max())
