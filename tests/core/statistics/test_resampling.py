"""Means over clusters, with intervals that hold the true mean as often as they say."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import UNDEFINED, FloatArray, IntArray, wilson_bounds
from constraintsuite.core.statistics.resampling import (
    FEW_CLUSTERS,
    all_signs,
    draw_clusters,
    draw_signs,
    estimate,
    sum_by_cluster,
)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def bootstrap(values: FloatArray, clusters: IntArray, *, rng: np.random.Generator, draws: int = 2_000) -> Interval:
    """The interval of one figure that is no share, of clusters enough to be resampled."""
    assert len(np.unique(clusters)) >= FEW_CLUSTERS
    (interval,) = estimate(values[:, np.newaxis], [False], clusters, rng=rng, draws=draws)
    return interval


def test_the_bootstrap_agrees_with_one_draw_at_a_time() -> None:
    values = generator(1).random(40)
    clusters = generator(2).integers(12, size=40)
    names = np.unique(clusters)
    drawn = generator(3).integers(len(names), size=(500, len(names)))
    means = [np.concatenate([values[clusters == names[i]] for i in draw]).mean() for draw in drawn]
    interval = bootstrap(values, clusters, rng=generator(3), draws=500)
    assert interval.value == pytest.approx(values.mean())
    assert (interval.low, interval.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))


def test_without_clusters_the_bootstrap_is_near_the_normal_interval() -> None:
    values = (generator(1).random(800) < 0.35).astype(np.float64)
    interval = bootstrap(values, np.arange(800), rng=generator(), draws=4_000)
    spread = 1.96 * values.std() / math.sqrt(800)
    assert (interval.low, interval.high) == pytest.approx((values.mean() - spread, values.mean() + spread), abs=0.005)


def test_repeating_an_item_inside_its_cluster_adds_no_certainty() -> None:
    values = generator(1).random(30)
    once = bootstrap(values, np.arange(30), rng=generator())
    thrice = bootstrap(np.repeat(values, 3), np.repeat(np.arange(30), 3), rng=generator())
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    assert thrice.n == 90


def test_draws_in_blocks_are_the_draws_of_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    values, clusters = generator(1).random(50), np.arange(50)
    whole = bootstrap(values, clusters, rng=generator(), draws=100)
    monkeypatch.setattr("constraintsuite.core.statistics.resampling._CELLS", 350)  # seven draws a block
    assert bootstrap(values, clusters, rng=generator(), draws=100) == whole


def test_the_same_seed_gives_the_same_interval() -> None:
    values, clusters = generator(1).random(50), np.arange(50)
    assert bootstrap(values, clusters, rng=generator(5)) == bootstrap(values, clusters, rng=generator(5))
    assert bootstrap(values, clusters, rng=generator(5)) != bootstrap(values, clusters, rng=generator(6))


def test_a_share_that_never_varies_gets_wilsons_interval_of_its_clusters() -> None:
    values, clusters = np.ones((40, 1)), np.repeat(np.arange(20), 2)
    (interval,) = estimate(values, [True], clusters, rng=generator())
    assert (interval.value, interval.n) == (1.0, 40)
    assert (interval.low, interval.high) == pytest.approx(tuple(wilson_bounds(1.0, 20)))


@pytest.mark.parametrize("groups", range(2, FEW_CLUSTERS))
def test_a_mean_of_few_clusters_of_one_item_is_students(groups: int) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    values = generator(groups).random(groups)
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    (ours,) = estimate(values[:, np.newaxis], [False], np.arange(groups), rng=generator())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-4)


def test_few_clusters_of_equal_size_are_as_certain_as_their_means() -> None:
    values = generator(1).random((5, 20))
    one, other = (
        estimate(v.reshape(-1, 1), [False], np.repeat(np.arange(5), v.shape[1]), rng=generator())[0]
        for v in (values, values.mean(axis=1, keepdims=True))
    )
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_a_share_of_few_clusters_that_happen_to_be_alike_is_no_more_certain_than_independent_items() -> None:
    values = np.array([[1.0], [0.0]] * 20)  # a half in each of four clusters
    (interval,) = estimate(values, [True], np.repeat(np.arange(4), 10), rng=generator())
    assert (interval.low, interval.high) == pytest.approx(tuple(wilson_bounds(0.5, 40)))


def test_a_share_of_one_cluster_is_as_uncertain_as_that_of_one_item() -> None:
    (interval,) = estimate(np.array([[1.0], [0.0], [1.0]]), [True], np.zeros(3, dtype=np.int64), rng=generator())
    assert (interval.low, interval.high) == pytest.approx(tuple(wilson_bounds(2 / 3, 1)))


def test_what_no_item_has_is_undefined_and_a_gap_of_one_cluster_has_no_bounds() -> None:
    values = np.array([[np.nan, 2.0], [np.nan, 4.0]])
    nothing, gap = estimate(values, [True, False], np.array([0, 0]), rng=generator())
    assert nothing == UNDEFINED
    assert (gap.value, gap.low, gap.high, gap.n) == (3.0, None, None, 2)


def test_an_estimate_of_no_items_is_undefined() -> None:
    assert estimate(np.empty((0, 2)), [True, False], np.empty(0, dtype=np.int64), rng=generator()) == [UNDEFINED] * 2


def test_items_without_a_value_do_not_count() -> None:
    values = generator(1).random(60)
    with_gaps = np.where(np.arange(60) < 40, values, np.nan)
    interval = bootstrap(with_gaps, np.arange(60), rng=generator(), draws=4_000)
    without = bootstrap(values[:40], np.arange(40), rng=generator(), draws=4_000)
    assert (interval.value, interval.n) == (without.value, 40)
    assert (interval.low, interval.high) == pytest.approx((without.low, without.high), abs=0.02)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, math.nan]), st.integers(0, 30)), max_size=60),
    st.integers(0, 2**32),
)
def test_a_share_lies_in_its_interval_and_that_between_0_and_1(items: list[tuple[float, int]], seed: int) -> None:
    values = np.array([[value] for value, _ in items], dtype=np.float64).reshape(-1, 1)
    clusters = np.array([cluster for _, cluster in items], dtype=np.int64)
    (interval,) = estimate(values, [True], clusters, rng=generator(seed), draws=50)
    assert interval.n == int((~np.isnan(values)).sum())
    if interval.n == 0:
        assert interval == UNDEFINED
    else:
        assert interval.value is not None
        assert interval.low is not None
        assert interval.high is not None
        assert 0 <= interval.low <= interval.value <= interval.high <= 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=FEW_CLUSTERS, max_size=40), st.integers(0, 2**32))
def test_a_resampled_mean_lies_in_its_interval_and_that_between_the_extremes(numbers: list[float], seed: int) -> None:
    values = np.array(numbers)[:, np.newaxis]
    (interval,) = estimate(values, [False], np.arange(len(numbers)), rng=generator(seed), draws=50)
    assert interval.value is not None
    assert interval.low is not None
    assert interval.high is not None
    assert min(numbers) - 1e-6 <= interval.low <= interval.value <= interval.high <= max(numbers) + 1e-6


@pytest.mark.parametrize("value", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("clusters", [5, 12])
def test_values_that_are_all_the_same_are_as_certain_as_their_number(value: float, clusters: int) -> None:
    members = np.repeat(np.arange(clusters), 2)
    (found,) = estimate(np.full((2 * clusters, 1), value), [True], members, rng=generator())
    assert (found.value, found.n) == (value, 2 * clusters)
    assert (found.low, found.high) == wilson_bounds(value, clusters)


def test_all_or_nothing_is_never_surer_than_a_share() -> None:
    values = np.array([[1.0], [1.0], [1.0], [0.0]])
    (found,) = estimate(values, [True], np.array([0, 0, 1, 1]), rng=generator())
    assert found.low is not None
    assert found.low <= wilson_bounds(0.75, 4).low


def test_bounds_lie_on_the_scale() -> None:
    (found,) = estimate(np.array([[0.9], [1.0], [0.2], [0.9]]), [True], np.arange(4), rng=generator())
    assert found.high == 1.0


def test_a_column_without_values_is_undefined() -> None:
    first, second = estimate(np.array([[1.0, np.nan]]), [True, True], np.arange(1), rng=generator())
    assert (first.value, second.value, second.n) == (1.0, None, 0)


@pytest.mark.parametrize(("groups", "least"), [(4, 0.91), (8, 0.91), (12, 0.86), (40, 0.91)])
def test_intervals_hold_the_true_mean_of_clustered_items_about_as_often_as_they_say(groups: int, least: float) -> None:
    """Clusters of different sizes whose items share half of their variance; percentiles of a dozen are known to be narrow."""
    chance, runs = generator(groups), 400
    held = alone = 0
    for _ in range(runs):
        clusters = np.repeat(np.arange(groups), chance.integers(1, 7, size=groups))
        values = (chance.normal(size=groups)[clusters] + chance.normal(size=len(clusters)))[:, np.newaxis]
        for members in (clusters, np.arange(len(clusters))):
            (found,) = estimate(values, [False], members, rng=chance, draws=300)
            assert found.low is not None
            assert found.high is not None
            covered = found.low <= 0 <= found.high
            held, alone = (held + covered, alone) if members is clusters else (held, alone + covered)
    assert least <= held / runs <= 0.98
    assert alone < held  # items taken as independent would promise too much


@pytest.mark.parametrize("groups", [4, 20])
def test_intervals_hold_the_true_share_of_clustered_items_about_as_often_as_they_say(groups: int) -> None:
    """Also where nearly all items agree, which is where draws alone would be too certain."""
    chance, runs = generator(groups), 400
    held = 0
    for _ in range(runs):
        clusters = np.repeat(np.arange(groups), 3)
        likely = chance.beta(4.5, 0.5, size=groups)[clusters]  # 0.9 on average, and alike within a cluster
        values = (chance.random(len(clusters)) < likely).astype(np.float64)[:, np.newaxis]
        (found,) = estimate(values, [True], clusters, rng=chance, draws=300)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.9 <= found.high
    assert held / runs >= 0.86


@pytest.mark.parametrize("groups", [2, 3, 4])
def test_clusters_are_drawn_as_often_as_enumeration_says(groups: int) -> None:
    every = np.array([np.bincount(draw, minlength=groups) for draw in product(range(groups), repeat=groups)])
    drawn = np.concatenate(list(draw_clusters(groups, generator(groups), 40_000)))
    assert (drawn.sum(axis=1) == groups).all()
    rows, counts = np.unique(every, axis=0, return_counts=True)
    for row, count in zip(rows, counts, strict=True):
        assert (drawn == row).all(axis=1).mean() == pytest.approx(count / len(every), abs=0.01)


@pytest.mark.parametrize("groups", [1, 2, 5])
def test_all_signs_and_their_opposites_are_every_row_once(groups: int) -> None:
    rows = all_signs(groups).tolist()
    both = {tuple(row) for row in rows} | {tuple(-sign for sign in row) for row in rows}
    assert both == set(product((1.0, -1.0), repeat=groups))
    assert len(rows) == 2 ** (groups - 1)


def test_random_signs_are_fair_and_within_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraintsuite.core.statistics.resampling._CELLS", 400)
    blocks = list(draw_signs(20, generator(), 1_000))
    assert {block.shape for block in blocks} == {(20, 20)}
    signs = np.concatenate(blocks)
    assert set(np.unique(signs).tolist()) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=0)).max() < 0.15


def test_wide_statistics_are_drawn_in_smaller_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraintsuite.core.statistics.resampling._CELLS", 400)
    assert [len(block) for block in draw_clusters(10, generator(), 50, width=20)] == [20, 20, 10]


def test_sums_are_in_the_order_of_the_clusters_numbers() -> None:
    found = sum_by_cluster(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([7, 3, 7]))
    assert found.tolist() == [[3.0, 4.0], [6.0, 8.0]]
