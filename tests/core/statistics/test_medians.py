from __future__ import annotations

import math

import numpy as np
import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import UNDEFINED
from constraintsuite.core.statistics.resampling import cluster_median

BEYOND = math.inf


def median(values: list[float], clusters: list[int] | None = None) -> Interval:
    numbers = np.arange(len(values)) if clusters is None else np.array(clusters)
    return cluster_median(np.array(values), numbers, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("values", "value", "n"),
    [
        ([3, 1, 2], 2, 3),
        ([1, 2, 3, 4], 2, 4),  # the lower of the two in the middle
        ([1, math.nan, 9], 1, 2),
        ([1, 5, BEYOND], 5, 3),
        ([1, BEYOND, BEYOND], None, 3),
    ],
)
def test_the_median_counts_what_lies_beyond_but_has_no_value_there(
    values: list[float], value: float | None, n: int
) -> None:
    assert median(values) == Interval(value, None, None, n)


def test_without_values_it_is_undefined() -> None:
    assert median([math.nan, math.nan]) == UNDEFINED
    assert median([]) == UNDEFINED


def test_bounds_are_percentiles_of_resampled_medians() -> None:
    """Of 101 different values the median's order statistic is binomial: about 40 to 62 with 95 %."""
    interval = median([float(i) for i in range(1, 102)])
    assert interval.value == 51
    assert interval.low is not None
    assert interval.high is not None
    assert 39 <= interval.low <= 43
    assert 59 <= interval.high <= 63


def test_a_bound_may_lie_beyond() -> None:
    interval = median([1.0] * 7 + [BEYOND] * 6)
    assert (interval.value, interval.low, interval.high) == (1.0, 1.0, None)


def test_whole_clusters_are_drawn() -> None:
    """Ten clusters that agree within: far less is known than from a hundred single values."""
    values = [float(i) for i in range(10) for _ in range(10)]
    alone = median(values)
    joined = median(values, [i for i in range(10) for _ in range(10)])
    assert alone.low is not None
    assert joined.low is not None
    assert joined.low < alone.low


def test_the_same_chance_gives_the_same_bounds() -> None:
    values = [float(i % 17) for i in range(40)]
    assert median(values) == median(values)
