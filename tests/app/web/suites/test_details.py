"""One example: its marks, scopes, differences, neighbours, and the reasons why it is there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.pages.altered import with_document, with_evidence
from constraintsuite.app.pages.marks import Segment
from constraintsuite.app.web.suites import details
from constraintsuite.app.web.suites.details import Detail, DiffSegment, describe_example, why_passed, word_diff
from constraintsuite.app.web.suites.search import read_index
from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import Example, PoolPlace
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.constraints.time import Time
from experiments.tiny_suite import CREAMLESS, DOGLESS, IDIOM, LOUD, NUTLESS, ORPHAN, write_suite

RECIPE: dict[str, Any] = {
    "filters": {"min_topic_overlap": 0.5, "max_pair_similarity": 0.8},
    "pairs": {"max_length_ratio": 1.6},
}


@pytest.mark.parametrize(
    ("first", "second", "changes"),
    [
        ("a b c", "a b c", [("a b c", "")]),
        (
            "soups with cream",
            "soups without cream",
            [("soups ", ""), ("with", "first"), ("without", "second"), (" cream", "")],
        ),
        ("has no pool", "has pool", [("has ", ""), ("no ", "first"), ("pool", "")]),
        ("it isn't open.", "it is open.", [("it ", ""), ("isn't", "first"), ("is", "second"), (" open.", "")]),
        ("אין כאן בריכה", "יש כאן בריכה", [("אין", "first"), ("יש", "second"), (" כאן בריכה", "")]),
        ("", "", []),
    ],
)
def test_two_texts_as_one(first: str, second: str, changes: list[tuple[str, str]]) -> None:
    assert [tuple(change) for change in word_diff(first, second)] == changes


@pytest.mark.parametrize("second", ["something else entirely, of many words", "a " * 9000])
def test_two_texts_that_are_two(second: str) -> None:
    assert word_diff("A soup with leeks and no cream.", second) == ()


def texts_of(changes: tuple[DiffSegment, ...], left_out: str) -> str:
    return "".join(change.text for change in changes if change.only != left_out)


def described(tmp_path: Path, example: Example) -> Detail:
    index = read_index(write_suite(tmp_path))
    return describe_example(index, index.get(example.id))


def test_a_minimal_pair_is_shown_as_one_text(tmp_path: Path) -> None:
    shown = described(tmp_path, CREAMLESS)
    assert texts_of(shown.changes, "second") == CREAMLESS.violating.text
    assert texts_of(shown.changes, "first") == CREAMLESS.satisfying.text
    assert texts_of(shown.queries, "second") == CREAMLESS.opposite


def test_evidence_cues_and_scopes_are_marked(tmp_path: Path) -> None:
    satisfying, violating = described(tmp_path, CREAMLESS).documents
    marked = {(piece.text, piece.kinds) for piece in satisfying.segments if piece.kinds}
    assert marked == {("no", ("cue",)), ("cream", ("negated", "scope"))}
    assert "".join(piece.text for piece in violating.segments) == CREAMLESS.violating.text
    assert ("cream", ("affirmed",)) in {(piece.text, piece.kinds) for piece in violating.segments}


@pytest.mark.parametrize(
    ("analyser", "note"),
    [
        ("rules", "Scopes are from the analyser 'rules'"),
        ("none", "These texts were not analysed"),
        ("../../etc", "These texts were not analysed"),
    ],
)
def test_it_is_said_where_scopes_come_from(analyser: str, note: str) -> None:
    assert note in details.read_scopes(analyser, ["no cream"]).note


def test_an_analyser_that_is_not_here_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(details, "choose_analyser", lambda _: "rules")
    assert details.read_scopes("parser", ["no cream"]) == (
        None,
        "Scopes are not marked: the analyser of this suite, 'parser', is not installed here.",
    )


def test_a_huge_text_is_not_read_again() -> None:
    assert "longer than 20,000" in details.read_scopes("rules", ["no cream. " * 3000]).note


def test_of_a_huge_text_only_what_is_near_a_mark_is_shown(tmp_path: Path) -> None:
    filler = "Nothing of note. " * 100_000
    huge = with_document(DOGLESS, "violating", text=DOGLESS.violating.text + filler)
    index = read_index(write_suite(tmp_path, [huge], ()))
    shown = describe_example(index, huge).documents[1]
    assert sum(len(piece.text) for piece in shown.segments) < 1000
    assert Segment("dogs", ("affirmed",)) in shown.segments


@pytest.mark.parametrize(
    ("example", "related"),
    [
        (
            CREAMLESS,
            [("leekless", "couple: the same two documents with the roles exchanged"), ("loud", "control: case")],
        ),
        (LOUD, [("creamless", "the example that this control was made from")]),
        (ORPHAN, []),
        (IDIOM, [("dogless", "the example that this control was made from")]),
        (NUTLESS, []),
    ],
)
def test_what_belongs_to_it_is_named(tmp_path: Path, example: Example, related: list[tuple[str, str]]) -> None:
    assert [(other.id, why) for other, why in described(tmp_path, example).related] == related


def test_natural_texts_and_edited_ones_are_couples_apart(tmp_path: Path) -> None:
    natural = with_document(CREAMLESS, "satisfying", edit="")
    pair = [natural, replace(CREAMLESS, id="edited"), replace(natural, id="turned")]
    index = read_index(write_suite(tmp_path, pair, ()))
    assert [other.id for other, _ in describe_example(index, natural).related] == ["turned"]


def test_the_reasons_name_what_was_asked_and_what_it_has() -> None:
    passed = why_passed(DOGLESS, RECIPE)
    assert passed is not None
    rows = {row[0]: row[1:] for row in passed.rows}
    assert rows["verdicts"] == (
        "all evidence in the satisfying document meets the constraint, and none in the violating one",
        "negated, 1 place",
        "affirmed, 1 place",
    )
    assert rows["length"] == ("the longer is at most 1.6 times the shorter: 1.11", "10 words", "9 words")
    assert rows["topic"] == ("holds at least 50.0 % of the words of the topic", "100.0 %", "100.0 %")
    assert "wording" not in rows


def test_an_omission_has_no_evidence() -> None:
    passed = why_passed(NUTLESS, RECIPE)
    assert passed is not None
    assert str(passed.rows[0][1]).startswith("the satisfying document has no evidence")
    assert passed.rows[0][2:] == ("no evidence", "affirmed, 1 place")


def test_of_an_edited_pair_it_is_said_which_document_was_edited() -> None:
    passed = why_passed(with_document(CREAMLESS, "satisfying", changed=((12, 17), (25, 30))), RECIPE)
    assert passed is not None
    assert passed.rows[-1][0] == "wording"
    assert passed.rows[-1][2:] == ("edited, differs in 2 places", "not edited, differs nowhere")
    assert next(row for row in passed.rows if row[0] == "similarity")[2] == "100.0 % in both"


def test_any_type_of_constraint_can_be_described(tmp_path: Path) -> None:
    """From the fields that all types share: values of evidence are told as they are."""
    priced = with_evidence(DOGLESS, Evidence("violating", 0, 10, "95 euros", "test"))
    index = read_index(write_suite(tmp_path, [priced, replace(NUTLESS, constraint=None)], ()))
    shown = describe_example(index, priced)
    assert shown.documents[1].segments[0] == Segment("A campsite", ("evidence",), ("95 euros",))
    assert shown.evidence.rows == (("A campsite", "violating", "95 euros", "95 euros", "–", "test"),)
    assert why_passed(priced, RECIPE).rows[0][2:] == ("no evidence", "95 euros, 1 place")  # type: ignore[union-attr]
    assert describe_example(index, index.get("nutless")).evidence.rows == ()


def test_what_a_type_adds_to_its_constraint_is_told(tmp_path: Path) -> None:
    constraint = Exclude(value="nuts", cue="without", forms=("nuts",), cues={"satisfying": (), "violating": ("no",)})
    index = read_index(write_suite(tmp_path, [replace(NUTLESS, constraint=constraint)], ()))
    assert describe_example(index, index.examples[0]).more == (("cues", "violating: no"),)


def test_ranks_are_those_of_the_pools_that_were_searched(tmp_path: Path) -> None:
    example = with_document(DOGLESS, "violating", pools={"topic": PoolPlace(2, 1.5), "opposite": PoolPlace(1, 7.25)})
    index = read_index(
        write_suite(tmp_path, [example, replace(NUTLESS, source=replace(NUTLESS.source, retrieval=None))], ())
    )
    ranks = describe_example(index, example).ranks
    assert ranks is not None
    assert [column.title for column in ranks.columns] == [
        "document",
        "rank for the opposite",
        "score for the opposite",
        "rank for the topic",
        "score for the topic",
    ]
    assert ranks.rows == (("satisfying", None, None, 1, None), ("violating", 1, 7.25, 2, 1.5))
    assert describe_example(index, index.examples[1]).ranks is None


@pytest.mark.parametrize(
    ("example", "settings"), [(LOUD, RECIPE), (DOGLESS, {}), (DOGLESS, {"filters": {"new": 1}, "pairs": {}})]
)
def test_what_no_filter_has_seen_has_no_reasons(example: Example, settings: dict[str, Any]) -> None:
    assert why_passed(example, settings) is None


def test_the_record_is_there_as_it_is_stored(tmp_path: Path) -> None:
    assert json.loads(described(tmp_path, CREAMLESS).raw)["documents"][0]["text"] == CREAMLESS.satisfying.text


def test_where_no_negation_decides_no_scope_is_marked(tmp_path: Path) -> None:
    limit = Time(value="1960", cue="before", forms=(), measure="released", position="below", limit=1960)
    example = replace(CREAMLESS, constraint=limit)
    shown = describe_example(read_index(write_suite(tmp_path, [example], ())), example)
    assert not shown.scoped
    assert {kind for document in shown.documents for part in document.segments for kind in part.kinds} == set()
    assert ("limit", "1960") in shown.more
