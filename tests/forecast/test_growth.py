"""Growth through two sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.forecast.growth import GrowthCurve, GrowthPoint, Range, fit, through

AMOUNTS = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("small", "large", "expected"),
    [
        pytest.param((100, 3.0), (200, 5.0), GrowthCurve(1.0, 0.02), id="a line with something fixed"),
        pytest.param((100, 2.0), (200, 4.0), GrowthCurve(0.0, 0.02), id="a line through nothing"),
        pytest.param((100, 2.0), (200, 4.1), GrowthCurve(0.0, 4.1 / 200), id="a little steeper is noise"),
        pytest.param((100, 1.0), (200, 4.0), GrowthCurve(0.0, 1e-4, 2.0), id="a square"),
        pytest.param((100, 1.0), (200, 8.0), GrowthCurve(0.0, 8 / 200**2, 2.0), id="no steeper than a square"),
        pytest.param((100, 0.0), (200, 8.0), GrowthCurve(0.0, 8 / 200**2, 2.0), id="nothing at first"),
        pytest.param((100, 5.0), (200, 4.0), GrowthCurve(5.0, 0.0), id="what shrinks does not grow"),
        pytest.param((0, 1.0), (4, 3.0), GrowthCurve(1.0, 0.5), id="from no example at all"),
        pytest.param((0, 1.0), (0, 2.0), GrowthCurve(2.0, 0.0), id="never an example"),
        pytest.param((5, 1.0), (5, 2.0), GrowthCurve(0.0, 0.4), id="equal sizes"),
    ],
)
def test_two_points_give_a_growth(
    small: tuple[float, float], large: tuple[float, float], expected: GrowthCurve
) -> None:
    found = through(GrowthPoint(*small), GrowthPoint(*large))
    assert (found.fixed, found.rate, found.power) == pytest.approx((expected.fixed, expected.rate, expected.power))


@given(AMOUNTS, AMOUNTS, st.integers(1, 10_000), st.integers(2, 8))
def test_nothing_is_estimated_below_zero_or_above_a_square(y: float, more: float, size: int, factor: int) -> None:
    growth = through(GrowthPoint(size, y), GrowthPoint(size * factor, y + more))
    largest = y + more
    assert 0 <= growth.at(100 * size * factor) <= 100**2 * largest * (1 + 1e-9)


@given(st.lists(AMOUNTS, min_size=1, max_size=3), st.lists(AMOUNTS, min_size=1, max_size=3))
def test_what_is_expected_lies_in_its_range(small: list[float], large: list[float]) -> None:
    amount = fit([GrowthPoint(10, y) for y in small], [GrowthPoint(40, y) for y in large]).at(4_000)
    assert amount.low <= amount.value <= amount.high


def test_what_is_in_proportion_at_most_has_no_power() -> None:
    assert through(GrowthPoint(100, 1.0), GrowthPoint(200, 4.0), steepest=1.0) == GrowthCurve(0.0, 0.02)
    assert through(GrowthPoint(100, 3.0), GrowthPoint(200, 5.0), steepest=1.0) == GrowthCurve(1.0, 0.02)


def test_the_range_of_a_power_begins_at_proportion() -> None:
    amount = fit([GrowthPoint(100, 1.0)], [GrowthPoint(200, 4.0)]).at(2_000)
    assert amount == pytest.approx(Range(400.0, 40.0, 400.0))


def test_what_is_loaded_once_is_no_growth() -> None:
    """340 MB from 800 documents on, 300 before; and 0.01 MB a document."""
    amount = fit(
        [GrowthPoint(500, 305.0), GrowthPoint(1_000, 350.0)], [GrowthPoint(2_000, 360.0), GrowthPoint(2_000, 360.0)]
    ).at(20_000)
    assert amount.value == pytest.approx(340 + 0.01 * 20_000)
    assert amount.high > 1.5 * amount.value
