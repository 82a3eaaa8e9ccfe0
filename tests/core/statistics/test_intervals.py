from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import UNDEFINED, connected_components, symmetric, wilson, wilson_bounds


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


@pytest.mark.parametrize(
    ("given", "bounds"),
    [((0.5, 0.25, 0.625), (0.25, 0.75)), ((0.5, 0.375, 1.0), (0.0, 1.0)), ((0.5, None, None), (None, None))],
)
def test_symmetric_bounds_reach_as_far_as_the_further_one(
    given: tuple[float, float | None, float | None], bounds: tuple[float | None, float | None]
) -> None:
    found = symmetric(Interval(*given, 9))
    assert (found.low, found.high) == bounds
    assert (found.value, found.n) == (0.5, 9)
