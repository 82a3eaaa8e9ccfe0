"""The parts of `benchmarks/reading.py`: what is drawn and planted, who counts, and what the table says."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import write_jsonl
from experiments.tiny_suite import make_example

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from reading_answers import QUESTIONS, Answer, read_reading, validity_table
from reading_items import KeyRow, draw_items, page
from reading_plants import Drawn, exchange_labels, spoil_query

SOUPS = ("soups without cream", "soups with cream", "soups")


def soup(number: int, slice: str) -> Example:
    return make_example(
        f"{slice}-{number}", slice, SOUPS, (f"Soup {number} has no cream.", f"Soup {number} has cream.")
    )


EXAMPLES = [soup(number, slice) for slice in ("minpairs", "omission") for number in range(20)]


def edited(example: Example) -> Drawn:
    documents = tuple(replace(one, source="one", edit="swap") for one in example.documents)
    return Drawn("old", replace(example, documents=documents))


def test_a_draw_has_as_many_of_each_slice_as_asked_for_and_plants_in_one_of_eight() -> None:
    items, key = draw_items({"soups": EXAMPLES}, [edited(EXAMPLES[0])], per_slice=14, per_type=14, seed=1, per_batch=16)
    assert Counter(row.slice for row in key if not row.plant) == {"minpairs": 14, "omission": 14}
    assert Counter(row.plant for row in key if row.plant) == {"exchanged": 2, "incoherent": 1, "degenerate": 1}
    assert [item.item for item in items] == [row.item for row in key]
    assert Counter(row.batch for row in key if row.plant) == {"batch-01": 2, "batch-02": 2}


def test_another_seed_draws_others() -> None:
    first, again, other = (
        draw_items({"soups": EXAMPLES}, [], per_slice=5, per_type=5, seed=seed, per_batch=16)[1] for seed in (1, 1, 2)
    )
    assert first == again
    assert {row.example for row in first} != {row.example for row in other}


def test_a_page_shows_both_texts_whole_and_not_where_they_come_from() -> None:
    items, _ = draw_items({"soups": EXAMPLES[:1]}, [], per_slice=1, per_type=1, seed=1, per_batch=8)
    text = page(items)
    assert "Soup 0 has no cream." in text
    assert "minpairs-0" not in text


def test_an_exchanged_plant_shows_the_violating_text_as_the_satisfying_one() -> None:
    assert exchange_labels(EXAMPLES[0]).satisfying.text == "Soup 0 has cream."


def test_degenerate_queries_are_of_three_kinds() -> None:
    queries = {spoil_query(EXAMPLES[0], number).query for number in (0, 3, 6)}
    assert queries == {
        "soups without the",
        "soups without tax returns",
        "soups without cream and not soups without cream ones",
    }


def answer(item: str, *faults: str) -> Answer:
    said: dict[str, Any] = {question: question not in faults for question in QUESTIONS}
    return Answer(item, **said)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two examples and a plant in one batch, read by one who catches the plant and one who does not."""
    rows = [("item-1", "minpairs", ""), ("item-2", "omission", ""), ("item-3", "omission", "exchanged")]
    write_jsonl(
        tmp_path / "key.jsonl", [KeyRow(one, "batch-01", "soups", one, slice, plant) for one, slice, plant in rows]
    )
    careful = [answer("item-1", "natural", "edit"), answer("item-2"), answer("item-3", "satisfies")]
    careless = [answer("item-1"), answer("item-2", "clear"), answer("item-3")]
    (tmp_path / "answers").mkdir()
    write_jsonl(tmp_path / "answers" / "careful-batch-01.jsonl", careful)
    write_jsonl(tmp_path / "answers" / "careless-batch-01.jsonl", careless)
    return tmp_path


def test_the_table_has_the_faults_of_readers_who_count(folder: Path) -> None:
    rows = {(row["suite"], row["slice"]): row for row in validity_table(read_reading(folder)).to_records()}
    assert [rows["soups", "minpairs"][name] for name in ("n", "valid", "natural", "edit", "clear")] == [1, 0, 1, 1, 0]
    assert [rows["soups", "omission"][name] for name in ("n", "valid", "clear")] == [1, 1, 0]
    assert rows["all", "all"]["share"]["value"] == 0.5


def test_examples_that_only_a_careless_reader_has_read_are_unread(folder: Path) -> None:
    (folder / "answers" / "careful-batch-01.jsonl").unlink()
    assert read_reading(folder).unread() == {"batch-01": 2}


def test_answers_that_leave_an_item_out_are_refused(folder: Path) -> None:
    write_jsonl(folder / "answers" / "careful-batch-01.jsonl", [answer("item-1"), answer("item-2")])
    with pytest.raises(UserError, match="item-3"):
        read_reading(folder)
