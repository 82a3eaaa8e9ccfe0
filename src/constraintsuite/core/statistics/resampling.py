"""Intervals (95 %) and random signs for items that are not independent: whole clusters are resampled.

All figures of the package follow the same rule. With K clusters that have a value:

- K of 10 or more: percentiles of the cluster bootstrap.
- K from 2 to 9: Student's t with K - 1 degrees of freedom. The standard error of a mean or a ratio of means is linearised over
  clusters; that of any other statistic comes from the jackknife. The interval of a share is never narrower than Wilson's interval
  for independent items.
- A share if all items agree, or if there is only one cluster: Wilson's interval with K as n, because resampling would call 10 of 10
  certain. A share is any metric between 0 and 1: none varies more than one of 0s and 1s with the same mean.
- Any other figure of one cluster has no bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import UNDEFINED, Bounds, FloatArray, IntArray, wilson_bounds

DRAWS = 2_000
FEW_CLUSTERS = 10
"""With fewer clusters, percentiles of the bootstrap are too narrow, and Student's t is used instead."""
MOST_UNDEFINED = 0.05
"""The largest share of draws in which a statistic may be undefined; with more, it has no bounds."""
_T = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060)  # 97.5 % of t with 1, 2, ... degrees of freedom
_CELLS = 4_000_000  # size of the matrix of draws that is in memory at a time

Statistic = Callable[[FloatArray], FloatArray]
"""Takes one row per draw and gives one number per draw, NaN if it is undefined."""


def draw_clusters(groups: int, rng: np.random.Generator, draws: int, *, width: int = 0) -> Iterator[FloatArray]:
    """Draw `groups` clusters with replacement; gives how often each is drawn, in blocks of (draws, groups).

    Blocks are small enough for a matrix of `width` columns per draw.
    """
    block = max(1, _CELLS // max(1, groups, width))
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        if not groups:
            yield np.zeros((rows, 0))
            continue
        drawn = rng.integers(groups, size=(rows, groups)) + groups * np.arange(rows)[:, np.newaxis]
        yield np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups).astype(np.float64)


def draw_signs(groups: int, rng: np.random.Generator, draws: int) -> Iterator[FloatArray]:
    """A random sign for each of `groups` clusters in each draw: blocks of (draws, groups)."""
    block = max(1, _CELLS // groups)
    for start in range(0, draws, block):
        shape = (min(block, draws - start), groups)
        yield (1 - 2 * rng.integers(2, size=shape, dtype=np.int8)).astype(np.float64)


def all_signs(groups: int) -> FloatArray:
    """All rows of `groups` signs with a plus in the last place; by symmetry these are enough."""
    bits = np.arange(2 ** (groups - 1))[:, np.newaxis] >> np.arange(groups) & 1
    return (1 - 2 * bits).astype(np.float64)


def sum_by_cluster(
    values: FloatArray,  # (items, ...)
    clusters: IntArray,  # (items,)
) -> FloatArray:
    """Sums over the items of each cluster, in the order of their numbers: (clusters, ...)."""
    names, members = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(names), *values.shape[1:]))
    np.add.at(sums, members, values)
    return sums


def estimate(
    values: FloatArray,  # (items, metrics), NaN where an item has no value
    shares: Sequence[bool],  # (metrics,) whether all values of a metric lie between 0 and 1
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> list[Interval]:
    """The mean and interval of each metric, all from the same draws; the interval of a share lies between 0 and 1."""
    known = ~np.isnan(values)
    sums, counts = _drawn_sums([np.where(known, values, 0.0), known.astype(np.float64)], clusters, rng, draws)
    with np.errstate(invalid="ignore"):
        means = sums / counts
    return [
        _mean(values[mine, i], share, clusters[mine], means[:, i])
        for i, (mine, share) in enumerate(zip(known.T, shares, strict=True))
    ]


def mean_figures(
    columns: Sequence[FloatArray],  # one value per item, NaN for none
    clusters: IntArray,  # (items,)
    seed: int | np.random.Generator,  # of the draws
    *,
    shares: Sequence[bool] | None = None,
    draws: int = DRAWS,
) -> list[Interval]:
    """The mean and interval of each column, all from the same draws; by default all columns are shares."""
    values = np.column_stack(columns).astype(np.float64) if columns else np.empty((len(clusters), 0))
    kinds = [True] * len(columns) if shares is None else shares
    return estimate(values, kinds, clusters, rng=np.random.default_rng(seed), draws=draws)


def ratios_of_means(
    numerators: FloatArray,  # (items, figures), NaN where an item has none
    denominators: FloatArray,  # the same
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> list[Interval]:
    """The ratio mean(numerator) / mean(denominator) of each figure, all from the same draws; not a mean of ratios.

    There is no ratio if the interval of the denominator contains 0.
    """
    known = ~(np.isnan(numerators) | np.isnan(denominators))
    tops, bottoms = np.where(known, numerators, 0.0), np.where(known, denominators, 0.0)
    above, below = _drawn_sums([tops, bottoms], clusters, rng, draws)
    return [
        _ratio(tops[mine, i], bottoms[mine, i], clusters[mine], above[:, i], below[:, i])
        for i, mine in enumerate(known.T)
    ]


def estimate_statistic(
    columns: FloatArray,  # (items, columns), without gaps
    statistic: Statistic,  # of sums over items, (draws, columns)
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Interval:
    """A statistic of sums over items, such as a difference of two means or a correlation, with its interval."""
    sums = sum_by_cluster(columns, clusters)
    everyone = np.arange(len(sums))
    return estimate_weighted(lambda times: statistic(times @ sums), everyone, len(sums), len(columns), rng, draws)


def estimate_weighted(
    statistic: Statistic,  # of how often each cluster is drawn, (draws, groups)
    counted: IntArray,  # the clusters that have a value
    groups: int,
    n: int,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Interval:
    """A statistic of how often each cluster is drawn, with its interval; `n` items have a value."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(np.ones((1, groups)))[0]) if n else math.nan
        if not math.isfinite(value):
            return Interval(None, None, None, n)
        if len(counted) < FEW_CLUSTERS:
            times = np.ones((len(counted), groups))
            times[np.arange(len(counted)), counted] = 0
            return jackknife(value, statistic(times), n, rng=rng)
        return _percentiles(value, np.concatenate([statistic(times) for times in draw_clusters(groups, rng, draws)]), n)


def per_draw(compare: Callable[..., float | None], parts: int) -> Statistic:
    """The statistic that splits the sums of each draw into equal parts and compares them; None means undefined."""

    def statistic(sums: FloatArray) -> FloatArray:
        found = [compare(*np.split(row, parts)) for row in sums]
        return np.array([math.nan if value is None else value for value in found])

    return statistic


def jackknife(value: float, without: FloatArray, n: int, *, rng: np.random.Generator) -> Interval:
    """The interval of a statistic, from its values without each cluster in turn.

    It is the interval of the mean of the pseudo-values K value - (K - 1) without (Tukey 1958), shifted so that their mean is the
    value. It has no bounds if there is only one cluster, or if the statistic is undefined without some cluster.
    """
    groups = len(without)
    if groups < 2 or not np.isfinite(without).all():
        return Interval(value, None, None, n)
    pseudo = groups * value - (groups - 1) * without
    centred = pseudo - pseudo.mean() + value
    (found,) = estimate(centred[:, np.newaxis], [False], np.arange(groups), rng=rng)
    return replace(found, value=value, n=n)


def cluster_median(
    values: FloatArray,  # (items,) NaN: no value; infinite: beyond the depth that was searched
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Interval:
    """The lower median with percentiles of the bootstrap; a median or bound that is infinite is None.

    With fewer than 10 clusters it has no bounds, because the jackknife of a median is not consistent (Efron 1982).
    """
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    values, (_, members) = values[order], np.unique(clusters[order], return_inverse=True)
    if not len(values):
        return UNDEFINED
    median, groups = _within(float(values[(len(values) - 1) // 2])), int(members.max()) + 1
    if groups < FEW_CLUSTERS:
        return Interval(median, None, None, len(values))
    medians = []
    for times in draw_clusters(groups, rng, draws, width=len(values)):
        reached = times[:, members].cumsum(axis=1)
        half = (reached[:, -1:] + 1) // 2
        medians.append(values[(reached < half).sum(axis=1)])
    low, high = np.quantile(np.concatenate(medians), [0.025, 0.975], method="inverted_cdf").tolist()
    return Interval(median, _within(low), _within(high), len(values))


def _drawn_sums(
    columns: Sequence[FloatArray], clusters: IntArray, rng: np.random.Generator, draws: int
) -> list[FloatArray]:
    """For each array (items, figures), the sums over the clusters of each draw: (draws, figures)."""
    sums = [sum_by_cluster(each, clusters) for each in columns]
    blocks = [[times @ each for each in sums] for times in draw_clusters(len(sums[0]), rng, draws)]
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def _mean(values: FloatArray, share: bool, clusters: IntArray, drawn: FloatArray) -> Interval:
    n, groups = len(values), len(np.unique(clusters))
    if not n:
        return UNDEFINED
    value = math.fsum(values.tolist()) / n
    if share and (groups == 1 or values.min() == values.max()):
        return Interval(value, *wilson_bounds(value, groups), n)
    if groups == 1:
        return Interval(value, None, None, n)
    if groups >= FEW_CLUSTERS:
        return _percentiles(value, drawn, n)
    low, high = _student(value, values - value, n, clusters)
    if share:
        least, most = wilson_bounds(value, n)
        low, high = max(0.0, min(least, low)), min(1.0, max(most, high))
    return Interval(value, low, high, n)


def _ratio(top: FloatArray, bottom: FloatArray, clusters: IntArray, above: FloatArray, below: FloatArray) -> Interval:
    n, groups = len(top), len(np.unique(clusters))
    if not n:
        return UNDEFINED
    total = math.fsum(bottom.tolist())
    scale = _mean(bottom, False, clusters, below)  # sums have the signs of means
    if total == 0 or (scale.low is not None and scale.high is not None and scale.low <= 0 <= scale.high):
        return Interval(None, None, None, n)
    value = math.fsum(top.tolist()) / total
    if groups == 1:
        return Interval(value, None, None, n)
    if groups >= FEW_CLUSTERS:
        with np.errstate(divide="ignore", invalid="ignore"):
            return _percentiles(value, above / below, n)
    return Interval(value, *_student(value, top - value * bottom, abs(total), clusters), n)


def _student(value: float, residuals: FloatArray, total: float, clusters: IntArray) -> Bounds:
    """value ± t x its linearised cluster-robust standard error, where value = sum of numerators / `total` of denominators.

    A mean is the ratio with denominators of 1. The residual of an item is numerator - value x denominator.
    """
    sums = sum_by_cluster(residuals, clusters)
    groups = len(sums)
    spread = _T[groups - 2] * math.sqrt(groups / (groups - 1) * float(sums @ sums)) / total
    return Bounds(value - spread, value + spread)


def _percentiles(value: float, drawn: FloatArray, n: int) -> Interval:
    finite = drawn[np.isfinite(drawn)]
    if len(finite) < (1 - MOST_UNDEFINED) * len(drawn):
        return Interval(value, None, None, n)
    low, high = np.percentile(finite, [2.5, 97.5]).tolist()
    return Interval(value, min(low, value), max(high, value), n)


def _within(value: float) -> float | None:
    return value if math.isfinite(value) else None
