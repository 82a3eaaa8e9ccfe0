"""Texts that occur in another split, suite or corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.audit.overlaps import NgramSearch, corpus_overlaps, read_texts, split_overlaps
from suites.audit.audit_factory import make_example

ALPHABET = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"]


def text(first: int, last: int) -> str:
    return " ".join(ALPHABET[first:last])


@pytest.mark.parametrize(
    ("own", "other", "found", "verbatim"),
    [
        (text(0, 6), f"x {text(1, 5)} y", True, False),  # four words in a row
        (text(0, 6), f"x {text(1, 4)} y", False, False),  # three
        ("A, b: c D e f", text(0, 6), True, True),  # words, not marks or case
        ("a b", "a b", True, True),  # too short for four words, but the whole text
        ("a b", "x a b y", False, False),  # and not a part of one
    ],
)
def test_a_text_is_found_by_words_in_a_row_or_as_a_whole(own: str, other: str, found: bool, verbatim: bool) -> None:
    search = NgramSearch([own, "something else that is never said"], 4)
    search.read(other)
    assert (search.found.tolist(), search.verbatim.tolist()) == ([found, False], [verbatim, False])


def _examples() -> list[Example]:
    return [
        make_example(0, text(0, 9), "one", split="train", query="old question", opposite="same"),
        make_example(1, f"x {text(1, 9)}", "two", split="test", query="new question", opposite="same"),
    ]


def test_splits_are_compared_with_train() -> None:
    rows = {(row.part, row.kind): row for row in split_overlaps(_examples(), seed=0)}
    assert {key: (row.elsewhere, row.size, row.share.value, row.verbatim) for key, row in rows.items()} == {
        ("test", "queries"): ("train", 8, 0.5, 0.5),
        ("test", "documents"): ("train", 8, 0.5, 0.0),
    }


def test_without_train_there_is_nothing_to_compare() -> None:
    assert list(split_overlaps(_examples()[1:], seed=0)) == []


def test_a_corpus_is_searched_for_thirteen_words_and_whole_queries() -> None:
    examples = [make_example(0, text(0, 14), text(0, 12), query="old question", opposite="new question")]
    rows = list(corpus_overlaps(examples, {"corpus": iter([f"x {text(0, 13)}", "Old question?"])}, seed=0))
    assert [(row.part, row.kind, row.elsewhere, row.size, row.share.value, row.verbatim) for row in rows] == [
        ("all", "queries", "corpus", 13, 0.5, 0.5),
        ("all", "documents", "corpus", 13, 0.5, 0.0),
    ]


def test_the_texts_of_a_suite_are_its_queries_and_documents(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "examples.jsonl", _examples()[:1])
    assert list(read_texts(str(tmp_path))) == ["old question", "same", text(0, 9), "one"]


def test_the_texts_of_a_corpus_are_its_documents(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_text(json.dumps({"id": "d1", "text": "A town."}) + "\n")
    assert list(read_texts(str(file))) == ["A town."]


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        list(read_texts(str(tmp_path / "nowhere.jsonl")))
