"""How alike two rankings are."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.statistics.ranking import chance_overlap, overlap_at, rank_biased_overlap


@pytest.mark.parametrize(
    ("one", "other", "k", "expected"),
    [
        ("abc", "abc", 3, 1),
        ("abc", "cba", 3, 1),
        ("abc", "cba", 1, 0),
        ("abc", "abd", 3, 2 / 3),
        ("ab", "", 3, 0),
        ("", "", 3, None),
    ],
)
def test_overlap(one: str, other: str, k: int, expected: float | None) -> None:
    assert overlap_at(one, other, k) == expected


@pytest.mark.parametrize(
    ("one", "other", "p", "expected"),
    [
        ("abc", "abc", 0.9, 1),
        ("ab", "cd", 0.9, 0),
        ("ab", "ba", 0.5, 0.5),  # (1 - p) / p (0 + p^2) + p^2 = p (1 - p) + p^2 = p
        ("a", "ab", 0.5, 1),  # the one that is seen of both agrees throughout
        ("a", "", 0.9, 0),
        ("", "", 0.9, None),
    ],
)
def test_rank_biased_overlap_by_hand(one: str, other: str, p: float, expected: float | None) -> None:
    found = rank_biased_overlap(one, other, p)
    assert found == (None if expected is None else pytest.approx(expected))


rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


@given(rankings, rankings)
def test_rank_biased_overlap_is_symmetric_and_a_share(one: list[str], other: list[str]) -> None:
    found = rank_biased_overlap(one, other)
    assert found == rank_biased_overlap(other, one)
    assert found is None or -1e-12 <= found <= 1 + 1e-12


def test_an_exchange_further_up_weighs_more() -> None:
    found = [rank_biased_overlap("abcdef", other) for other in ("bacdef", "abdcef", "abcdfe")]
    assert all(a is not None and b is not None and a < b for a, b in pairwise(found))


def by_definition(one: list[int], other: list[int], persistence: float, depths: int) -> float:
    """RBO of rankings that go on for ever: the mean share of common items, read as deep as a reader gets."""
    count = len(one)
    total = 0.0
    for depth in range(1, depths + 1):
        shared = len(set(one[:depth]) & set(other[:depth])) / depth if depth <= count else 1.0
        total += (1 - persistence) * persistence ** (depth - 1) * shared
    return total


@given(st.permutations(range(12)), st.permutations(range(12)), st.sampled_from([0.5, 0.9, 0.98]))
def test_overlap_is_the_share_that_a_reader_finds(one: list[int], other: list[int], persistence: float) -> None:
    found = rank_biased_overlap(one, other, persistence)
    assert found == pytest.approx(by_definition(one, other, persistence, 2_000), abs=1e-9)


def test_overlap_of_chance_is_the_mean_over_all_rankings() -> None:
    drawn = [rank_biased_overlap(range(4), other) or 0.0 for other in permutations(range(4))]
    assert chance_overlap(4) == pytest.approx(sum(drawn) / len(drawn))
