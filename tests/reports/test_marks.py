from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.records.examples import Edit
from constraintsuite.reports.marks import LONG, Mark, Segment, cut, excerpt, marks_of, query_marks
from experiments.tiny_suite import CREAMLESS, LEEKS

TEXT = "no cream"


@pytest.mark.parametrize(
    ("marks", "segments"),
    [
        ([], [(TEXT, ())]),
        ([Mark(3, 8, "negated")], [("no ", ()), ("cream", ("negated",))]),
        ([Mark(3, 8, "negated"), Mark(0, 2, "cue")], [("no", ("cue",)), (" ", ()), ("cream", ("negated",))]),
        ([Mark(0, 8, "edit"), Mark(3, 8, "negated")], [("no ", ("edit",)), ("cream", ("edit", "negated"))]),
        ([Mark(3, 99, "cue"), Mark(-1, 2, "cue"), Mark(4, 4, "cue")], [(TEXT, ())]),  # places that are not in the text
    ],
)
def test_a_text_is_cut_at_its_marks(marks: list[Mark], segments: list[tuple[str, tuple[str, ...]]]) -> None:
    assert cut(TEXT, marks) == tuple(Segment(*segment) for segment in segments)


@given(st.text(), st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30))))
def test_no_letter_is_lost_or_added(text: str, places: list[tuple[int, int]]) -> None:
    segments = cut(text, [Mark(start, end, "cue") for start, end in places])
    assert "".join(segment.text for segment in segments) == text


def test_mentions_edits_and_the_nearest_cue_are_marked() -> None:
    text = "No salt, no pepper and no cream here. No."
    place = text.index("cream")
    (found,) = [one for one in CREAMLESS.evidence if one.document == "pos"]
    example = replace(
        CREAMLESS,
        docs=replace(CREAMLESS.docs, pos=replace(CREAMLESS.docs.pos, text=text)),
        evidence=(replace(found, start=place, end=place + 5, cue="no"),),
        edit=Edit("swap", "pos", ((0, 7),), (), token_count_preserved=True),
    )
    assert marks_of(example, "pos") == [
        Mark(place, place + 5, "negated"),
        Mark(place - 3, place - 1, "cue"),
        Mark(0, 7, "edit"),
    ]
    assert marks_of(example, "neg") == []


@pytest.mark.parametrize(
    ("text", "cue", "marked"), [("We can't serve cream.", "n't", "n't"), ("It cannot hold cream.", "not", "not")]
)
def test_a_cue_at_the_end_of_a_word_is_marked(text: str, cue: str, marked: str) -> None:
    place = text.index("cream")
    (found,) = [one for one in CREAMLESS.evidence if one.document == "pos"]
    example = replace(
        CREAMLESS,
        docs=replace(CREAMLESS.docs, pos=replace(CREAMLESS.docs.pos, text=text)),
        evidence=(replace(found, start=place, end=place + 5, cue=cue),),
    )
    assert [text[m.start : m.end] for m in marks_of(example, "pos") if m.kind == "cue"] == [marked]


def test_the_query_shows_its_negation_and_what_it_leaves_out() -> None:
    marked = [(segment.text, segment.kinds) for segment in cut("soups without cream", query_marks(CREAMLESS))]
    assert marked == [("soups ", ()), ("without", ("cue",)), (" ", ()), ("cream", ("y",))]


def test_a_short_text_is_shown_whole() -> None:
    segments = cut(LEEKS, marks_of(CREAMLESS, "pos"))
    assert excerpt(segments) == segments


def test_of_a_long_text_the_neighbourhood_of_the_marks_is_shown() -> None:
    text = "a" * LONG + "CREAM" + "b" * LONG + "NUTS" + "c" * LONG
    marks = [Mark(LONG, LONG + 5, "negated"), Mark(2 * LONG + 5, 2 * LONG + 9, "affirmed")]
    first, cream, between, nuts, last = excerpt(cut(text, marks))
    assert (cream, nuts) == (Segment("CREAM", ("negated",)), Segment("NUTS", ("affirmed",)))
    assert first.text == " … " + "a" * 140
    assert between.text == "b" * 140 + " … " + "b" * 140
    assert last.text == "c" * 140 + " … "


def test_a_long_text_without_marks_shows_its_beginning() -> None:
    assert excerpt([Segment("a" * 2 * LONG)]) == (Segment("a" * LONG + " …"),)
