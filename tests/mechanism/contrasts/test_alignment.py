from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.mechanism.contrasts.alignment import changed_stretches, partners

SEQUENCES = st.text("abcd", max_size=12)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("soups without cream", "soups with cream", [("without", "with")]),
        ("soups that have cream", "soups that do not have cream", [("", "do not")]),
        ("only soups with cream", "soups excluding any with cream", [("only", ""), ("", "excluding any")]),
        ("hot A and B .", "hot B and A .", [("A", "B"), ("B", "A")]),
        (
            "coconut milk , not cream",
            "cream , not coconut milk",
            [("coconut milk", "cream"), ("cream", "coconut milk")],
        ),
        (
            "by K . R Rao , not E Ro , and",
            "by E Ro , not K . R Rao , and",
            [("K . R Rao", "E Ro"), ("E Ro", "K . R Rao")],
        ),
        ("", "cream", [("", "cream")]),
        ("soup", "soup", []),
    ],
)
def test_words_that_stay_are_found(one: str, other: str, expected: list[tuple[str, str]]) -> None:
    mine, theirs = one.split(), other.split()
    found = [
        (" ".join(mine[s.start : s.end]), " ".join(theirs[s.other_start : s.other_end]))
        for s in changed_stretches(mine, theirs)
    ]
    assert found == expected


@given(SEQUENCES, SEQUENCES)
def test_between_the_stretches_both_are_the_same(one: str, other: str) -> None:
    stretches = changed_stretches(one, other)
    rebuilt, at = "", 0
    for stretch in stretches:
        rebuilt += one[at : stretch.start] + other[stretch.other_start : stretch.other_end]
        at = stretch.end
    assert rebuilt + one[at:] == other
    assert all(s.end > s.start or s.other_end > s.other_start for s in stretches)


@given(SEQUENCES, SEQUENCES)
def test_there_is_no_shorter_edit_script(one: str, other: str) -> None:
    edits = sum(max(s.end - s.start, s.other_end - s.other_start) for s in changed_stretches(one, other))
    assert edits == _levenshtein(one, other)


@given(SEQUENCES, SEQUENCES, st.data())
def test_partners_are_equal_or_stand_in_the_same_stretch(one: str, other: str, data: st.DataObject) -> None:
    stretches = changed_stretches(one, other)
    alone = np.array(data.draw(st.lists(st.booleans(), min_size=len(one), max_size=len(one))), dtype=bool)
    found = partners(len(one), stretches, alone)
    assert len(found) == len(one)
    for place, partner in enumerate(found.tolist()):
        within = [s for s in stretches if s.start <= place < s.end]
        if not within:
            assert one[place] == other[partner]
        elif partner >= 0:
            assert within[0].other_start <= partner < within[0].other_end
        else:
            assert alone[place] or within[0].other_start == within[0].other_end
    aligned = [partner for partner in found.tolist() if partner >= 0]
    assert aligned == sorted(aligned)


@given(SEQUENCES, SEQUENCES)
def test_what_stays_points_both_ways(one: str, other: str) -> None:
    stretches = changed_stretches(one, other)
    there = partners(len(one), stretches, np.ones(len(one), dtype=bool))
    back = partners(len(other), [s.turned for s in stretches], np.ones(len(other), dtype=bool))
    assert all(back[partner] == place for place, partner in enumerate(there.tolist()) if partner >= 0)


@given(SEQUENCES)
def test_a_sequence_is_aligned_with_itself_place_by_place(one: str) -> None:
    found = partners(len(one), changed_stretches(one, one), np.ones(len(one), dtype=bool))
    assert found.tolist() == list(range(len(one)))


def _levenshtein(one: str, other: str) -> int:
    """By definition."""
    if not one or not other:
        return len(one) + len(other)
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]
