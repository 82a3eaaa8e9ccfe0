"""Intervals of a run's metrics, the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.metrics.intervals import IntArray, estimate
from constraintsuite.metrics.pairwise import METRICS, PairResult
from constraintsuite.records.scores import Interval


def figures(
    names: Sequence[str], results: Sequence[PairResult], clusters: IntArray, rng: np.random.Generator, draws: int
) -> dict[str, Interval]:
    """The named metrics of some results, all from the same draws."""
    metrics = [METRICS[name] for name in names]
    columns = np.column_stack([metric.column(results) for metric in metrics])
    intervals = estimate(columns, [metric.share for metric in metrics], clusters, rng=rng, draws=draws)
    return dict(zip(names, map(rounded, intervals), strict=True))


def generator(seed: int, *purpose: str) -> np.random.Generator:
    """Chance for one named purpose: what else is drawn does not change it."""
    return np.random.default_rng([seed, stable_hash("bootstrap", *purpose)])


def rounded(interval: Interval) -> Interval:
    """Nine significant digits: the last bits of a sum depend on the processor, a file must not."""
    value, low, high = map(round_off, (interval.value, interval.low, interval.high))
    return Interval(value, low, high, interval.n)


def round_off(number: float | None) -> float | None:
    """A number to nine significant digits."""
    return None if number is None else float(f"{number:.9g}")
