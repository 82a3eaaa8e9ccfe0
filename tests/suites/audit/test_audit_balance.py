from __future__ import annotations

from statistics import stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.records.examples import Example, PoolPlace
from constraintsuite.core.store.jsonl import adapter, encode
from constraintsuite.suites.audit.balance import FEATURES, balance, standardised_difference
from constraintsuite.suites.audit.results import BalanceRow
from suites.audit.audit_factory import couples, make_example

VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=20)


def _row(examples: list[Example], feature: str) -> BalanceRow:
    return next(row for row in balance(examples) if (row.slice, row.feature) == ("explicit", feature))


def test_the_difference_is_in_standard_deviations() -> None:
    one, other = [10.0, 12.0, 14.0], [9.0, 10.0, 11.0]
    pooled = ((stdev(one) ** 2 + stdev(other) ** 2) / 2) ** 0.5
    assert standardised_difference(one, other) == pytest.approx(2 / pooled) == pytest.approx(1.2649, abs=1e-4)


@given(VALUES, VALUES)
def test_exchanging_the_sides_changes_the_sign(one: list[float], other: list[float]) -> None:
    forth, back = standardised_difference(one, other), standardised_difference(other, one)
    assert forth == (None if back is None else -back)


@given(VALUES)
def test_the_same_values_in_another_order_differ_by_exactly_nothing(values: list[float]) -> None:
    assert standardised_difference(values, values[::-1]) in (0.0, None)


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=2, max_size=20))
def test_it_agrees_with_numpy(pairs: list[tuple[float, float]]) -> None:
    one, other = np.array(pairs).T
    spread = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / 2)
    if spread > 1e-6:
        expected = (one.mean() - other.mean()) / spread
        assert standardised_difference(one.tolist(), other.tolist()) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("feature", "satisfying", "violating"),
    [
        ("length in words", 3, 2),
        ("sentences", 2, 1),
        ("negation words", 1, 0),
        ("topic terms held", 1, 0),
        ("BM25 score for the topic", 2.5, 1.5),
        ("rank in the pool", 4, 9),
    ],
)
def test_each_feature_is_measured_on_both_documents(feature: str, satisfying: float, violating: float) -> None:
    places = (PoolPlace(4, 2.5), PoolPlace(9, 1.5))
    example = make_example(0, "Cake! Not bread.", "plain bread.", cues=(("not",), ()), places=places)
    row = _row([example], feature)
    assert (row.n, row.mean_satisfying, row.mean_violating, row.smd) == (1, satisfying, violating, None)
    assert not row.flagged  # one example says nothing


def test_what_is_past_the_end_of_the_pool_is_left_out() -> None:
    ranks = [(1, 2), (3, None), (None, None), (2, 4)]
    examples = [
        make_example(i, "a", "b", places=(PoolPlace(good), PoolPlace(bad))) for i, (good, bad) in enumerate(ranks)
    ]
    row = _row(examples, "rank in the pool")
    assert (row.n, row.mean_satisfying, row.mean_violating, row.flagged) == (2, 1.5, 3.0, True)
    assert _row(examples, "BM25 score for the topic") == BalanceRow(
        "explicit", "BM25 score for the topic", 0, None, None, None, flagged=False
    )


def test_two_different_constants_are_flagged_though_nothing_varies() -> None:
    examples = [make_example(i, "a", "b", cues=(("not",), ())) for i in range(5)]
    row = _row(examples, "negation words")
    assert (row.smd, row.flagged) == (None, True)


def test_a_length_leak_is_flagged_and_whole_couples_are_in_balance() -> None:
    longer = [make_example(i, "a b c" + " d" * (i % 3), "a b" + " d" * (i % 3)) for i in range(9)]
    assert _row(longer, "length in words").flagged
    rows = [row for row in balance(couples(20)) if row.feature != "rank in the pool"]
    assert [row for row in rows if row.flagged or row.smd not in (0.0, None)] == []


def test_every_slice_has_every_feature() -> None:
    rows = balance([*couples(2), *couples(2, slice="omission")])
    slices = ["all", "explicit", "omission"]
    assert [(row.slice, row.feature) for row in rows] == [(name, feature) for name in slices for feature in FEATURES]


def test_rows_survive_json() -> None:
    for row in balance(couples(2)):
        assert adapter(BalanceRow).validate_json(encode(row)) == row
