"""Intervals of figures that are neither means nor ratios of means, such as a difference of groups: whole clusters are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.metrics.intervals import DRAWS, FEW_CLUSTERS, IntArray, estimate
from constraintsuite.records.scores import Interval

Statistic = Callable[[FloatArray], FloatArray]
"""From sums over contrasts, (draws, columns), to one number a draw."""


@dataclass(frozen=True, eq=False)
class Resampling:
    """The same draws of clusters for every figure of some contrasts, so that figures can be told apart."""

    members: IntArray
    """The cluster of each contrast, from 0."""
    times: FloatArray
    """How often each cluster is drawn: (draws, clusters)."""

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        return int(self.times.shape[1])

    def interval(self, columns: FloatArray, figure: Statistic) -> Interval:
        """A figure of columns (contrasts, columns) that have no gaps, with its bounds.

        Of 10 clusters or more: percentiles of the bootstrap. Of 2 to 9: Student's t over the jackknife's pseudo-values. Of
        one: no bounds. A figure that is no number, as a share of nothing, is undefined.
        """
        sums = np.zeros((self.groups, columns.shape[1]))
        np.add.at(sums, self.members, columns)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(figure(sums.sum(axis=0, keepdims=True))[0]) if len(columns) else np.nan
            if not np.isfinite(value):
                return Interval(None, None, None, len(columns))
            if self.groups < FEW_CLUSTERS:
                return _few(value, figure(sums.sum(axis=0) - sums), len(columns))
            drawn = figure(self.times @ sums)
        low, high = np.nanpercentile(drawn[np.isfinite(drawn)], [2.5, 97.5]).tolist()
        return Interval(value, min(low, value), max(high, value), len(columns))


def resample(clusters: IntArray, rng: np.random.Generator, draws: int = DRAWS) -> Resampling:
    """Draws of as many clusters as there are."""
    names, members = np.unique(clusters, return_inverse=True)
    groups = len(names)
    drawn = rng.integers(groups, size=(draws, groups)) if groups else np.empty((draws, 0), dtype=np.int64)
    times = np.zeros((draws, groups))
    np.add.at(times, (np.arange(draws)[:, None], drawn), 1)
    return Resampling(members.astype(np.int64), times)


def _few(value: float, without: FloatArray, n: int) -> Interval:
    """From the figure without each cluster in turn; where it has none without one of them, there are no bounds."""
    groups = len(without)
    if groups < 2 or not np.isfinite(without).all():
        return Interval(value, None, None, n)
    pseudo = groups * value - (groups - 1) * without
    centred = pseudo - pseudo.mean() + value
    (found,) = estimate(centred[:, None], [False], np.arange(groups), rng=np.random.default_rng(0), draws=1)
    return replace(found, value=value, n=n)
