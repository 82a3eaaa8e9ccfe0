"""Which constraints are asked for together: what documents obey decides, and chance decides what is as good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product

from constraintsuite.suites.combined.combining import Combination, QueryPart, are_compatible, combine
from constraintsuite.suites.queries.records import Proposal
from suites.combined.parts import part

NAMES = ("shorter", "in Wales", "without stairs")
KINDS = {"shorter": "number", "in Wales": "place", "without stairs": "exclude"}


def bits_of(proposal: Proposal, documents: list[str]) -> QueryPart:
    obeying, breaking = (
        sum(1 << documents.index(name) for name in names) for names in (proposal.satisfying, proposal.violating)
    )
    return QueryPart(proposal, obeying, breaking)


def make_parts(obeyed: Mapping[str, tuple[bool | None, ...]]) -> list[QueryPart]:
    """Three parts, from what each document does with each: True obeys it, False breaks it, None says nothing."""
    documents = sorted(obeyed)
    proposals = [
        part(
            KINDS[name],
            name,
            f"not {name}",
            obeyed_by=[one for one in documents if obeyed[one][place] is True],
            broken_by=[one for one in documents if obeyed[one][place] is False],
        )
        for place, name in enumerate(NAMES)
    ]
    return [bits_of(proposal, documents) for proposal in proposals]


ALL_KINDS = {f"d{n}": kept for n, kept in enumerate(product((True, False), repeat=3))}
"""One document for every way to obey and break three parts; d0 obeys all of them and d7 none."""


def number(document: str) -> int:
    return 1 << int(document.removeprefix("d"))


def test_the_violating_documents_break_the_broken_part_alone() -> None:
    parts = tuple(make_parts(ALL_KINDS))
    assert Combination(parts, 0).satisfying == number("d0")
    assert [Combination(parts, broken).violating for broken in range(3)] == [number("d4"), number("d2"), number("d1")]


def test_the_grades_are_the_documents_that_break_two_parts_and_then_all_three() -> None:
    found = Combination(tuple(make_parts(ALL_KINDS)), 0).grades()
    assert found == [number("d3") | number("d5") | number("d6"), number("d7")]


def test_a_document_that_is_silent_about_one_part_has_no_grade() -> None:
    parts = make_parts({**ALL_KINDS, "d8": (False, None, False)})
    assert not any(grade & number("d8") for grade in Combination(tuple(parts), 0).grades())


def test_every_part_is_the_broken_one_of_some_query() -> None:
    found = combine(make_parts(ALL_KINDS))
    assert Counter(len(one.parts) for one in found).keys() == {2, 3}
    assert {one.parts[one.broken].type for one in found} == {"number", "place", "exclude"}


def test_a_query_needs_documents_on_both_sides() -> None:
    only_together = {"d0": (True, True, True), "d1": (False, False, False)}
    assert combine(make_parts(only_together)) == []


def test_two_limits_of_one_thing_and_words_that_mean_the_same_are_not_asked_together() -> None:
    wales, other = make_parts(ALL_KINDS)[1], make_parts(ALL_KINDS)[1]
    stairs = bits_of(part("exclude", "in Wales", "with"), [])
    assert not are_compatible(wales, [other])
    assert not are_compatible(stairs, [wales])
    assert are_compatible(wales, make_parts(ALL_KINDS)[::2])
