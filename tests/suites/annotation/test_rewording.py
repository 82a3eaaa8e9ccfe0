"""Words of proposals: the same rules on a page and in a sheet."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.batch import AnnotationBatch, write_batch
from constraintsuite.suites.annotation.kinds.proposals import approve, check_rewordings, proposal_items, reword
from constraintsuite.suites.annotation.labels import label_all
from constraintsuite.suites.annotation.records import EventDraft
from constraintsuite.suites.annotation.sheets import read_sheet, write_sheet
from constraintsuite.suites.queries.records import Proposal
from suites.annotation.small_batch import START, read_csv, said_of, write_csv
from suites.annotation.test_kinds import COTTAGES, SOUPS, TENTS


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    write_jsonl(tmp_path / "proposals.jsonl", [SOUPS, TENTS])
    return write_batch(tmp_path / "batch", proposal_items([SOUPS, TENTS], tmp_path / "proposals.jsonl"), repeats=0.0)


def take(batch: AnnotationBatch, name: str = "sheet", **cells: str) -> None:
    """Import a sheet in which only the soups are answered."""
    file = batch.path.parent / f"{name}.csv"
    if not file.exists():
        write_sheet(batch, "ann", file)
    rows = read_csv(file)
    next(row for row in rows if row["topic"] == "soups").update(cells)
    batch.store.append(read_sheet(batch, "ann", write_csv(file.with_name("done.csv"), rows)), START)


def words_of(batch: AnnotationBatch) -> tuple[str, ...]:
    soups = approve([SOUPS, TENTS], label_all(batch, said_of(batch)), said_of(batch))[0]
    return soups.topic, soups.constraint.value, soups.opposite, soups.query


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ({"verdict": "accept", "query_reworded": "Soups with cream"}, "The query and its opposite are the same"),
        ({"verdict": "accept", "topic_reworded": "x" * 301}, "topic, query, opposite: at most 300 characters"),
        ({"verdict": "reject", "topic_reworded": "stews"}, "rejected, but in other words"),
    ],
)
def test_a_sheet_is_held_to_the_rules_of_the_page(batch: AnnotationBatch, cells: dict[str, str], fault: str) -> None:
    with pytest.raises(UserError, match=fault) as caught:
        take(batch, **cells)
    assert "done.csv:" in str(caught.value)
    assert batch.store.events() == []


def test_queries_of_a_sheet_follow_its_topic(batch: AnnotationBatch) -> None:
    take(batch, verdict="accept", topic_reworded=" thick   stews ")
    assert words_of(batch) == ("thick stews", "cream", "thick stews with cream", "thick stews without cream")


def test_the_same_sheet_twice_says_nothing_new(batch: AnnotationBatch) -> None:
    cells = {"verdict": "accept", "topic_reworded": "stews", "note": "thicker"}
    take(batch, **cells)
    events = batch.store.events()
    take(batch, **cells)
    assert batch.store.events() == events


def test_a_second_sheet_begins_with_the_words_of_the_first(batch: AnnotationBatch) -> None:
    take(batch, topic_reworded="stews")  # no verdict yet, so it is asked again
    take(batch, "second", verdict="accept", value_reworded="butter")
    assert words_of(batch) == ("stews", "butter", "stews with butter", "stews without butter")


def test_words_as_they_were_proposed_take_the_others_back(batch: AnnotationBatch) -> None:
    take(batch, topic_reworded="stews")
    take(batch, "second", verdict="accept", topic_reworded="soups")
    assert words_of(batch) == ("soups", "cream", "soups with cream", "soups without cream")


@pytest.mark.parametrize("query", ["soups with much cream", "anything at all"])
def test_a_negated_query_must_negate(batch: AnnotationBatch, query: str) -> None:
    with pytest.raises(UserError, match=f"'{query}' does not negate"):
        take(batch, verdict="accept", query_reworded=query)


@pytest.mark.parametrize("query", ["soups lacking cream", "cream-free soups", "soups that are not creamy"])
def test_any_word_that_negates_will_do(batch: AnnotationBatch, query: str) -> None:
    take(batch, verdict="accept", query_reworded=query)
    assert words_of(batch)[3] == query


@pytest.mark.parametrize("word", ["\u200b", "…", "\u200b \u2060"])
def test_what_nobody_sees_is_no_word(batch: AnnotationBatch, word: str) -> None:
    with pytest.raises(UserError, match="topic must hold a word"):
        take(batch, verdict="accept", topic_reworded=word)


STEWS = {"topic": "stews", "opposite": "stews with cream", "query": "stews without cream"}
BROTHS = {"topic": "broths", "opposite": "broths with cream", "query": "broths lacking cream"}


def accept(batch: AnnotationBatch, who: str, words: dict[str, str]) -> None:
    drafts = [EventDraft(who, SOUPS.id, f"{name}_reworded", text) for name, text in words.items()]
    batch.store.append([EventDraft(who, SOUPS.id, "verdict", "accept"), *drafts], START)


def decided(batch: AnnotationBatch) -> Proposal:
    return approve([SOUPS, TENTS], label_all(batch, said_of(batch)), said_of(batch))[0]


@pytest.mark.parametrize(
    "second", [BROTHS, {"value": "butter"}, {"query": "stews lacking cream"}, {**STEWS, "topic": ""}]
)
def test_words_of_two_people_are_never_mixed(batch: AnnotationBatch, second: dict[str, str]) -> None:
    accept(batch, "ann", STEWS)
    accept(batch, "ben", second)
    assert decided(batch) == SOUPS, "nothing is decided, and no word of anybody's is in it"


@pytest.mark.parametrize("second", [STEWS, {}], ids=["the same", "none"])
def test_words_that_all_take_hold(batch: AnnotationBatch, second: dict[str, str]) -> None:
    accept(batch, "ann", STEWS)
    accept(batch, "ben", second)
    assert (decided(batch).status, words_of(batch)) == ("accepted", ("stews", "cream", *list(STEWS.values())[1:]))


def test_words_of_those_who_reject_do_not_count(batch: AnnotationBatch) -> None:
    accept(batch, "ann", STEWS)
    batch.store.append([EventDraft("ann", SOUPS.id, "verdict", "reject")], START)
    accept(batch, "ben", BROTHS)
    assert decided(batch) == SOUPS
    batch.store.append([EventDraft("judith", SOUPS.id, "verdict", "accept", kind="ruling")], START)
    assert decided(batch).query == BROTHS["query"]


def test_a_ruling_on_one_word_takes_all_words_of_that_person(batch: AnnotationBatch) -> None:
    accept(batch, "ann", STEWS)
    accept(batch, "ben", {"value": "butter", "opposite": "soups with butter", "query": "soups without butter"})
    batch.store.append([EventDraft("judith", SOUPS.id, "query_reworded", "soups without butter", kind="ruling")], START)
    assert words_of(batch) == ("soups", "butter", "soups with butter", "soups without butter")


@pytest.mark.parametrize(
    ("y", "forms"), [("Cream", ("cream", "Cream")), ("goat cheese", ("goat cheese", "goat cheeses"))]
)
def test_another_y_is_looked_for_in_the_place_of_the_old_one(y: str, forms: tuple[str, ...]) -> None:
    assert reword(SOUPS, {"value": y}).constraint.forms == forms


def reworded_cottages(**words: str) -> dict[str, str]:
    proposed = {
        "topic": COTTAGES.topic,
        "value": "700 pounds a week",
        "query": COTTAGES.query,
        "opposite": COTTAGES.opposite,
    }
    return check_rewordings("number", proposed, proposed, words)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ({"value": "600 pounds a week"}, "The texts were read for '700 pounds a week'"),
        ({"query": "cheap cottages"}, "'cheap cottages' must name '700 pounds a week'"),
        ({"query": COTTAGES.opposite}, "The query and its opposite are the same"),
    ],
)
def test_a_limit_stays_where_the_texts_were_read_for_it(words: dict[str, str], fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        reworded_cottages(**words)


def test_a_query_with_a_limit_need_not_negate() -> None:
    found = reworded_cottages(topic="holiday cottages", query="holiday cottages below 700 pounds a week")
    assert found["query_reworded"] == "holiday cottages below 700 pounds a week"
    assert found["opposite_reworded"] == "holiday cottages over 700 pounds a week"
