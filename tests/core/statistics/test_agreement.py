"""Agreement: published examples, the definitions written out, and what must be undefined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.statistics.agreement import Agreement, AnswerScale, agreement, jaccard_distance, masi_distance
from constraintsuite.core.statistics.intervals import wilson_bounds

Items = list[Mapping[str, Hashable]]

KRIPPENDORFF_2011 = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def by_columns(table: str) -> Items:
    rows = [line.split() for line in table.split("\n") if line]
    return [{f"observer {i}": int(row[j]) for i, row in enumerate(rows) if row[j] != "."} for j in range(len(rows[0]))]


def cross_table(cells: Mapping[tuple[str, str], int]) -> Items:
    return [{"a": a, "b": b} for (a, b), count in cells.items() for _ in range(count)]


def measure(
    items: Sequence[Mapping[str, Hashable]], scale: AnswerScale = "nominal", options: Sequence[Hashable] = ()
) -> Agreement:
    return agreement(items, scale, rng=np.random.default_rng(0), options=options, draws=200)


@pytest.mark.parametrize(("scale", "published"), [("nominal", 0.743), ("ordinal", 0.815)])
def test_krippendorffs_own_example(scale: AnswerScale, published: float) -> None:
    found = measure(by_columns(KRIPPENDORFF_2011), scale, options=(1, 2, 3, 4, 5)).alpha
    assert found.value == pytest.approx(published, abs=5e-4)
    assert found.n == 11  # the twelfth unit has one value, which nothing can agree with


def test_gwets_figures_of_the_same_four_raters() -> None:
    found = measure(by_columns(KRIPPENDORFF_2011))
    assert found.ac1.value == pytest.approx(0.77544, abs=5e-6)
    assert found.raw.value == pytest.approx(0.81818, abs=5e-6)


def test_gwets_table_of_high_agreement_and_low_kappa() -> None:
    found = measure(cross_table({("+", "+"): 118, ("+", "-"): 5, ("-", "+"): 2}))
    assert found.raw.value == pytest.approx(0.944)
    assert found.kappa.value == pytest.approx(-0.0234, abs=5e-5)
    assert found.ac1.value == pytest.approx(0.9408, abs=5e-5)


def test_cohens_kappa_by_hand() -> None:
    found = measure(cross_table({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}))
    assert found.kappa.value == pytest.approx(0.4)  # (0.7 - 0.5) / (1 - 0.5)


def test_sets_by_hand() -> None:
    love, slime, both = frozenset({"love", "gifts"}), frozenset({"slime"}), frozenset({"slime", "gaming"})
    items = [{"inky": love, "blinky": love, "sue": love}, {"inky": both, "blinky": slime, "sue": both}]
    assert measure(items, "jaccard").alpha.value == pytest.approx(0.75)  # 1 - (1/6) / (20/30)
    assert measure(items, "masi").alpha.value == pytest.approx(1 - (2 / 9) / (62 / 90))


@pytest.mark.parametrize(
    ("one", "other", "jaccard", "masi"),
    [
        ({1, 2}, {1, 2}, 0, 0),
        ({1, 2}, {1, 2, 3, 4}, 1 / 2, 2 / 3),
        ({1, 2}, {2, 3}, 2 / 3, 8 / 9),
        ({1}, {2}, 1, 1),
        (set(), set(), 0, 0),
        (set(), {1}, 1, 1),
    ],
)
def test_distances_of_sets(one: set[int], other: set[int], jaccard: float, masi: float) -> None:
    assert jaccard_distance(one, other) == pytest.approx(jaccard)
    assert masi_distance(one, other) == pytest.approx(masi)


def alpha_by_definition(
    items: Sequence[Mapping[str, Hashable]], distance: Callable[[Hashable, Hashable], float]
) -> float:
    """Every ordered pair within items against every ordered pair of all values."""
    kept = [list(item.values()) for item in items if len(item) > 1]
    values = [value for item in kept for value in item]
    within = sum(distance(a, b) / (len(item) - 1) for item in kept for a, b in permutations(item, 2)) / len(values)
    anyhow = sum(distance(a, b) for a, b in permutations(values, 2)) / (len(values) * (len(values) - 1))
    return 1 - within / anyhow


def ac1_by_definition(items: Sequence[Mapping[str, Hashable]], categories: int) -> float:
    shares: Counter[Hashable] = Counter()
    agreed, pairs = Fraction(0), 0
    for item in items:
        values = list(item.values())
        for value in values:
            shares[value] += Fraction(1, len(values))  # type: ignore[assignment]
        if len(values) > 1:
            agreed += Fraction(sum(a == b for a, b in permutations(values, 2)), len(values) * (len(values) - 1))
            pairs += 1
    answered = sum(bool(item) for item in items)
    chance = sum(share / answered * (1 - share / answered) for share in shares.values()) / (categories - 1)
    return float((agreed / pairs - chance) / (1 - chance))


ratings = st.lists(
    st.dictionaries(st.sampled_from(["ann", "bob", "cy", "di"]), st.sampled_from(["x", "y", "z"]), min_size=1),
    min_size=2,
    max_size=12,
).filter(
    lambda items: sum(len(i) > 1 for i in items) > 0 and len({v for i in items if len(i) > 1 for v in i.values()}) > 1
)


@given(ratings)
def test_alpha_and_ac1_are_their_definitions(items: Items) -> None:
    found = agreement(items, rng=np.random.default_rng(0), options=("x", "y", "z"), draws=10)
    assert found.alpha.value == pytest.approx(alpha_by_definition(items, lambda a, b: float(a != b)))
    assert found.ac1.value == pytest.approx(ac1_by_definition(items, 3))


@given(ratings)
def test_alpha_of_sets_is_its_definition(items: Items) -> None:
    sets = {"x": frozenset("pq"), "y": frozenset("q"), "z": frozenset("rs")}
    as_sets = [{name: sets[str(value)] for name, value in item.items()} for item in items]
    found = agreement(as_sets, "masi", rng=np.random.default_rng(0), draws=10)
    expected = alpha_by_definition(as_sets, masi_distance)  # type: ignore[arg-type]
    assert found.alpha.value == pytest.approx(expected)


def test_kappa_is_of_two_people_only() -> None:
    assert measure(by_columns(KRIPPENDORFF_2011)).kappa.value is None


def test_one_value_for_all_leaves_nothing_to_correct() -> None:
    found = measure([{"a": "yes", "b": "yes"}] * 20)
    assert found.raw.value == 1
    assert (found.kappa.value, found.alpha.value, found.ac1.value) == (None, None, None)


def test_one_value_of_two_options_still_has_an_ac1() -> None:
    assert measure([{"a": "yes", "b": "yes"}] * 20, options=("yes", "no")).ac1.value == 1


def test_nobody_answered_twice() -> None:
    found = measure([{"a": "yes"}, {"b": "no"}])
    assert (found.raw.value, found.alpha.value, found.alpha.n) == (None, None, 0)


def test_no_items() -> None:
    assert measure([]).alpha.value is None


def test_ten_of_ten_are_not_certain() -> None:
    found = measure(cross_table({("y", "y"): 5, ("n", "n"): 5}))
    assert found.alpha.value == 1
    assert found.alpha.low is not None
    assert found.alpha.low < 0.6


def test_of_few_items_the_jackknife_gives_the_bounds() -> None:
    cells = {("y", "y"): 4, ("n", "n"): 3, ("y", "n"): 1}
    items = cross_table(cells)
    found = measure(items).alpha
    assert found.value is not None
    others = [alpha_by_definition(items[:i] + items[i + 1 :], lambda a, b: float(a != b)) for i in range(8)]
    pseudo = [8 * found.value - 7 * other for other in others]
    half = 2.3646 * np.std(pseudo, ddof=1) / np.sqrt(8)  # Student's t of 7 degrees of freedom
    by_chance = 2 * 9 * 7 / (16 * 15)  # how often two of all 16 answers differ
    independent = 1 - (1 - wilson_bounds(7 / 8, 8).low) / by_chance
    assert found.low == pytest.approx(min(found.value - half, independent))
    assert found.high == 1  # a coefficient ends there


def test_one_cluster_has_no_bounds() -> None:
    items = cross_table({("y", "y"): 4, ("n", "n"): 3, ("y", "n"): 1})
    found = agreement(items, rng=np.random.default_rng(0), clusters=np.zeros(8, dtype=np.int64)).alpha
    assert (found.low, found.high) == (None, None)


def test_a_coefficient_that_many_draws_leave_undefined_has_no_bounds() -> None:
    found = measure(cross_table({("y", "y"): 49, ("y", "n"): 1})).alpha  # every third draw misses the only "n"
    assert found.low is None


def test_the_interval_covers_its_value_and_is_the_same_each_time() -> None:
    items = cross_table({("y", "y"): 30, ("y", "n"): 6, ("n", "y"): 4, ("n", "n"): 20})
    first = measure(items).alpha
    assert first.value is not None
    assert first.low is not None
    assert first.high is not None
    assert first.low < first.value < first.high
    assert measure(items).alpha == first


def test_items_of_one_document_are_resampled_together() -> None:
    items = cross_table({("y", "y"): 30, ("y", "n"): 10, ("n", "n"): 20})
    alone = agreement(items, rng=np.random.default_rng(0), draws=500).raw
    grouped = agreement(items, rng=np.random.default_rng(0), draws=500, clusters=np.arange(60) // 5).raw
    assert alone.low is not None
    assert grouped.low is not None
    assert grouped.low < alone.low


def test_sets_are_categories_where_all_of_them_are_known() -> None:
    both, none = frozenset("pq"), frozenset[str]()
    options = [none, frozenset("p"), frozenset("q"), both]
    found = measure([{"a": both, "b": both}] * 20, "jaccard", options)
    assert found.ac1.value == 1
    assert measure([{"a": both, "b": both}] * 20, "jaccard").ac1.value is None
