from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pages.altered import constraint_of, with_document, with_evidence
from constraintsuite.app.pages.marks import LONG, Segment, TextMark, cut, excerpt, marks_of, query_marks
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.constraints.one_of import OneOf
from constraintsuite.suites.constraints.place import Located
from constraintsuite.suites.constraints.time import Time
from experiments.tiny_suite import CREAMLESS, IDIOM, LEEKS

TEXT = "no cream"


@pytest.mark.parametrize(
    ("marks", "segments"),
    [
        ([], [(TEXT, ())]),
        ([TextMark(3, 8, "negated")], [("no ", ()), ("cream", ("negated",))]),
        ([TextMark(3, 8, "negated"), TextMark(0, 2, "cue")], [("no", ("cue",)), (" ", ()), ("cream", ("negated",))]),
        ([TextMark(0, 8, "edit"), TextMark(3, 8, "negated")], [("no ", ("edit",)), ("cream", ("edit", "negated"))]),
        (
            [TextMark(3, 99, "cue"), TextMark(-1, 2, "cue"), TextMark(4, 4, "cue")],
            [(TEXT, ())],
        ),  # places that are not in the text
    ],
)
def test_a_text_is_cut_at_its_marks(marks: list[TextMark], segments: list[tuple[str, tuple[str, ...]]]) -> None:
    assert cut(TEXT, marks) == tuple(Segment(*segment) for segment in segments)


@given(st.text(), st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30))))
def test_no_letter_is_lost_or_added(text: str, places: list[tuple[int, int]]) -> None:
    segments = cut(text, [TextMark(start, end, "cue") for start, end in places])
    assert "".join(segment.text for segment in segments) == text


def test_evidence_edits_and_the_nearest_cue_are_marked() -> None:
    text = "No salt, no pepper and no cream here. No."
    place = text.index("cream")
    (found,) = [one for one in constraint_of(CREAMLESS).evidence if one.document == "satisfying"]
    edited = with_document(CREAMLESS, "satisfying", text=text, edit="swap", changed=((0, 7),))
    example = with_evidence(edited, replace(found, start=place, end=place + 5, cue="no"))
    assert marks_of(example, "satisfying") == [
        TextMark(place, place + 5, "negated"),
        TextMark(place - 3, place - 1, "cue"),
        TextMark(0, 7, "edit"),
    ]
    assert marks_of(example, "violating") == []


@pytest.mark.parametrize(
    ("text", "cue", "marked"), [("We can't serve cream.", "n't", "n't"), ("It cannot hold cream.", "not", "not")]
)
def test_a_cue_at_the_end_of_a_word_is_marked(text: str, cue: str, marked: str) -> None:
    place = text.index("cream")
    (found,) = [one for one in constraint_of(CREAMLESS).evidence if one.document == "satisfying"]
    example = with_evidence(
        with_document(with_evidence(CREAMLESS), "satisfying", text=text),
        replace(found, start=place, end=place + 5, cue=cue),
    )
    assert [text[m.start : m.end] for m in marks_of(example, "satisfying") if m.kind == "cue"] == [marked]


def test_the_query_shows_the_value_of_its_constraint_and_the_words_that_state_it() -> None:
    marked = [(segment.text, segment.kinds) for segment in cut("soups without cream", query_marks(CREAMLESS))]
    assert marked == [("soups ", ()), ("without", ("cue",)), (" ", ()), ("cream", ("value",))]


def test_words_that_state_the_constraint_elsewhere_are_not_marked_in_the_query() -> None:
    assert [mark.kind for mark in query_marks(IDIOM)] == ["cue", "value"]
    stated = replace(IDIOM, constraint=replace(constraint_of(IDIOM), stated_by="opposite"))
    assert [mark.kind for mark in query_marks(stated)] == ["value"]


def test_a_value_of_evidence_that_no_page_draws_is_told_beside_the_mark() -> None:
    example = with_evidence(CREAMLESS, Evidence("satisfying", 0, 6, "80 euros", "test"))
    assert cut(LEEKS, marks_of(example, "satisfying"))[0] == Segment("A soup", ("evidence",), ("80 euros",))


def test_without_a_constraint_nothing_but_edits_is_marked() -> None:
    example = replace(with_document(CREAMLESS, "satisfying", changed=((0, 6),)), constraint=None)
    assert query_marks(example) == []
    assert marks_of(example, "satisfying") == [TextMark(0, 6, "edit")]


def test_a_short_text_is_shown_whole() -> None:
    segments = cut(LEEKS, marks_of(CREAMLESS, "satisfying"))
    assert excerpt(segments) == segments


def test_of_a_long_text_the_neighbourhood_of_the_marks_is_shown() -> None:
    text = "a" * LONG + "CREAM" + "b" * LONG + "NUTS" + "c" * LONG
    marks = [TextMark(LONG, LONG + 5, "negated"), TextMark(2 * LONG + 5, 2 * LONG + 9, "affirmed")]
    first, cream, between, nuts, last = excerpt(cut(text, marks))
    assert (cream, nuts) == (Segment("CREAM", ("negated",)), Segment("NUTS", ("affirmed",)))
    assert first.text == " … " + "a" * 140
    assert between.text == "b" * 140 + " … " + "b" * 140
    assert last.text == "c" * 140 + " … "


def test_a_long_text_without_marks_shows_its_beginning() -> None:
    assert excerpt([Segment("a" * 2 * LONG)]) == (Segment("a" * LONG + " …"),)


PRICE = Number(
    value="80 euros", cue="under", forms=(), measure="price_EUR", position="below", limit=80, unit="EUR"
)  # fmt: skip
YEAR = Time(value="1960", cue="after", forms=(), measure="released", position="above", limit=1960)
SPAIN = Located(
    value="Spain",
    cue="outside",
    forms=("Spain",),
    relation="located",
    level="country",
    country="ES",
    location="outside",
)
LANDS = OneOf(
    value="Danish or Thai", cue="neither", forms=(), relation="genre", values=("Danish", "Thai"), listing="others"
)


@pytest.mark.parametrize(
    ("constraint", "satisfying", "violating"),
    [
        (PRICE, ("64 EUR", "64 EUR: under 80 euros"), ("95 EUR", "95 EUR: over 80 euros")),
        (YEAR, ("1971", "after 1960"), ("1954", "before 1960")),
        (SPAIN, ("Leith", "outside Spain"), ("Seville", "in Spain")),
        (LANDS, ("Welsh", "neither Danish nor Thai"), ("Thai", "Danish or Thai")),
    ],
)
def test_a_text_says_where_a_value_stands_that_decides(
    constraint: Constraint, satisfying: tuple[str, str], violating: tuple[str, str]
) -> None:
    """After the value, and with it where the text writes it otherwise."""
    example = replace(CREAMLESS, constraint=None)
    for role, (value, _) in (("satisfying", satisfying), ("violating", violating)):
        example = with_document(example, role, text=f"{value.replace('EUR', 'euros')}, people say")
    found = [
        Evidence(role, 0, example.document(role).text.index(","), value, "test")
        for role, (value, _) in (("satisfying", satisfying), ("violating", violating))
    ]
    example = replace(example, constraint=replace(constraint, evidence=tuple(found)))
    said = [mark.says for role in ("satisfying", "violating") for mark in marks_of(example, role)]
    assert said == [satisfying[1], violating[1]]


def test_evidence_is_told_once_where_the_last_of_its_places_ends() -> None:
    """A year and the whole "1954 film" may both state it."""
    marks = [TextMark(2, 6, "evidence", "before 1960"), TextMark(2, 11, "evidence", "before 1960")]
    assert [(one.text, one.says) for one in cut("A 1954 film.", marks)] == [
        ("A ", ()),
        ("1954", ()),
        (" film", ("before 1960",)),
        (".", ()),
    ]
