from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.records.examples import MAIN_SLICES, Evidence
from constraintsuite.reports.showcase import Segment, choose_examples, show_documents, split_at_mentions
from evaluate.tiny_suite import CREAMLESS, EXAMPLES, LEEKLESS


def mention(start: int, end: int, verdict: str = "affirmed") -> Evidence:
    return Evidence("pos", start, end, verdict, None, "test")


@pytest.mark.parametrize(
    ("evidence", "segments"),
    [
        ([], [("no cream", "")]),
        ([mention(3, 8, "negated")], [("no ", ""), ("cream", "negated")]),
        ([mention(3, 8, "negated"), mention(0, 2)], [("no", "affirmed"), (" ", ""), ("cream", "negated")]),
        ([mention(0, 5), mention(3, 8)], [("no cr", "affirmed"), ("eam", "")]),  # the first of two that overlap
        ([mention(3, 99), mention(-1, 2), mention(4, 4)], [("no cream", "")]),  # places that are not in the text
    ],
)
def test_a_text_is_cut_at_its_mentions(evidence: list[Evidence], segments: list[tuple[str, str]]) -> None:
    assert split_at_mentions("no cream", evidence) == tuple(Segment(*segment) for segment in segments)


@given(st.text(), st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30))))
def test_no_letter_is_lost_or_added(text: str, places: list[tuple[int, int]]) -> None:
    segments = split_at_mentions(text, [mention(start, end) for start, end in places])
    assert "".join(segment.text for segment in segments) == text


def test_each_document_shows_its_own_mentions() -> None:
    satisfying, violating = show_documents(CREAMLESS)
    assert [s for s in satisfying.segments if s.verdict] == [Segment("cream", "negated")]
    assert [s for s in violating.segments if s.verdict] == [Segment("cream", "affirmed")]
    assert (satisfying.role, violating.role) == ("satisfying", "violating")


def test_examples_are_chosen_by_turns_and_always_alike() -> None:
    many = [replace(e, id=f"{e.id}{i}", couple="") for e in EXAMPLES for i in range(20)]
    chosen = choose_examples(many, 10)
    assert len(chosen) == 10
    assert [example.suite for example in chosen[:3]] == list(MAIN_SLICES)
    assert chosen == choose_examples(many[::-1], 10)


def test_of_a_couple_only_one_is_shown() -> None:
    assert len(choose_examples([CREAMLESS, LEEKLESS], 10)) == 1
    assert len(choose_examples(EXAMPLES, 10)) == 4
