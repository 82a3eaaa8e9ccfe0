"""95 % intervals of means over items that are not independent: what is resampled are whole clusters of items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.records.scores import Interval

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

DRAWS = 2_000
FEW_CLUSTERS = 10
"""Below this many clusters percentiles of resampled means are too narrow, and Student's t is used instead."""
_T = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060)  # 97.5 % of t with 1, 2, ... degrees of freedom
_Z = 1.959963984540054  # 97.5 % of the standard normal distribution lie below it
_CELLS = 4_000_000  # of the matrix of draws that is in memory at a time
UNDEFINED = Interval(None, None, None, 0)


class Bounds(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


def wilson_bounds(share: float, n: float) -> Bounds:
    """Wilson's score interval of a share of `n` > 0 independent items (Wilson 1927)."""
    centre = share + _Z * _Z / (2 * n)
    spread = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
    scale = 1 + _Z * _Z / n
    return Bounds(max(0.0, min(share, (centre - spread) / scale)), min(1.0, max(share, (centre + spread) / scale)))


def wilson(right: int, n: int) -> Interval:
    """`right` of `n` independent items, with Wilson's interval."""
    return Interval(right / n, *wilson_bounds(right / n, n), n) if n else UNDEFINED


def clipped(figure: Interval, least: float, most: float) -> Interval:
    """The figure with bounds on its scale: Student's t knows no ends of it."""
    if figure.low is None or figure.high is None:
        return figure
    return replace(figure, low=max(least, figure.low), high=min(most, figure.high))


def connected_components(links: Sequence[Iterable[str]]) -> IntArray:
    """A number for each item, the same for items joined by a chain of shared links; an item without any is alone."""
    parent = list(range(len(links)))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = item = parent[parent[item]]
        return item

    first_with: dict[str, int] = {}
    for item, names in enumerate(links):
        for name in names:
            a, b = sorted((root(item), root(first_with.setdefault(name, item))))
            parent[b] = a
    _, numbers = np.unique([root(item) for item in range(len(links))], return_inverse=True)
    return numbers.astype(np.int64)


def estimate(
    values: FloatArray,  # (items, metrics), NaN where an item has no value
    shares: Sequence[bool],  # (metrics,) whether the values of a metric are 0 or 1
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> list[Interval]:
    """The mean and interval of each metric, all from the same draws.

    Of 10 clusters or more: percentiles of the bootstrap. Of 2 to 9: Student's t with the spread between clusters, and
    for a share never narrower than Wilson's interval of as many independent items. A share in which all items agree, or
    of one cluster: Wilson's interval with the number of clusters for n, as the bootstrap would call 10 of 10 certain.
    Another figure of one cluster has no bounds.
    """
    means = _resampled_means(values, clusters, rng, draws) if len(values) else np.empty((draws, len(shares)))
    return [_interval(values[:, i], share, clusters, means[:, i]) for i, share in enumerate(shares)]


def _interval(values: FloatArray, share: bool, clusters: IntArray, means: FloatArray) -> Interval:
    defined = ~np.isnan(values)
    values, clusters = values[defined], clusters[defined]
    if not len(values):
        return UNDEFINED
    value, groups = _mean(values), len(np.unique(clusters))
    if share and (groups == 1 or values.min() == values.max()):
        return Interval(value, *wilson_bounds(value, groups), len(values))
    if groups == 1:
        return Interval(value, None, None, len(values))
    if groups < FEW_CLUSTERS:
        return Interval(value, *_student_bounds(values, value, clusters, share), len(values))
    return _percentiles(values, means)


def _student_bounds(values: FloatArray, value: float, clusters: IntArray, share: bool) -> Bounds:
    """Mean +- t x the cluster-robust standard error of a mean over clusters of different sizes."""
    _, members = np.unique(clusters, return_inverse=True)
    residuals = np.bincount(members, weights=values - value)
    groups = len(residuals)
    spread = _T[groups - 2] * math.sqrt(groups / (groups - 1) * float(residuals @ residuals)) / len(values)
    if not share:
        return Bounds(value - spread, value + spread)
    low, high = wilson_bounds(value, len(values))
    return Bounds(max(0.0, min(low, value - spread)), min(1.0, max(high, value + spread)))


def _percentiles(values: FloatArray, means: FloatArray) -> Interval:
    value = _mean(values)
    low, high = np.nanpercentile(means, [2.5, 97.5]).tolist()
    return Interval(value, min(low, value), max(high, value), len(values))


def _mean(values: FloatArray) -> float:
    return math.fsum(values.tolist()) / len(values)


def _resampled_means(values: FloatArray, clusters: IntArray, rng: np.random.Generator, draws: int) -> FloatArray:
    """The mean of each metric in each draw of as many clusters as there are; NaN in a draw without any value."""
    _, members = np.unique(clusters, return_inverse=True)
    groups = int(members.max()) + 1
    sums, counts = np.zeros((groups, values.shape[1])), np.zeros((groups, values.shape[1]))
    np.add.at(sums, members, np.nan_to_num(values, nan=0.0))
    np.add.at(counts, members, ~np.isnan(values))
    means = []
    for times in _times_drawn(groups, rng, draws):
        held = times @ counts
        with np.errstate(invalid="ignore"):
            means.append((times @ sums) / held)
    return np.concatenate(means)


def _times_drawn(groups: int, rng: np.random.Generator, draws: int) -> Iterator[FloatArray]:
    """How often each cluster is drawn in each draw, a block of draws at a time."""
    block = max(1, _CELLS // groups)
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        drawn = rng.integers(groups, size=(rows, groups)) + groups * np.arange(rows)[:, np.newaxis]
        yield np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups).astype(np.float64)
