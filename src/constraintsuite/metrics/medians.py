"""A median with its interval, where some values are known only to lie beyond what was looked at."""

from __future__ import annotations

import numpy as np

from constraintsuite.metrics.intervals import DRAWS, FEW_CLUSTERS, UNDEFINED, FloatArray, IntArray
from constraintsuite.records.scores import Interval

_CELLS = 4_000_000  # of the matrix of weights that is in memory at a time


def cluster_median(
    values: FloatArray,  # (items,) NaN: none; infinite: beyond
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Interval:
    """The lower median with percentiles of the median over resampled clusters; what lies beyond is None.

    Below 10 clusters there are no bounds: the medians of so few are hardly spread.
    """
    defined = ~np.isnan(values)
    values, clusters = values[defined], clusters[defined]
    if not len(values):
        return UNDEFINED
    order = np.argsort(values, kind="stable")
    values, clusters = values[order], clusters[order]
    median = _known(float(values[(len(values) - 1) // 2]))
    _, members = np.unique(clusters, return_inverse=True)
    groups = int(members.max()) + 1
    if groups < FEW_CLUSTERS:
        return Interval(median, None, None, len(values))
    medians = _resampled_medians(values, members, groups, rng, draws)
    low, high = np.quantile(medians, [0.025, 0.975], method="inverted_cdf").tolist()
    return Interval(median, _known(low), _known(high), len(values))


def _resampled_medians(
    values: FloatArray, members: IntArray, groups: int, rng: np.random.Generator, draws: int
) -> FloatArray:
    """The lower median in each draw of as many clusters as there are; `values` are sorted."""
    block = max(1, _CELLS // max(groups, len(values)))
    medians = []
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        drawn = rng.integers(groups, size=(rows, groups)) + groups * np.arange(rows)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups)
        reached = times[:, members].cumsum(axis=1)
        half = (reached[:, -1:] + 1) // 2
        medians.append(values[(reached < half).sum(axis=1)])
    return np.concatenate(medians)


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None
