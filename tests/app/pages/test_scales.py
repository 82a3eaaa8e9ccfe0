"""Axes: round labels that stand apart, and every value inside."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.app.pages.drawings.scales import CERTAIN, make_ruler, round_steps
from constraintsuite.core.records.plots import AxisScale


@pytest.mark.parametrize(
    ("scale", "values", "labels"),
    [
        ("log", [120, 900], ["100", "200", "500", "1,000"]),
        ("log", [3, 40_000], ["10", "100", "1,000", "10,000"]),
        ("log", [500], ["500", "1,000"]),
        ("log", [300_000, 4_000_000], ["200,000", "500,000", "1M", "2M", "5M"]),
        ("log", [0.002, 0.004], ["0.002", "0.005"]),
        ("linear", [0.354, 0.441], ["0.34", "0.36", "0.38", "0.40", "0.42", "0.44", "0.46"]),
        ("linear", [0, 1], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ("count", [0, 2], ["0", "1", "2"]),
        ("count", [1, 20], ["1", "6", "11", "16"]),
        ("count", [4], ["4", "5"]),
        ("share", [0.354, 0.441], ["34", "36", "38", "40", "42", "44", "46"]),
        ("logit", [0.2, 0.99], ["10", "30", "50", "70", "90", "99", "100"]),
        ("logit", [1.0], ["90", "95", "99", "99.9", "100"]),
    ],
)
def test_labels_are_round(scale: AxisScale, values: list[float], labels: list[str]) -> None:
    assert [label for _, label in make_ruler(scale, values).ticks] == labels


def test_steps_are_1_2_5() -> None:
    assert round_steps(0.2, 50) == [0.2, 0.5, 1, 2, 5, 10, 20, 50]


def test_a_logit_has_an_edge_that_stands_for_one() -> None:
    ruler = make_ruler("logit", [0.0, 0.5, 1.0])
    assert (ruler.place(0.0), ruler.place(CERTAIN), ruler.place(1.0)) == (0.0, 1.0, 1.0)


@given(
    st.sampled_from(["logit", "log", "linear"]),
    st.lists(st.floats(1e-4, 1, allow_nan=False), min_size=1, max_size=6),
    st.sampled_from([1.0, 1e6]),
)
def test_values_lie_inside_and_in_order_and_labels_apart(scale: AxisScale, values: list[float], times: float) -> None:
    values = sorted(values if scale == "logit" else [times * value for value in values])
    ruler = make_ruler(scale, values)
    places = [ruler.place(value) for value in values]
    assert places == sorted(places)
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    labelled = [place for place, _ in ruler.ticks]
    assert len(labelled) >= 2
    assert all(b - a > 0.08 for a, b in pairwise(labelled))
