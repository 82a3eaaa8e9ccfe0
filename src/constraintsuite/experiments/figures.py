"""Figures of groups of items with their intervals, the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import clipped
from constraintsuite.core.statistics.resampling import DRAWS, cluster_median, mean_figures
from constraintsuite.experiments.outcome_table import OutcomeTable


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The figures of some items."""

    items: int
    clusters: int
    """Number of sets of items that are resampled as a whole."""
    wide: bool
    """True: items that share a document are resampled together. False: only items of the same couple are."""
    metrics: dict[str, Interval]


def table_figures(
    table: OutcomeTable,
    groups: Mapping[str, Sequence[int]],
    *,
    metrics: Callable[[str], Iterable[str]] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> dict[str, dict[str, GroupFigures]]:
    """The figures of every system in every group; `metrics` gives the metrics of a group, by default all of the table."""
    return {
        system: {
            group: group_figures(
                table, system, members, metrics=metrics(group) if metrics else None, seed=seed, draws=draws
            )
            for group, members in groups.items()
        }
        for system in table.systems
    }


def group_figures(
    table: OutcomeTable,
    system: str,
    members: Sequence[int],
    *,
    metrics: Iterable[str] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> GroupFigures:
    """The figures of one system over some items, all from the same draws; these depend only on the seed and the items."""
    found, ids = table.clusters(members), table.ids(members)
    wanted = [table.metric(name) for name in (table.metrics if metrics is None else metrics)]
    columns = {metric: table.column(system, metric.name, members) for metric in wanted}
    means = [metric for metric in wanted if metric.average == "mean"]
    intervals = mean_figures(
        [columns[metric] for metric in means],
        found.numbers,
        generator(seed, ids),
        shares=[metric.share for metric in means],
        draws=draws,
    )
    figures = dict(zip(means, intervals, strict=True))
    for metric in wanted:
        if metric.average == "median":
            figures[metric] = cluster_median(columns[metric], found.numbers, rng=generator(seed, ids), draws=draws)
        elif metric.bounds is not None:  # an interval by Student's t may reach beyond the scale
            figures[metric] = clipped(figures[metric], *metric.bounds)
    named = {metric.name: rounded(figures[metric]) for metric in wanted}
    return GroupFigures(len(members), len(np.unique(found.numbers)), found.wide, named)


def generator(seed: int, ids: Iterable[str]) -> np.random.Generator:
    """Random draws keyed by the items: the same items have the same interval in every table."""
    return np.random.default_rng([seed, stable_hash("bootstrap", *ids)])


def rounded(interval: Interval) -> Interval:
    """The interval with nine significant digits, because the last bits of a sum depend on the processor."""
    value, low, high = map(round_off, (interval.value, interval.low, interval.high))
    return Interval(value, low, high, interval.n)


def round_off(number: float | None) -> float | None:
    """A number to nine significant digits."""
    return None if number is None else float(f"{number:.9g}")
