"""Intervals of a run's metrics, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.metrics.intervals import IntArray
from constraintsuite.metrics.pairwise import METRICS, PairResult
from constraintsuite.metrics.resampling import estimate
from constraintsuite.records.scores import Interval


def figures(
    names: Sequence[str], results: Sequence[PairResult], clusters: IntArray, *, seed: int, draws: int
) -> dict[str, Interval]:
    """The named metrics of some results, all from the same draws, which depend on the seed and the examples alone."""
    metrics = [METRICS[name] for name in names]
    columns = np.column_stack([metric.column(results) for metric in metrics])
    rng = generator(seed, [result.id for result in results])
    intervals = estimate(columns, [metric.share for metric in metrics], clusters, rng=rng, draws=draws)
    return dict(zip(names, map(rounded, intervals), strict=True))


def generator(seed: int, ids: Iterable[str]) -> np.random.Generator:
    """Chance keyed by what is resampled: the same examples have the same interval in every table, whatever it is called."""
    return np.random.default_rng([seed, stable_hash("bootstrap", *ids)])


def rounded(interval: Interval) -> Interval:
    """Nine significant digits: the last bits of a sum depend on the processor, a file must not."""
    value, low, high = map(round_off, (interval.value, interval.low, interval.high))
    return Interval(value, low, high, interval.n)


def round_off(number: float | None) -> float | None:
    """A number to nine significant digits."""
    return None if number is None else float(f"{number:.9g}")
