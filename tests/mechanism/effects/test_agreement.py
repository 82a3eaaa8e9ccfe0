from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.mechanism.effects.agreement import PatchSelection, choose_patches, compare_estimates, spearman
from mechanism.effects.made import effects, grid

PLACES = [(f"L{layer}.H{head}", "all") for layer in range(5) for head in range(4)]


def test_the_strongest_and_some_of_the_rest_are_chosen() -> None:
    values = [[float(i) * (-1) ** i] for i in range(20)]
    choice = choose_patches([effects(grid(values, base=[0], donor=[1], patches=PLACES))], 0.2, 0.1, seed=0)
    assert choice.top == (PLACES[19], PLACES[18], PLACES[17], PLACES[16])
    assert len(choice.random) == 2
    assert not set(choice.top) & set(choice.random)
    assert choice.candidates == 20


def test_a_place_that_is_strong_in_either_direction_is_chosen() -> None:
    weak = [[0.0]] * 19
    one = grid([[9.0], *weak], base=[0], donor=[1], patches=PLACES)
    other = grid([*weak, [-8.0]], base=[0], donor=[1], patches=PLACES, direction="denoising")
    assert choose_patches([effects(one, other)], 0.1, 0.0, seed=0).top == (PLACES[0], PLACES[19])


def test_a_place_that_is_strong_on_either_side_is_chosen() -> None:
    """Over both sides at once these two would come to nothing."""
    sides = [effects(grid([[sign * 9.0], [1.0]], base=[0], donor=[1], patches=PLACES[:2])) for sign in (1, -1)]
    assert choose_patches(sides, 0.5, 0.0, seed=0).top == (PLACES[0],)


def test_sides_are_compared_for_themselves() -> None:
    values = [[1.0], [-2.0], [0.5]]
    right, wrong = (effects(grid(some, base=[0], donor=[1], patches=PLACES[:3])) for some in (values, values[::-1]))
    choice = PatchSelection(tuple(PLACES[:3]), (), 3)
    found = compare_estimates({"query": right, "document": wrong}, {"query": right, "document": right}, choice)
    assert [(one.items, one.mean_absolute_error) for one in found] == [("query", 0), ("document", pytest.approx(1 / 3))]
    (alone,) = compare_estimates({"query": right, "document": wrong}, {"query": right}, choice)
    assert alone.items == "all"


def test_what_attribution_missed_is_counted() -> None:
    """Of ten places two are called strong. Of the other eight, four are looked at, and one of those is strong: so about two
    are, beside the two that were found."""
    places = PLACES[:10]
    guessed = effects(grid([[5.0], [4.0], *[[0.1 * i] for i in range(8)]], base=[0], donor=[1], patches=places))
    choice = PatchSelection(tuple(places[:2]), tuple(places[2:6]), 10)
    exact = effects(grid([[5.0], [4.5], [6.0], [0.0], [0.1], [0.2]], base=[0], donor=[1], patches=places[:6]))
    (found,) = compare_estimates({"query": guessed}, {"query": exact}, choice)
    assert (found.missed, found.looked_at, found.cut) == (1, 4, 4.0)
    assert found.false_negative_rate == pytest.approx(2 / (2 + 2))


def test_estimates_that_are_right_agree() -> None:
    values = [[1.0, 3.0], [-2.0, 0.0], [0.5, 0.5]]
    rows = effects(grid(values, base=[0, 0], donor=[1, 1], patches=PLACES[:3]))
    (found,) = compare_estimates(
        {"query": rows}, {"query": rows}, PatchSelection(tuple(PLACES[:1]), tuple(PLACES[1:3]), 3)
    )
    assert (found.rank_correlation, found.rank_correlation_random, found.mean_absolute_error) == (1, 1, 0)
    assert found.mean_absolute_effect == pytest.approx((2 + 1 + 0.5) / 3)


def test_only_contrasts_that_were_patched_exactly_are_compared() -> None:
    guessed = effects(grid([[1.0, 100.0]], base=[0, 0], donor=[1, 1], patches=PLACES[:1]))
    exact = effects(grid([[1.0]], base=[0], donor=[1], patches=PLACES[:1]))
    (found,) = compare_estimates({"query": guessed}, {"query": exact}, PatchSelection(tuple(PLACES[:1]), (), 1))
    assert found.mean_absolute_error == 0


def test_only_contrasts_that_were_estimated_are_compared() -> None:
    guessed = effects(grid([[1.0]], base=[0], donor=[1], patches=PLACES[:1]))
    exact = effects(grid([[1.0, 100.0]], base=[0, 0], donor=[1, 1], patches=PLACES[:1]))
    (found,) = compare_estimates({"query": guessed}, {"query": exact}, PatchSelection(tuple(PLACES[:1]), (), 1))
    assert (found.mean_absolute_error, found.contrasts) == (0, 1)


def test_a_top_of_more_places_than_were_estimated_is_cut_at_the_weakest() -> None:
    rows = effects(grid([[2.0], [-1.0]], base=[0], donor=[1], patches=PLACES[:2]))
    (found,) = compare_estimates({"query": rows}, {"query": rows}, PatchSelection(tuple(PLACES[:3]), (), 3))
    assert found.cut == 1


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=12))
def test_spearman_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    one, other = np.array(pairs, dtype=float).T
    found = spearman(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(float(stats.spearmanr(one, other).statistic))
