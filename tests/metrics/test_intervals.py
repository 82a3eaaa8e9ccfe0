from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.metrics.intervals import (
    FEW_CLUSTERS,
    UNDEFINED,
    connected_components,
    estimate,
    wilson,
    wilson_bounds,
)
from constraintsuite.records.scores import Interval

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def bootstrap(values: FloatArray, clusters: IntArray, *, rng: np.random.Generator, draws: int = 2_000) -> Interval:
    """The interval of one figure that is no share, of clusters enough to be resampled."""
    assert len(np.unique(clusters)) >= FEW_CLUSTERS
    (interval,) = estimate(values[:, np.newaxis], [False], clusters, rng=rng, draws=draws)
    return interval


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (10, 10, 0.7225, 1.0),  # ten of ten is no better than 72 %
        (0, 10, 0.0, 0.2775),
        (49, 50, 0.8950, 0.9965),
    ],
)
def test_wilson_gives_the_known_bounds(right: int, n: int, low: float, high: float) -> None:
    interval = wilson(right, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    assert (interval.value, interval.n) == (right / n, n)


@given(st.integers(1, 400), st.data())
def test_wilson_agrees_with_scipy(n: int, data: st.DataObject) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    right = data.draw(st.integers(0, n))
    theirs = stats.binomtest(right, n).proportion_ci(method="wilson")
    ours = wilson(right, n)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_wilson_of_nothing_is_undefined() -> None:
    assert wilson(0, 0) == UNDEFINED


@given(st.integers(1, 500), st.data())
def test_wilson_bounds_are_where_the_score_test_turns(n: int, data: st.DataObject) -> None:
    share = data.draw(st.integers(1, max(1, n - 1))) / n
    for bound in wilson_bounds(share, n):
        assert abs(share - bound) == pytest.approx(1.959964 * math.sqrt(bound * (1 - bound) / n), abs=1e-6)


@pytest.mark.parametrize(
    ("links", "components"),
    [
        ([], []),
        ([[], [], []], [0, 1, 2]),
        ([["a"], ["b"], ["a"]], [0, 1, 0]),
        ([["a", "b"], ["c"], ["b", "d"], ["d", "c"], ["e"]], [0, 0, 0, 0, 1]),  # a chain from first to fourth
        ([["a"], ["b"], ["c"], ["c", "a"]], [0, 1, 0, 0]),  # joined late
    ],
)
def test_items_in_a_chain_of_shared_links_are_one_component(links: list[list[str]], components: list[int]) -> None:
    assert connected_components(links).tolist() == components


@given(st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=3), max_size=12))
def test_components_agree_with_a_search_through_the_links(links: list[set[str]]) -> None:
    numbers = connected_components(links).tolist()
    for start in range(len(links)):
        reached = {start}
        while more := {j for i in reached for j in range(len(links)) if links[i] & links[j]} - reached:
            reached |= more
        assert reached == {i for i, number in enumerate(numbers) if number == numbers[start]}


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
    monkeypatch.setattr("constraintsuite.metrics.intervals._CELLS", 350)  # seven draws a block
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
