"""`csuite gold` as a person uses it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.gold import gold
from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import write_batch
from constraintsuite.suites.annotation.kinds.written_queries import sample_passages
from constraintsuite.suites.annotation.records import EventDraft
from experiments.tiny_suite import EXAMPLES, write_suite
from suites.annotation.small_batch import START, read_csv, write_csv

OBEYING = {(example.query, example.satisfying.text) for example in EXAMPLES}

BREAKING = {(example.query, example.violating.text) for example in EXAMPLES}


def csuite(*arguments: object) -> Result:
    return CliRunner().invoke(gold, [str(argument) for argument in arguments])


def ok(*arguments: object) -> str:
    result = csuite(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def fault(*arguments: object) -> str:
    result = csuite(*arguments)
    assert isinstance(result.exception, UserError), result.output
    return str(result.exception)


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    ok("sample", write_suite(tmp_path / "suite"), "--repeats", 0)
    return tmp_path / "suite.gold"


def judge(batch: Path, name: str, **changes: str) -> str:
    sheet = batch.parent / f"{name}.csv"
    ok("sheet", batch, "--annotator", name, "--out", sheet)
    rows = read_csv(sheet)
    for row in rows:
        side = "first" if (row["query"], row["first"]) in OBEYING else "second"
        about = [name for name in ("first", "second") if (row["query"], row[name]) in OBEYING | BREAKING]
        said = {"natural": "yes", "satisfies": side, "on_topic": "; ".join(about), "grammatical": "first; second"}
        row |= {**said, **changes}
    return ok("import", batch, write_csv(batch.parent / f"{name}-done.csv", rows), "--annotator", name)


def test_from_suite_to_labels(batch: Path, tmp_path: Path) -> None:
    assert "24 new or changed answers saved. ann: 6 of 6 done." in judge(batch, "ann")
    judge(batch, "bob", natural="awkward")
    assert "waiting for a ruling: 5" in ok("status", batch)
    ok("adjudicate", batch, "--by", "cy", "--sheet", tmp_path / "cy.csv")
    rows = [{**row, "ruling": "yes", "reason": "People do type this."} for row in read_csv(tmp_path / "cy.csv")]
    ok("adjudicate", batch, "--by", "cy", "--from", write_csv(tmp_path / "cy-done.csv", rows))
    assert "Waiting for a ruling: 0." in ok("adjudicate", batch)
    text = ok("export", batch, "--out", tmp_path / "out")
    assert "5 keep, 0 repair, 0 drop, 0 open" in text
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        *("labels.jsonl", "events.jsonl", "gold.jsonl", "repair.jsonl", "drop.jsonl")
    }


def test_agreement_in_words_and_as_json(batch: Path) -> None:
    judge(batch, "ann")
    judge(batch, "bob")
    text = ok("agree", batch)
    assert "satisfies" in text
    assert "chose first text" in text
    found = json.loads(ok("agree", batch, "--by", "slice", "--json"))
    assert {row["group"] for row in found["questions"]} > {"all", "omission"}
    assert [one["annotator"] for one in found["annotators"]] == ["ann", "bob"]


def test_who_answers_without_care_is_named_and_can_be_left_out(tmp_path: Path) -> None:
    examples = [replace(EXAMPLES[n % len(EXAMPLES)], id=f"e{n}", couple="", clusters=(f"c{n}",)) for n in range(100)]
    ok("sample", write_suite(tmp_path / "suite", examples, ()), "--repeats", 0, "-n", 100)
    batch = tmp_path / "suite.gold"
    judge(batch, "ann", on_topic="none", satisfies="first")
    judge(batch, "bob")
    text = ok("agree", batch)
    assert "ann failed the decoys: 0.0 % of the known answers were right, in 5 decoys" in text
    assert "ann seems to choose by position: the first text in" in text
    assert "Leave them out with --without NAME." in text
    assert "bob failed" not in text
    assert [one["annotator"] for one in json.loads(ok("agree", batch, "--json"))["concerns"]][:2] == ["ann", "ann"]
    assert "ann failed the decoys" in ok("export", batch, "--out", tmp_path / "all")
    assert [one["annotator"] for one in json.loads(ok("agree", batch, "--without", "ann", "--json"))["annotators"]] == [
        "bob"
    ]
    assert "failed" not in ok("export", batch, "--out", tmp_path / "some", "--without", "ann")
    assert "nobody of this name" in fault("agree", batch, "--without", "an")


def test_few_decoys_are_said_to_be_few(batch: Path) -> None:
    judge(batch, "ann")
    assert "Too few decoys to know who reads with care: ann 1 answered, but each person needs 5." in ok("agree", batch)


def test_one_ruling_by_hand(batch: Path) -> None:
    judge(batch, "ann")
    judge(batch, "bob", natural="no")
    ruling = ("--rule", "nutless", "natural", "yes")
    assert "needs a reason" in fault("adjudicate", batch, "--by", "cy", *ruling)
    ok("adjudicate", batch, "--by", "cy", *ruling, "--reason", "Bakers ask for exactly this.")
    assert len(json.loads(ok("adjudicate", batch, "--json"))) == 4


def test_nothing_is_overwritten(batch: Path, tmp_path: Path) -> None:
    assert "this already exists" in fault("sample", tmp_path / "suite")
    ok("sheet", batch, "--annotator", "ann", "--out", tmp_path / "ann.csv")
    assert "may hold somebody's work" in fault("sheet", batch, "--annotator", "ann", "--out", tmp_path / "ann.csv")


def test_options_that_do_not_go_together(batch: Path, tmp_path: Path) -> None:
    assert "Give --by NAME" in fault("adjudicate", batch, "--sheet", tmp_path / "x.csv")
    assert "takes no --proposals" in fault(
        "export", batch, "--out", tmp_path / "o", "--proposals", tmp_path / "p.jsonl"
    )
    assert "takes no --require" in fault("export", batch, "--out", tmp_path / "o", "--require")
    assert "this is not a batch" in fault("status", tmp_path)


def test_written_queries_are_exported_as_nevir(tmp_path: Path) -> None:
    batch = write_batch(tmp_path / "batch", sample_passages(write_suite(tmp_path / "suite"), 1, 0), repeats=0.0)
    (item,) = batch.judged
    queries = ("which soup suits people", "which soup suits children")
    batch.store.append([EventDraft("ann", item.id, f"query_{n}", query) for n, query in enumerate(queries, 1)], START)
    assert json.loads(ok("export", batch.path, "--out", tmp_path / "out", "--json"))["rows"] == {"test": 1}
    assert (tmp_path / "out" / "test.jsonl").is_file()
