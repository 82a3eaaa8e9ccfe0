"""Queries that people write for two passages: the rules, the items, and the rows that come out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.answers import StaleError
from constraintsuite.suites.annotation.batch import AnnotationBatch, tasks_of, write_batch
from constraintsuite.suites.annotation.kinds.query_rules import LONGEST, asks_yes_or_no, find_faults, tidy, words_of_one
from constraintsuite.suites.annotation.kinds.written_queries import (
    PASSAGES,
    BrokenRulesError,
    collect_queries,
    keep_queries,
    passages_of,
    sample_passages,
    write_nevir,
)
from constraintsuite.suites.annotation.records import EventDraft
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.importers.folder import import_suite
from experiments.tiny_suite import CREAM, CREAMLESS, DOGLESS, LEEKS, NUTLESS, make_example, write_suite
from suites.annotation.small_batch import START, said_of

HEATED = "The clinic's baths are heated, and visitors may swim."
COLD = "The clinic's baths are not heated, so visitors may not swim."
PAIR = (HEATED, COLD)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("which baths may visitors swim in", []),
        ("which baths are not heated", [("not", 1)]),
        ("which baths are NOT heated", [("not", 1)]),
        ("baths so cold", [("so", 1)]),
        ("swimming visitor at a clinic's bath", []),  # other forms of words that both have
        ("baths and clinics", [("and", 0)]),
        ("n\u200bot heated", [("not", 1)]),  # nobody sees that it was cut in two
        ("", []),
    ],
)
def test_a_word_of_one_passage_is_found(query: str, words: list[tuple[str, int]]) -> None:
    assert words_of_one(PAIR, query) == words


@pytest.mark.parametrize("query", ["a showered camper", "the shower", "SHOWERS", "shower's"])
def test_another_form_of_such_a_word_is_found_too(query: str) -> None:
    passages = ("A campsite with hot showers for campers.", "A campsite with hot meals for campers.")
    assert [passage for _, passage in words_of_one(passages, query)] == [0]


def test_a_word_that_both_have_in_different_forms_may_not_be_told_apart_by_its_form() -> None:
    assert words_of_one(("It has a shower.", "It has showers."), "what has showers") == [("showers", 1)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Is the bath heated?", True),
        ("isn’t the bath heated", True),
        ("In winter, does the bath close?", True),
        ("The bath is heated, isn't it?", True),
        ("whether the bath is heated", True),
        ("In winter, which bath is heated?", False),
        ("which bath, is it said, stays warm", False),
        ("baths that are heated", False),
        ("Island baths", False),
    ],
)
def test_questions_for_yes_or_no_are_known(query: str, found: bool) -> None:
    assert asks_yes_or_no(query) is found


@pytest.mark.parametrize(
    ("queries", "faults"),
    [
        (("which baths may visitors swim in", "what may visitors do in baths"), []),
        (("", " \u200b "), [(0, "Write a query."), (1, "Write a query.")]),
        (("?", "which baths"), [(0, "Write a query.")]),
        (("Which  baths?", "which baths"), [(1, "Both queries say the same")]),
        (("x" * (LONGEST + 1), "which baths"), [(0, f"{LONGEST + 1} characters")]),
        (("which baths", "are baths open"), [(1, "answered by yes or no")]),
        (("not", "and"), [(0, "appears only in passage 2"), (1, "appears only in passage 1")]),
    ],
)
def test_what_is_refused(queries: tuple[str, str], faults: list[tuple[int, str]]) -> None:
    found = find_faults(PAIR, queries)
    assert [fault.query for fault in found] == [number for number, _ in faults]
    assert all(part in fault.reason for fault, (_, part) in zip(found, faults, strict=True))


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_is_tidy_stays_so_and_is_judged_as_before(first: str, second: str) -> None:
    assert tidy(tidy(first)) == tidy(first)
    assert find_faults(PAIR, (tidy(first), tidy(second))) == find_faults(PAIR, (first, second))


def make_batch(folder: Path) -> AnnotationBatch:
    items = sample_passages(write_suite(folder / "suite"), 10, 0, ("bm25",))
    return write_batch(folder / "suite.writing", items, repeats=0.0)


def test_each_two_texts_are_drawn_once_and_nothing_tells_which_is_which(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    (task,) = tasks_of(batch, "ann")
    assert sorted(task.shown().values()) == sorted((LEEKS, CREAM))
    assert set(task.shown()) == set(PASSAGES)
    assert task.item.fields[task.item.hidden["original"]] == LEEKS


def test_a_suite_without_minimal_pairs_is_refused(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", (DOGLESS, NUTLESS))
    with pytest.raises(UserError, match="no minimal pairs"):
        sample_passages(suite, 10, 0)


def test_passages_with_words_of_their_own_are_drawn_first(tmp_path: Path) -> None:
    texts = {
        **{f"swap{n}": (f"nuts {n}, no eggs", f"eggs {n}, no nuts") for n in range(8)},
        "added": ("no nuts or eggs", "nuts or eggs"),
        "both": ("a heated bath", "a cold bath"),
    }
    pairs = [make_example(name, "minpairs", ("a", "b", "c"), both) for name, both in texts.items()]
    suite = write_suite(tmp_path / "suite", pairs)
    for seed in range(3):
        assert [pair.id for pair in sample_passages(suite, 1, seed).items] == ["both"]
        assert [pair.id for pair in sample_passages(suite, 2, seed).items] == ["added", "both"]
    assert len(sample_passages(suite, 10, 0).items) == 10, "exchanged words are taken too"


def test_queries_that_break_a_rule_are_not_kept(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    (task,) = tasks_of(batch, "ann")
    with pytest.raises(BrokenRulesError, match="Query 2: This is answered by yes or no") as caught:
        keep_queries(batch, "ann", task, ("which soup", "is it soup"), 0, START)
    assert [fault.query for fault in caught.value.faults] == [1]
    assert batch.store.events() == []
    keep_queries(batch, "ann", task, ("which soup", "soups with what"), 0, START)
    with pytest.raises(StaleError):
        keep_queries(batch, "ann", task, ("which soups", "soups with what"), 0, START)


def test_which_passage_comes_first_differs_from_item_to_item(tmp_path: Path) -> None:
    many = [
        replace(make_example(f"e{n}", "minpairs", ("a", "b", "c"), (f"no {n} cream", f"{n} cream"))) for n in range(20)
    ]
    drawn = sample_passages(write_suite(tmp_path / "suite", many), 100, 0)
    assert {item.hidden["original"] for item in drawn.items} == set(PASSAGES)


def test_what_was_written_can_be_imported_as_nevir(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    (item,) = batch.judged
    place = PASSAGES.index(item.hidden["original"])
    for name, ending in (("ann", ""), ("bob", " today")):
        queries = [f"which soup suits {who}{ending}" for who in ("people", "children")]
        said = [EventDraft(name, item.id, f"query_{n}", query) for n, query in enumerate(queries, 1)]
        batch.store.append(said, START)
    assert write_nevir(batch, tmp_path / "out") == {"test": 2}
    rows = [json.loads(line) for line in (tmp_path / "out" / "test.jsonl").read_text().splitlines()]
    assert [row["WorkerId"] for row in rows] == ["ann", "bob"]
    assert {(row["doc1"], row["doc2"]) for row in rows} == {(LEEKS, CREAM)}
    assert passages_of(item)[place] == LEEKS
    assert rows[0]["q1"] == ["which soup suits people", "which soup suits children"][place]
    import_suite("nevir", str(tmp_path / "out" / "test.jsonl"), tmp_path / "imported")
    first, second = read_examples(tmp_path / "imported")
    assert (first.satisfying.text, first.query, first.split) == (LEEKS, rows[0]["q1"], "test")
    assert first.clusters == second.clusters  # two people wrote for one passage


def test_queries_from_a_sheet_that_break_a_rule_are_left_out(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    (item,) = batch.judged
    batch.store.append(
        [EventDraft("ann", item.id, "query_1", "which soup"), EventDraft("ann", item.id, "query_2", "is it soup")],
        START,
    )
    (one,) = collect_queries(batch, said_of(batch))
    assert [fault.query for fault in one.faults] == [1]
    with pytest.raises(UserError, match="nobody has written a pair of queries that follows the rules"):
        write_nevir(batch, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_half_a_pair_is_not_written(tmp_path: Path) -> None:
    batch = make_batch(tmp_path)
    batch.store.append([EventDraft("ann", CREAMLESS.id, "query_1", "which soup")], START)
    assert collect_queries(batch, said_of(batch)) == []
