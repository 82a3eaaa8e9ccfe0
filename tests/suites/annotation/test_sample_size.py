"""How many more items it takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import wilson, wilson_bounds
from constraintsuite.suites.annotation.sample_size import items_needed


def counted_up(right: int, n: int, claim: float) -> int:
    """Further items that are all right, one by one, until the bound is reached."""
    return next(m for m in range(10_000) if wilson_bounds((right + m) / (n + m), n + m).low >= claim)


@pytest.mark.parametrize(
    ("right", "n", "at_this_rate"),
    [(35, 35, 0), (34, 34, 1), (90, 100, None), (50, 100, None), (95, 100, 39)],  # 35 / (35 + z^2) is 0.901
)
def test_independent_items(right: int, n: int, at_this_rate: int | None) -> None:
    found = items_needed(wilson(right, n), 0.9)
    assert (found.at_this_rate, found.at_best) == (at_this_rate, counted_up(right, n, 0.9))


@given(st.integers(1, 400), st.data(), st.sampled_from([0.8, 0.9, 0.95]))
def test_so_many_more_do_and_one_less_does_not(n: int, data: st.DataObject, claim: float) -> None:
    right = data.draw(st.integers(0, n))
    found = items_needed(wilson(right, n), claim)
    if found.at_this_rate:
        whole = n + found.at_this_rate
        assert wilson_bounds(right / n, whole + 1e-6).low >= claim - 1e-9
        assert wilson_bounds(right / n, whole - 1).low < claim
    if found.at_best:
        assert wilson_bounds((right + found.at_best) / (n + found.at_best), n + found.at_best).low >= claim - 1e-6


def test_clustered_items_are_worth_less() -> None:
    independent, clustered = wilson(40, 40), Interval(1.0, wilson_bounds(1.0, 10).low, 1.0, 40)
    assert items_needed(independent, 0.9).at_this_rate == 0
    assert (
        items_needed(clustered, 0.9).at_this_rate == 99
    )  # 35 clusters of four, of which ten are there: (34.6 - 10) x 4


def test_without_bounds_nothing_is_known() -> None:
    found = items_needed(Interval(0.9, None, None, 5))
    assert (found.at_this_rate, found.at_best) == (None, None)
    assert "too little is known" in str(found)
