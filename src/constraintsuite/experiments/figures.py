"""Figures of groups of items with their intervals, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.experiments.outcome_table import OutcomeTable
from constraintsuite.metrics.intervals import FloatArray, IntArray, clipped
from constraintsuite.metrics.metric import Metric
from constraintsuite.metrics.resampling import DRAWS, cluster_median, estimate
from constraintsuite.records.scores import Interval


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The figures of some items."""

    items: int
    clusters: int
    """Sets of items that are resampled as one."""
    wide: bool
    """Whether these are all items joined by anything they share; else only by the narrow names, such as couples."""
    metrics: dict[str, Interval]


def group_figures(
    table: OutcomeTable,
    system: str,
    members: Sequence[int],
    *,
    metrics: Iterable[str] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> GroupFigures:
    """The figures of one system over some items, all from the same draws, which depend on the seed and the items alone."""
    found = table.clusters(members)
    wanted = [table.metric(name) for name in (table.metrics if metrics is None else metrics)]
    columns = [table.column(system, metric.name, members) for metric in wanted]
    intervals = column_figures(wanted, columns, found.numbers, table.ids(members), seed=seed, draws=draws)
    named = {metric.name: interval for metric, interval in zip(wanted, intervals, strict=True)}
    return GroupFigures(len(members), len(np.unique(found.numbers)), found.wide, named)


def column_figures(
    metrics: Sequence[Metric],
    columns: Sequence[FloatArray],
    clusters: IntArray,
    ids: Sequence[str],
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> list[Interval]:
    """The mean or median of each column, with its interval on the scale of its metric."""
    means = [place for place, metric in enumerate(metrics) if metric.average == "mean"]
    values = np.column_stack([columns[i] for i in means]) if means else np.empty((len(clusters), 0))
    shares = [metrics[i].share for i in means]
    found = dict(zip(means, estimate(values, shares, clusters, rng=generator(seed, ids), draws=draws), strict=True))
    return [
        rounded(_on_scale(found[place], metric))
        if place in found
        else rounded(cluster_median(columns[place], clusters, rng=generator(seed, ids), draws=draws))
        for place, metric in enumerate(metrics)
    ]


def generator(seed: int, ids: Iterable[str]) -> np.random.Generator:
    """Chance keyed by what is resampled: the same items have the same interval in every table, whatever it is called."""
    return np.random.default_rng([seed, stable_hash("bootstrap", *ids)])


def rounded(interval: Interval) -> Interval:
    """Nine significant digits: the last bits of a sum depend on the processor, a file must not."""
    value, low, high = map(round_off, (interval.value, interval.low, interval.high))
    return Interval(value, low, high, interval.n)


def round_off(number: float | None) -> float | None:
    """A number to nine significant digits."""
    return None if number is None else float(f"{number:.9g}")


def _on_scale(interval: Interval, metric: Metric) -> Interval:
    """Student's t of a few clusters does not know where a scale ends."""
    return interval if metric.bounds is None else clipped(interval, *metric.bounds)
