from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.mechanism.circuits.resampling import resample
from constraintsuite.mechanism.effects.ratios import ratios_of_means
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.metrics.intervals import IntArray, estimate
from constraintsuite.records.scores import Interval

RNG = np.random.default_rng


def mean(sums: FloatArray) -> FloatArray:
    found: FloatArray = sums[:, 0] / sums[:, 1]
    return found


def of(values: FloatArray, below: FloatArray, clusters: IntArray) -> Interval:
    return resample(clusters, RNG(0)).interval(np.stack([values, below], axis=1), mean)


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
