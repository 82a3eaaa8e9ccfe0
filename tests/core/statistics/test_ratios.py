from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.core.statistics.resampling import ratios_of_means

NAN = float("nan")


def test_the_ratio_is_of_means_and_not_the_mean_of_ratios() -> None:
    (ratio,) = ratios_of_means(
        np.array([[1.0], [0.0]] * 6), np.array([[1.0], [9.0]] * 6), np.arange(12), rng=np.random.default_rng(0)
    )
    assert ratio.value == pytest.approx(0.1)  # the mean of ratios would be 0.5


def test_items_without_a_value_count_neither_above_nor_below() -> None:
    first, second = ratios_of_means(
        np.array([[1.0, 1.0], [NAN, 3.0]]), np.full((2, 2), 2.0), np.arange(2), rng=np.random.default_rng(0)
    )
    assert (first.value, first.n) == (0.5, 1)
    assert (second.value, second.n) == (1.0, 2)


def test_without_a_difference_to_recover_there_is_no_ratio() -> None:
    (ratio,) = ratios_of_means(np.ones((3, 1)), np.zeros((3, 1)), np.arange(3), rng=np.random.default_rng(0))
    assert (ratio.value, ratio.n) == (None, 3)


@pytest.mark.parametrize("clusters", [6, 40])
@pytest.mark.parametrize(("mean", "has_ratio"), [(0.1, False), (3.0, True)])
def test_a_difference_that_cannot_be_told_from_none_has_no_ratio(clusters: int, mean: float, has_ratio: bool) -> None:
    spread = np.linspace(-1, 1, clusters)[:, None]
    (ratio,) = ratios_of_means(np.ones((clusters, 1)), mean + spread, np.arange(clusters), rng=np.random.default_rng(0))
    assert (ratio.value is not None, ratio.low is not None, ratio.n) == (has_ratio, has_ratio, clusters)


@pytest.mark.parametrize("clusters", [6, 40])
def test_intervals_hold_the_true_ratio_about_as_often_as_they_say(clusters: int) -> None:
    chance, held = np.random.default_rng(1), 0
    for _ in range(200):
        bottom = chance.normal(2, 0.5, (clusters, 1))
        top = 0.3 * bottom + chance.normal(0, 0.3, (clusters, 1))
        (ratio,) = ratios_of_means(top, bottom, np.arange(clusters), rng=chance, draws=400)
        assert ratio.low is not None
        assert ratio.high is not None
        held += ratio.low <= 0.3 <= ratio.high
    assert 175 <= held <= 200  # 95 % of 200 is 190


def test_items_of_one_cluster_are_drawn_together() -> None:
    chance = np.random.default_rng(0)
    bottom, top = np.ones((60, 1)), np.repeat(chance.normal(0, 1, 12), 5)[:, None]
    apart, together = (
        ratios_of_means(top, bottom, clusters, rng=np.random.default_rng(0))[0]
        for clusters in (np.arange(60), np.repeat(np.arange(12), 5))
    )
    assert together.low is not None
    assert apart.low is not None
    assert together.low < apart.low
