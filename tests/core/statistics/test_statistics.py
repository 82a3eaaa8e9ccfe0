"""Intervals of figures that are neither means nor ratios of means, such as a difference of groups or a correlation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import FloatArray, IntArray
from constraintsuite.core.statistics.resampling import (
    estimate,
    estimate_statistic,
    jackknife,
    per_draw,
    ratios_of_means,
)

RNG = np.random.default_rng


def mean(sums: FloatArray) -> FloatArray:
    found: FloatArray = sums[:, 0] / sums[:, 1]
    return found


def of(values: FloatArray, below: FloatArray, clusters: IntArray) -> Interval:
    return estimate_statistic(np.stack([values, below], axis=1), mean, clusters, rng=RNG(0))


def test_the_mean_of_few_clusters_has_student_s_interval() -> None:
    values, clusters = RNG(1).normal(size=24), np.repeat(np.arange(6), 4)
    (expected,) = estimate(values[:, None], [False], clusters, rng=RNG(0))
    found = of(values, np.ones(24), clusters)
    assert found.n == 24
    assert [found.value, found.low, found.high] == pytest.approx([expected.value, expected.low, expected.high])


@pytest.mark.parametrize("groups", [8, 40])
def test_a_ratio_is_near_what_ratios_of_means_say(groups: int) -> None:
    clusters = np.repeat(np.arange(groups), 3)
    below = RNG(2).normal(3, 0.5, size=len(clusters))
    values = 0.5 * below + RNG(3).normal(0, 0.3, size=len(clusters))
    (expected,) = ratios_of_means(values[:, None], below[:, None], clusters, rng=RNG(0))
    found = of(values, below, clusters)
    assert [found.value, found.low, found.high] == pytest.approx(
        [expected.value, expected.low, expected.high], abs=0.02
    )


def test_one_cluster_has_no_bounds() -> None:
    assert of(np.array([1.0, 2.0]), np.ones(2), np.zeros(2, dtype=np.int64)) == Interval(1.5, None, None, 2)


def test_a_share_of_nothing_is_undefined() -> None:
    assert of(np.ones(3), np.zeros(3), np.arange(3)) == Interval(None, None, None, 3)


def test_no_contrasts_at_all() -> None:
    assert of(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)) == Interval(None, None, None, 0)


def test_draws_are_those_of_the_mean() -> None:
    """So a figure and the mean beside it are uncertain in the same way."""
    values, clusters = RNG(1).normal(size=60), np.arange(60) // 3
    (expected,) = estimate(values[:, None], [False], clusters, rng=RNG(0))
    found = of(values, np.ones(60), clusters)
    assert [found.value, found.low, found.high] == pytest.approx([expected.value, expected.low, expected.high])


def test_a_statistic_that_many_draws_leave_undefined_has_no_bounds() -> None:
    only = np.zeros(40)
    only[0] = 1.0  # every third draw misses it
    found = estimate_statistic(np.stack([only, only], axis=1), mean, np.arange(40), rng=RNG(0))
    assert found == Interval(1.0, None, None, 40)


def test_the_jackknife_of_a_variance_is_its_textbook_formula() -> None:
    values = RNG(3).normal(size=9)
    without = np.array([np.delete(values, i).var(ddof=1) for i in range(9)])
    pseudo = 9 * values.var(ddof=1) - 8 * without
    assert pseudo.mean() == pytest.approx(values.var(ddof=1))  # which has no bias to take away
    half = 2.3060 * pseudo.std(ddof=1) / 3
    found = jackknife(float(values.var(ddof=1)), without, 9, rng=RNG(0))
    assert [found.low, found.high] == pytest.approx([values.var(ddof=1) - half, values.var(ddof=1) + half])


@pytest.mark.parametrize("without", [[1.0], [1.0, math.nan], [1.0, math.inf]])
def test_a_jackknife_that_lacks_a_value_has_no_bounds(without: list[float]) -> None:
    assert jackknife(2.0, np.array(without), 7, rng=RNG(0)) == Interval(2.0, None, None, 7)


def test_parts_of_a_draw_are_compared_and_none_is_undefined() -> None:
    statistic = per_draw(lambda a, b: None if a[0] == 0 else float(a @ b), 2)
    found = statistic(np.array([[1.0, 2.0, 3.0, 4.0], [0.0, 2.0, 3.0, 4.0]]))
    assert found[0] == 11
    assert np.isnan(found[1])
