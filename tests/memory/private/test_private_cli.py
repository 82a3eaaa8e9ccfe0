"""A private benchmark as a person makes it: `csuite memory private`, and `csuite gold` where people judge."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from constraintsuite.app.cli.main import cli
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


def csuite(command: str, *arguments: object) -> Result:
    """Run a command such as "gold agree"."""
    return CliRunner().invoke(cli, [*command.split(), *map(str, arguments)])


def ok(command: str, *arguments: object) -> str:
    result = csuite(command, *arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def test_from_documents_to_a_benchmark_and_its_drift(tmp_path: Path) -> None:
    documents, pilot = write_documents(tmp_path / "documents"), tmp_path / "pilot"
    assert "2 documents" in ok("memory private init", documents, "--out", pilot)
    select(pilot)
    write_cases(pilot, CASES)
    assert "version 1, 2 documents, 10 units" in ok("memory private freeze", pilot)
    for name in ("ann", "bob"):
        fill(pilot, name)
    assert "5 items\nann: 6 of 6 done" in ok("gold status", pilot)
    assert csuite("gold agree", pilot).exit_code == 1  # two documents are too few for a lower bound of .85
    assert "passed" in ok("gold agree", pilot, "--claim", 0)
    assert "4 golden cases, 1 shadow cases" in ok("gold export", pilot, "--out", tmp_path / "out")
    assert csuite("gold export", pilot, "--out", tmp_path / "again", "--require").exit_code == 1
    assert not (tmp_path / "again").exists()
    (documents / "garage_lease.md").write_text(
        (documents / "garage_lease.md").read_text().replace("two months", "a year")
    )
    assert "garage_lease: its text was changed" in str(csuite("memory private freeze", pilot).exception)
    ok("memory private freeze", pilot, "--new-version")
    drift = "memory private drift"
    replayed = (tmp_path / "out" / "shadow.jsonl", pilot / "versions" / "1", pilot / "versions" / "2")
    assert [mode["mode"] for mode in json.loads(ok(drift, *replayed, "--json"))["modes"]] == ["lexical_baseline"]
    assert "at a budget of 10" in ok(drift, *replayed)
    both = json.loads(ok(drift, *replayed, "--modes", "lexical_baseline,ppr", "--json"))
    assert [one["mode"] for one in both["modes"]] == ["lexical_baseline", "ppr"]


def fill(pilot: Path, name: str) -> None:
    """Fill a sheet in as a reader would: by the question, with the ids of the reading copy."""
    evidence = {case["query"]: "; ".join(GOLD.get(case["case"], ())) for case in CASES}
    sheet = pilot / name / "sheet.csv"
    assert f"tasks for {name}" in ok("gold sheet", pilot, "--annotator", name, "--out", sheet)
    assert {file.name for file in sheet.parent.iterdir()} == {"sheet.csv", "sheet.guide.md", "sheet.documents.md"}
    reading = (pilot / name / "sheet.documents.md").read_text()
    rows = read_rows(sheet)
    for row in rows:
        if row["query"] not in evidence:  # a decoy: Which unit begins "..."?
            line = next(line for line in reading.splitlines() if row["query"].split('"')[1] in line)
            row["evidence"] = line.split("`")[1]
        else:
            row["evidence"] = evidence[row["query"]]
        row |= {"difficulty": "easy", "verdict": "unclear" if "petrol" in row["query"] else "good"}
    write_rows(pilot / f"{name}.csv", rows)
    ok("gold import", pilot, pilot / f"{name}.csv", "--annotator", name)


def test_what_annotators_differ_on_is_ruled_on(tmp_path: Path) -> None:
    pilot = labelled(tmp_path, differing={"fuel": ("garage_lease:2.1",)})
    assert "fuel  evidence  ann: garage_lease:2.2, bob: garage_lease:2.1" in ok("gold adjudicate", pilot)
    ruling = ("--rule", "fuel", "evidence", "garage_lease:2.2", "--reason", "2.1 is about notice.")
    ok("gold adjudicate", pilot, "--by", "cy", *ruling)
    assert "Waiting for a ruling: 0." in ok("gold adjudicate", pilot)
    assert json.loads(ok("gold export", pilot, "--out", tmp_path / "out", "--json"))["golden"] == 5


def test_somebody_is_left_out_of_a_benchmark(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    found = json.loads(ok("gold export", pilot, "--out", tmp_path / "out", "--without", "bob", "--json"))
    assert (found["golden"], found["left_out"]) == (0, {"verdict: only one has answered": 5})


def test_agreement_as_json(tmp_path: Path) -> None:
    result = csuite("gold agree", labelled(tmp_path), "--by", "family", "--json")
    found = json.loads(result.output)
    assert found["evidence"]["jaccard"]["value"] == 1
    assert (found["passed"], result.exit_code) == (False, 1)


def test_agreement_is_not_told_of_cases_that_were_changed_since(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    assert "late-rent" in str(csuite("gold agree", pilot, "--claim", 0).exception)


def test_an_older_version_is_measured_by_its_own_cases(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    lease = tmp_path / "documents" / "garage_lease.md"
    lease.write_text(lease.read_text().replace("90 euros", "95 euros"))
    ok("memory private freeze", pilot, "--new-version")
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    assert "passed" in ok("gold agree", pilot / "batches" / "1", "--claim", 0)


def test_a_sheet_is_not_written_for_who_is_done(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    result = csuite("gold sheet", pilot, "--annotator", "ann", "--out", tmp_path / "ann.csv")
    assert "ann has answered everything" in str(result.exception)
    assert not list(tmp_path.glob("ann*"))
    assert "cy.csv: " in ok("gold sheet", pilot, "--annotator", "cy", "--out", tmp_path / "cy.csv")


def test_a_model_without_vectors_is_no_encoder(tmp_path: Path) -> None:
    export = ok("gold export", labelled(tmp_path), "--out", tmp_path / "out")
    assert "1 shadow cases" in export
    version = tmp_path / "pilot" / "versions" / "1"
    result = csuite("memory private drift", tmp_path / "out" / "shadow.jsonl", version, version, "--encoder", "bm25")
    assert "gives no vectors" in str(result.exception)
