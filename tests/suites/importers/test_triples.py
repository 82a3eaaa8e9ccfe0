"""Triples of one's own: what each format gives, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.app.cli.main import cli
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.experiments.load import load_suite
from constraintsuite.suites.importers import triples
from constraintsuite.suites.importers.folder import import_suite
from constraintsuite.suites.verification import verify_suite

SOUPS = {
    "query": "soups without cream",
    "satisfying": "A clear broth, no cream at all.",
    "violating": "A leek soup with cream.",
    "opposite": "soups with cream",
    "cuisine": "French",
}
HOTELS = {
    "query": "hotels, but without a pool",
    "satisfying": 'The "Alder" has no pool.',
    "violating": "The Birch has a pool.",
    "opposite": "",
    "cuisine": "",
}


def as_csv(rows: list[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_jsonl(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_yaml(rows: list[dict[str, str]]) -> str:
    return yaml.safe_dump(rows, allow_unicode=True)


WRITERS = {"csv": as_csv, "jsonl": as_jsonl, "yaml": as_yaml}


def read(file: Path, text: str) -> tuple[Example, ...]:
    file.write_text(text, encoding="utf-8", newline="")
    return triples.read(str(file), None).examples


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_gives_the_same_examples(tmp_path: Path, ending: str) -> None:
    soups, hotels = read(tmp_path / f"mine.{ending}", WRITERS[ending]([SOUPS, HOTELS]))
    assert (soups.id, soups.query, soups.opposite, soups.slice) == (
        "mine_00001",
        "soups without cream",
        "soups with cream",
        "paired",
    )
    assert (soups.satisfying.text, soups.violating.text) == (SOUPS["satisfying"], SOUPS["violating"])
    assert [one.query for one in soups.preferences] == ["query", "opposite"]
    assert soups.tags["cuisine"] == "French"
    assert (hotels.id, hotels.opposite, hotels.slice) == ("mine_00002", None, "single")
    assert [one.query for one in hotels.preferences] == ["query"]
    assert "cuisine" not in hotels.tags


def test_optional_fields_are_those_of_an_example(tmp_path: Path) -> None:
    row = {
        **SOUPS,
        "id": "s1",
        "topic": "soups",
        "restated": "soups that are free of cream",
        "satisfying_title": "Broth",
        "violating_title": "Leeks",
        "split": "validation",
        "slice": "menu",
        "domain": "food",
    }
    (example,) = read(tmp_path / "mine.csv", as_csv([row]))
    assert (example.id, example.topic, example.restated) == ("s1", "soups", "soups that are free of cream")
    assert (example.satisfying.title, example.violating.title) == ("Broth", "Leeks")
    assert (example.split, example.slice, example.domain) == ("dev", "menu", "food")
    assert [one.query for one in example.preferences] == ["query", "opposite", "restated"]
    assert set(example.tags) == {"overlap", "length", "cuisine"}


def test_examples_with_a_common_text_are_resampled_together(tmp_path: Path) -> None:
    first, second = read(tmp_path / "mine.csv", as_csv([SOUPS, {**HOTELS, "violating": SOUPS["violating"]}]))
    assert set(first.clusters) & set(second.clusters) == {first.violating.source}


def test_numbers_and_truth_values_of_json_are_groups(tmp_path: Path) -> None:
    row = {**SOUPS, "year": 2020, "vegan": True, "price": None}
    (example,) = read(tmp_path / "mine.jsonl", json.dumps(row))
    assert (example.tags["year"], example.tags["vegan"]) == ("2020", "true")
    assert "price" not in example.tags


CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]) | st.just("\n")
WORDS = st.text(CHARACTERS, max_size=12)
TEXTS = WORDS.map(str.strip).filter(bool)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, WORDS, WORDS), min_size=1, max_size=5))
def test_what_is_written_is_read_again_from_csv_and_json_lines(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, str, str, str, str]]
) -> None:
    rows = [
        dict(zip(SOUPS, values, strict=True))
        for values in made
        if values[1] != values[2] and values[3].strip() != values[0]
    ]
    if not rows:
        return
    folder = tmp_path_factory.mktemp("rows")
    for ending in ("csv", "jsonl"):
        found = [
            (e.query, e.satisfying.text, e.violating.text, e.opposite or "", e.tags.get("cuisine", ""))
            for e in read(folder / f"rows.{ending}", WRITERS[ending](rows))
        ]
        assert found == [tuple(value.strip() for value in row.values()) for row in rows]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "query;satisfying\n", r"a\.csv:1: the first row must name .* There are: query;satisfying\."),
        ("a.csv", "query,satisfying,violating,query\n", r"a\.csv:1: two columns are called 'query'"),
        ("a.csv", "query,satisfying,violating\nq,b\n", r"a\.csv:2: 2 cells, but the first row names 3 columns"),
        ("a.csv", "query,satisfying,violating\nq,b,c\n,b,c\n", r"a\.csv:3: query: the field is empty"),
        ("a.csv", "query,satisfying,violating\nq,b,b\n", r"a\.csv:2: violating: the same text as satisfying"),
        ("a.csv", "query,satisfying,violating,opposite\nq,b,c,q\n", r"a\.csv:2: opposite: the same text as query"),
        ("a.csv", "query,satisfying,violating,split\nq,b,c,all\n", r"a\.csv:2: split: 'all' is none of train, dev"),
        ("a.csv", "query,satisfying,violating,edit\nq,b,c,\n", r"a\.csv:2: edit: every suite has a grouping"),
        ("a.csv", "query,satisfying,violating,a=b\nq,b,c,\n", r"a\.csv:2: 'a=b': the name of a group"),
        ("a.csv", "query,satisfying,violating,id\nq,b,c,x\nr,b,c,x\n", r"a\.csv:3: id: 'x' was there .*a\.csv:2"),
        ("a.csv", "query,satisfying,violating\n", r"a\.csv: holds no triple"),
        ("a.jsonl", '{"query": "q", "satisfing": "b"}', r"a\.jsonl:1: satisfying: .* Did you mean 'satisfing'\?"),
        ("a.jsonl", '{"query": ["q"]}', r"a\.jsonl:1: query: expected a text or a number, found a list"),
        ("a.yaml", "- query: q\n- hello\n", r"a\.yaml:2: expected a mapping"),
        ("a.yaml", "query: q\n", r"a\.yaml:1: expected a list"),
        ("a.txt", "q", r"a\.txt: the name of a file of triples ends in"),
    ],
)
def test_a_fault_is_named_with_its_file_its_line_and_its_field(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=message):
        import_suite("triples", str(tmp_path / name), tmp_path / "suite")
    assert not (tmp_path / "suite").exists()


def test_examples_without_an_opposite_query_count_in_no_paired_figure(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(as_csv([SOUPS, HOTELS, {**HOTELS, "query": "hotels with no pool"}]))
    suite = import_suite("triples", str(tmp_path / "mine.csv"), tmp_path / "suite").path
    assert verify_suite(suite) == []
    arguments = ["eval", str(suite), "--model", "bm25", "--out", str(tmp_path / "runs")]
    printed = CliRunner().invoke(cli, arguments, catch_exceptions=False).stdout
    paired, single = printed.split("Accuracy of examples without an opposite query")
    assert "n=1" in paired
    assert "n=2" not in paired
    assert "chance                25.0" in paired
    assert "n=2" in single
    assert "50.0" in single
    summary = json.loads((tmp_path / "runs" / "suite" / "bm25" / "summary.json").read_text())
    assert (summary["headline_metric"], summary["headline"]["metrics"]["paired_accuracy"]["n"]) == (
        "paired_accuracy",
        1,
    )


def test_the_command_shows_the_first_example_as_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(as_csv([SOUPS, HOTELS]))
    arguments = ["import", "triples", str(tmp_path / "mine.csv"), "--out", str(tmp_path / "suite")]
    printed = CliRunner().invoke(cli, arguments, catch_exceptions=False).stdout
    assert "  violating:  A leek soup with cream." in printed.splitlines()
    assert len(load_suite(tmp_path / "suite").examples) == 2
