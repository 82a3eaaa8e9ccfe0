from __future__ import annotations

from operator import eq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.memory.cases.answer_checks import edit_distance, longest_common, matches

words = st.text(alphabet="abc", max_size=6)


@pytest.mark.parametrize(
    ("expected", "found", "modes"),
    [
        ("ab", "ab", {"exact", "prefix", "subsequence"}),
        ("ab", "abc", {"prefix", "subsequence"}),
        ("ac", "abc", {"subsequence"}),
        ("ba", "abc", set()),
        ("abc", "ab", set()),
        ("aa", "a", set()),
        ("a", "", set()),
    ],
)
def test_a_sequence_matches_under_these_modes_only(expected: str, found: str, modes: set[str]) -> None:
    assert {m for m in ("exact", "prefix", "subsequence") if matches(expected, found, eq, m)} == modes


@given(words, words)
def test_exact_is_prefix_is_subsequence(expected: str, found: str) -> None:
    exact, prefix, within = (matches(expected, found, eq, mode) for mode in ("exact", "prefix", "subsequence"))
    assert exact <= prefix <= within
    assert exact == (expected == found)
    assert within == (longest_common(expected, found) == len(expected))


@pytest.mark.parametrize(
    ("a", "b", "distance", "common"),
    [("", "", 0, 0), ("abc", "", 3, 0), ("kitten", "sitting", 3, 4), ("ab", "ba", 2, 1), ("abcd", "acbd", 2, 3)],
)
def test_distance_and_common_part(a: str, b: str, distance: int, common: int) -> None:
    assert (edit_distance(a, b), longest_common(a, b)) == (distance, common)


@given(words, words)
def test_distance_is_that_of_both_directions_and_bounded_by_the_common_part(a: str, b: str) -> None:
    distance = edit_distance(a, b)
    assert distance == edit_distance(b, a)
    assert max(len(a), len(b)) - longest_common(a, b) <= distance <= len(a) + len(b) - 2 * longest_common(a, b)
