"""Samples are the same whatever the order, and bring what belongs to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import STRICT, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.forecast.sampling import draw_documents, write_sample
from constraintsuite.suites.recipe import Recipe

ROWS = [{"id": f"d{number}", "text": f"Text {number}.", "title": "T", "place": "here"} for number in range(300)]


def recipe(folder: Path, rows: Sequence[dict[str, str]] = ROWS, **corpus: str) -> Recipe:
    path = folder / "docs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return Recipe(corpus=SourceSettings(source=str(path), **corpus))


def ids(recipe: Recipe, size: int) -> list[list[str]]:
    return [[document.id for document in draw] for draw in draw_documents(recipe, size, draws=2).draws]


def test_a_sample_does_not_depend_on_the_order(tmp_path: Path) -> None:
    assert ids(recipe(tmp_path), 20) == ids(recipe(tmp_path, ROWS[::-1]), 20)


def test_a_smaller_sample_is_the_beginning_of_a_larger_one(tmp_path: Path) -> None:
    small, large = ids(recipe(tmp_path), 5), ids(recipe(tmp_path), 20)
    assert small == [draw[:5] for draw in large]


def test_two_draws_differ(tmp_path: Path) -> None:
    one, other = ids(recipe(tmp_path), 20)
    assert set(one) != set(other)


def test_all_documents_are_counted_where_there_is_time(tmp_path: Path) -> None:
    taken = draw_documents(recipe(tmp_path), 20, draws=1)
    assert (taken.read, taken.whole) == (300, True)


def test_without_time_the_count_is_a_lower_bound(tmp_path: Path) -> None:
    taken = draw_documents(recipe(tmp_path), 20, draws=1, seconds=0.0)
    assert (taken.read, taken.whole, len(taken.draws[0])) == (256, False, 20)


def test_a_handful_of_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="3 documents are too few to estimate anything from"):
        draw_documents(recipe(tmp_path, ROWS[:3]), 20, draws=1)


def test_a_sample_brings_its_judgments_and_their_queries(tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("q1\tfirst\nq2\tsecond\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq2 0 d2 1\nq1 0 d3 1\n", encoding="utf-8")
    whole = recipe(tmp_path, queries=str(tmp_path / "queries.tsv"), qrels=str(tmp_path / "qrels.txt"))
    documents = [each for each in open_source(whole.corpus).documents(STRICT) if each.id in ("d1", "d3")]
    source = open_source(Recipe.read(write_sample(whole, documents, 0.01, tmp_path / "sample")).corpus)
    assert list(source.documents(STRICT)) == documents
    assert [query.id for query in source.queries()] == ["q1"]
    assert [(qrel.document, qrel.grade) for qrel in source.qrels()] == [("d1", 2), ("d3", 1)]


@pytest.mark.parametrize(("share", "queries"), [(0.0, 0), (1.0, 2)])
def test_queries_without_judgments_come_in_proportion(tmp_path: Path, share: float, queries: int) -> None:
    (tmp_path / "queries.tsv").write_text("q1\tfirst\nq2\tsecond\n", encoding="utf-8")
    whole = recipe(tmp_path, queries=str(tmp_path / "queries.tsv"))
    documents = draw_documents(whole, 10, draws=1).draws[0]
    source = open_source(Recipe.read(write_sample(whole, documents, share, tmp_path / "sample")).corpus)
    assert len(list(source.queries())) == queries


def test_a_sample_is_built_without_what_a_person_approved_in_the_whole(tmp_path: Path) -> None:
    whole = recipe(tmp_path).model_copy(
        update={"approved": tmp_path / "approved.jsonl", "drop": (tmp_path / "drop.jsonl",)}
    )
    sample = Recipe.read(write_sample(whole, draw_documents(whole, 10, draws=1).draws[0], 1.0, tmp_path / "sample"))
    assert (sample.approved, sample.drop) == (None, ())
