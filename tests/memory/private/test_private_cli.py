"""`csuite memory private` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from constraintsuite.app.cli.memory.private import private
from memory.private.small_pilot import (
    CASES,
    GOLD,
    labelled,
    read_rows,
    select,
    write_cases,
    write_documents,
    write_rows,
)


def csuite(*arguments: object) -> Result:
    return CliRunner().invoke(private, [str(argument) for argument in arguments])


def ok(*arguments: object) -> str:
    result = csuite(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def test_from_documents_to_a_benchmark_and_its_drift(tmp_path: Path) -> None:
    documents, pilot = write_documents(tmp_path / "documents"), tmp_path / "pilot"
    assert "2 documents" in ok("init", documents, "--out", pilot)
    select(pilot)
    write_cases(pilot, CASES)
    assert "version 1, 2 documents, 10 units" in ok("freeze", pilot)
    ok("sheet", pilot, "--annotator", "ann", "--annotator", "bob")
    for name in ("ann", "bob"):
        fill(pilot, name)
    assert csuite("agree", pilot).exit_code == 1  # two documents are too few for a lower bound of .85
    assert "passed" in ok("agree", pilot, "--least", 0)
    assert "4 golden cases, 1 shadow cases" in ok("export", pilot, "--out", tmp_path / "out")
    assert csuite("export", pilot, "--out", tmp_path / "again", "--require").exit_code == 1
    (documents / "garage_lease.md").write_text(
        (documents / "garage_lease.md").read_text().replace("two months", "a year")
    )
    assert "garage_lease: its text was changed" in str(csuite("freeze", pilot).exception)
    ok("freeze", pilot, "--new-version")
    versions = (pilot / "versions" / "1", pilot / "versions" / "2")
    found = json.loads(ok("drift", tmp_path / "out" / "shadow.jsonl", *versions, "--json"))
    assert [mode["mode"] for mode in found["modes"]] == ["lexical_baseline"]
    assert "at a budget of 10" in ok("drift", tmp_path / "out" / "shadow.jsonl", *versions)
    both = ok("drift", tmp_path / "out" / "shadow.jsonl", *versions, "--modes", "lexical_baseline,ppr", "--json")
    assert [one["mode"] for one in json.loads(both)["modes"]] == ["lexical_baseline", "ppr"]


def fill(pilot: Path, name: str) -> None:
    """Fill a sheet in as a reader would: by the question, with the ids of the reading copy."""
    evidence = {case["query"]: "; ".join(GOLD.get(case["case"], ())) for case in CASES}
    reading = (pilot / "sheets" / "1" / name / "documents.md").read_text()
    rows = read_rows(pilot / "sheets" / "1" / name / f"{name}.csv")
    for row in rows:
        if row["query"] not in evidence:  # a decoy: Which unit begins "..."?
            line = next(line for line in reading.splitlines() if row["query"].split('"')[1] in line)
            row["evidence"] = line.split("`")[1]
        else:
            row["evidence"] = evidence[row["query"]]
        row |= {"difficulty": "easy", "verdict": "unclear" if "petrol" in row["query"] else "good"}
    write_rows(pilot / f"{name}.csv", rows)
    ok("import", pilot, pilot / f"{name}.csv", "--annotator", name)


def test_what_annotators_differ_on_is_ruled_on(tmp_path: Path) -> None:
    pilot = labelled(tmp_path, differing={"fuel": ("garage_lease:2.1",)})
    assert "fuel  evidence  ann: garage_lease:2.2, bob: garage_lease:2.1" in ok("adjudicate", pilot)
    ok(
        "adjudicate",
        pilot,
        "--by",
        "cy",
        "--rule",
        "fuel",
        "evidence",
        "garage_lease:2.2",
        "--reason",
        "2.1 is about notice.",
    )
    assert "Waiting for a ruling: 0." in ok("adjudicate", pilot)
    assert json.loads(ok("export", pilot, "--out", tmp_path / "out", "--json"))["golden"] == 5


def test_agreement_as_json(tmp_path: Path) -> None:
    result = csuite("agree", labelled(tmp_path), "--by", "family", "--json")
    found = json.loads(result.output)
    assert found["evidence"]["jaccard"]["value"] == 1
    assert (found["passed"], result.exit_code) == (False, 1)


def test_agreement_is_not_told_of_cases_that_were_changed_since(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    assert "late-rent" in str(csuite("agree", pilot, "--least", 0).exception)


def test_an_older_version_is_measured_by_its_own_cases(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    lease = tmp_path / "documents" / "garage_lease.md"
    lease.write_text(lease.read_text().replace("90 euros", "95 euros"))
    ok("freeze", pilot, "--new-version")
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    assert "passed" in ok("agree", pilot, "--version", 1, "--least", 0)


def test_a_sheet_is_not_written_for_who_is_done(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    (pilot / "sheets").rename(tmp_path / "handed-out")
    said = ok("sheet", pilot, "--annotator", "ann", "--annotator", "cy")
    assert "ann has answered everything" in said
    assert "cy.csv: " in said


def test_a_model_without_vectors_is_no_encoder(tmp_path: Path) -> None:
    export = ok("export", labelled(tmp_path), "--out", tmp_path / "out")
    assert "1 shadow cases" in export
    version = tmp_path / "pilot" / "versions" / "1"
    result = csuite("drift", tmp_path / "out" / "shadow.jsonl", version, version, "--encoder", "bm25")
    assert "gives no vectors" in str(result.exception)
