"""A new constraint type is one file, one line of a catalogue and one test; this is all three, for a type made up here.

`shorter` asks for texts of fewer than so many words: "campsites in under 10 words". Nothing else in the package knows of it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import jsonschema
import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.main import cli
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.constraints import CONSTRAINTS, Constraint, Evidence
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    Control,
    Example,
    ExampleDocument,
    ExampleSource,
)
from constraintsuite.core.store import jsonl
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import encode, read_jsonl, write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.load import Run, load_run, load_suite
from constraintsuite.experiments.pairs import group_examples
from constraintsuite.suites.audit.audit import audit_examples
from constraintsuite.suites.audit.solvers import SOLVERS, Solver, prefer_lower
from constraintsuite.suites.constraints.base import ConstraintType, load_solver, solvers_for
from constraintsuite.suites.examples import example_schema
from constraintsuite.suites.verification import verify_suite
from experiments.tiny_suite import CREAMLESS
from experiments.tiny_suite import EXAMPLES as EXCLUSIONS

# ---- The one file: it would be `suites/constraints/shorter.py`. ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Shorter(Constraint):
    """A query for texts of fewer than `words` words; evidence is how many each document has."""

    type: Literal["shorter"] = "shorter"
    words: int
    """The first number that is too many."""


def count_words(text: str) -> int:
    """Words, parted by white space."""
    return len(text.split())


def _count_commas(example: Example, role: str) -> int:
    return example.document(role).text.count(",")


FEWER_COMMAS = Solver("fewer_commas", "the text with fewer commas", prefer_lower(_count_commas))


@dataclass(frozen=True, slots=True)
class ShorterType:
    """How lengths are checked and audited."""

    record: type[Constraint] = Shorter
    solvers: tuple[Solver, ...] = (FEWER_COMMAS,)

    def by_construction(self, example: Example, solver: str) -> str:
        """A solver that counts words does what the query asks for."""
        return "the shorter text is the right one" if solver == "shorter" else ""

    def faults(self, examples: Sequence[Example]) -> Iterator[str]:
        """Count again."""
        for example in examples:
            assert isinstance(example.constraint, Shorter)
            limit = example.constraint.words
            lengths = [count_words(document.text) for document in (example.satisfying, example.violating)]
            if not lengths[0] < limit <= lengths[1]:
                yield f"{example.id}: {lengths[0]} and {lengths[1]} words do not lie on both sides of {limit}"


SHORTER = ShorterType()

# ---- The one line of the catalogue `CONSTRAINTS` in `core/records/constraints.py`. ----

LINE = {"shorter": f"{__name__}:SHORTER"}

# ---- The one test: examples of the type go through everything that takes examples. ----


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue with its new line; readers and writers that were made before do not know it."""
    monkeypatch.setattr(jsonl, "_ADAPTERS", {})
    for name, place in LINE.items():
        monkeypatch.setitem(cast(dict[str, str], CONSTRAINTS.places), name, place)


PLACES = ("river", "hill", "lake", "wood", "farm", "beach", "pond", "moor", "dale", "field", "cliff", "road")
LIMIT = 10


def make_example(number: int) -> Example:
    """A campsite in a few words against another in many."""
    place = PLACES[number]
    short = f"A campsite by the {place}, quiet and green."
    long = f"The campsite beyond the {place} has pitches for tents and vans with a view of the hills."
    evidence = tuple(
        Evidence(role, 0, len(text), f"{count_words(text)} words", "count")
        for role, text in (("satisfying", short), ("violating", long))
    )
    return Example(
        id=f"lengths_{place}",
        slice="lengths",
        constraint=Shorter(value=f"{LIMIT} words", cue="under", forms=(), evidence=evidence, words=LIMIT),
        query=f"campsites near a {place} in under {LIMIT} words",
        opposite=f"campsites near a {place} in {LIMIT} words or more",
        topic=f"campsites near a {place}",
        restated=None,
        documents=(
            ExampleDocument("satisfying", f"{place}-a", f"Short {place}", short, f"{place}-a"),
            ExampleDocument("violating", f"{place}-b", f"Long {place}", long, f"{place}-b"),
        ),
        preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE),
        source=ExampleSource("campsites"),
        split="test",
        couple="",
        clusters=(place,),
        domain="travel",
        relation="length",
        template="UNDER_N",
        template_family="length.UNDER_N",
        tags={"difficulty": "easy", "limit": str(LIMIT)},
    )


EXAMPLES = tuple(make_example(number) for number in range(len(PLACES)))
LOUD = replace(
    EXAMPLES[0],
    id="loud_river",
    slice="nonflip",
    query=EXAMPLES[0].query.upper(),
    control=Control("case", original=EXAMPLES[0].id),
)


@pytest.fixture
def suite(line: None, tmp_path: Path) -> Path:
    return write_suite(tmp_path / "lengths", EXAMPLES)


def write_suite(folder: Path, examples: Sequence[Example]) -> Path:
    write_jsonl(folder / "examples.jsonl", examples)
    write_jsonl(folder / "controls.jsonl", [LOUD])
    (folder / "README.md").write_text("# Lengths\n\nCampsites in few words.\n")
    (folder / "audit.json").write_bytes(encode(audit_examples(examples, seed=0)))
    finish(
        folder,
        ArtifactOrigin("suite", "lengths", {}, {}, 0, Revision(1)),
        {"examples": len(examples), "controls": 1},
        {},
        0.0,
    )
    return folder


def csuite(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout


def shorter(example: Example) -> Shorter:
    assert isinstance(example.constraint, Shorter)
    return example.constraint


def test_the_type_keeps_the_contract() -> None:
    kept: ConstraintType = SHORTER
    assert kept.record is Shorter


def test_an_example_is_read_back_with_the_field_of_its_own_type(line: None, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "examples.jsonl", EXAMPLES)
    assert tuple(read_jsonl(tmp_path / "examples.jsonl", Example)) == EXAMPLES
    written = json.loads(encode(EXAMPLES[0]))["constraint"]
    assert (written["type"], written["value"], written["words"]) == ("shorter", "10 words", 10)


def test_both_types_stand_in_one_file(line: None, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "examples.jsonl", [EXAMPLES[0], CREAMLESS, replace(CREAMLESS, constraint=None)])
    first, second, third = read_jsonl(tmp_path / "examples.jsonl", Example)
    assert (first, second, third.constraint) == (EXAMPLES[0], CREAMLESS, None)


def test_a_wrong_value_in_its_own_field_is_named(line: None, tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_bytes(encode(EXAMPLES[0]).replace(b'"words":10', b'"words":"many"'))
    with pytest.raises(
        UserError, match=r"examples\.jsonl:1: constraint\.shorter\.words: Input should be a valid integer"
    ):
        list(read_jsonl(path, Example))


def test_without_the_line_the_type_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("line")
    write_jsonl(tmp_path / "examples.jsonl", EXAMPLES)
    monkeypatch.undo()
    with pytest.raises(UserError) as refused:
        list(read_jsonl(tmp_path / "examples.jsonl", Example))
    assert str(refused.value).startswith(f"{tmp_path / 'examples.jsonl'}:1: constraint: ")
    assert "'shorter'" in str(refused.value)
    assert "'exclude'" in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_the_published_schema_has_the_type_with_its_field(line: None) -> None:
    validator = jsonschema.Draft202012Validator(example_schema())
    row: dict[str, Any] = json.loads(encode(EXAMPLES[0]))
    validator.validate(row)
    row["constraint"]["words"] = "many"
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(row)


def test_a_suite_of_it_is_loaded(suite: Path) -> None:
    loaded = load_suite(suite)
    assert (loaded.examples, loaded.controls) == (EXAMPLES, (LOUD,))
    assert {shorter(example).words for example in loaded.examples} == {10}


def test_figures_are_split_up_by_it(suite: Path) -> None:
    parts = group_examples(EXAMPLES, [LOUD])
    assert parts["constraint"] == {"shorter": list(range(len(EXAMPLES)))}
    assert parts["cue"] == {"under": list(range(len(EXAMPLES)))}
    assert parts["limit"] == {"10": list(range(len(EXAMPLES)))}  # every tag is a grouping


def test_a_model_is_evaluated_on_it(suite: Path, tmp_path: Path) -> None:
    run = evaluate(suite, tmp_path / "runs")
    assert [result.id for result in run.results] == [*(example.id for example in EXAMPLES), LOUD.id]
    group = run.summary.by["constraint"]["shorter"]
    assert group.items == len(EXAMPLES)
    assert group.metrics["accuracy"] == run.summary.overall.metrics["accuracy"]
    assert group.metrics["paired_accuracy"].value == 0.0  # BM25 cannot count


def evaluate(suite: Path, runs: Path) -> Run:
    csuite("eval", suite, "--model", "bm25", "--out", runs)
    return load_run(runs / suite.name / "bm25")


def test_verify_asks_the_type_for_labels_that_no_longer_hold(suite: Path, tmp_path: Path) -> None:
    assert verify_suite(suite) == []
    longer = replace(EXAMPLES[3].satisfying, text=f"{EXAMPLES[3].satisfying.text} It is far from here.")
    spoilt = replace(EXAMPLES[3], documents=(longer, EXAMPLES[3].violating))
    folder = write_suite(tmp_path / "spoilt", [*EXAMPLES[:3], spoilt, *EXAMPLES[4:]])
    told = csuite("verify", folder, code=1)
    assert told == "lengths_wood: 13 and 17 words do not lie on both sides of 10\n"


def test_the_audit_tries_the_solver_of_the_type_beside_those_of_every_suite(suite: Path) -> None:
    assert list(solvers_for(EXAMPLES[0])) == [*(solver.name for solver in SOLVERS), "fewer_commas"]
    assert load_solver("fewer_commas") is FEWER_COMMAS
    rows = json.loads(csuite("suite", "audit", suite, "--json"))["audit"]["rows"]
    tried = {(row["slice"], row["solver"]) for row in rows}
    every = (solver.name for solver in SOLVERS if solver.name != "looks_edited")  # nothing is edited here
    expected = ("query_blind", "template", *every, "fewer_commas")
    assert tried == {(part, solver) for part in ("all", "shorter lengths") for solver in expected}


def test_the_audit_tells_what_the_type_means_from_what_leaks(suite: Path) -> None:
    rows = json.loads(csuite("suite", "audit", suite, "--json"))["audit"]["rows"]
    verdicts = {row["solver"]: (row["verdict"], row["reason"]) for row in rows if row["slice"] == "shorter lengths"}
    assert verdicts["shorter"] == ("met", "the shorter text is the right one")
    assert verdicts["fewer_commas"] == ("not_met", "")  # each short text has a comma, and no long one
    page = csuite("suite", "audit", suite)
    assert "avoiding the text with fewer commas (`fewer_commas`) is right in 100.0 %" in page
    assert "- `shorter`: the shorter text is the right one." in page
    assert "- `fewer_commas`: the text with fewer commas." in page


def test_it_is_shown_counted_and_sampled(suite: Path) -> None:
    assert csuite("show", suite) == "# Lengths\n\nCampsites in few words.\n\n"
    tables = json.loads(csuite("suite", "stats", suite, "--json"))
    assert tables["main"]["constraint"] == {"shorter": len(EXAMPLES)}
    assert tables["main"]["slice"] == {"lengths": len(EXAMPLES)}
    assert tables["controls"]["control"] == {"case": 1}
    sample = csuite("suite", "sample", suite, "-n", len(EXAMPLES))
    assert "  query:      campsites near a hill in under 10 words" in sample
    assert f"    satisfying: {EXAMPLES[1].satisfying.text!r} 8 words (count)" in sample


def export(suite: Path, kind: str, folder: Path) -> Path:
    told = csuite("suite", "export", suite, "--format", kind, "--out", folder / kind)
    assert told.startswith(f"{len(EXAMPLES)} examples and 1 controls written to ")
    return folder / kind


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]


def test_it_is_exported_to_beir(suite: Path, tmp_path: Path) -> None:
    folder = export(suite, "beir", tmp_path)
    queries = {row["_id"]: row["text"] for row in rows_of(folder / "queries.jsonl")}
    assert queries["lengths_hill_query"] == "campsites near a hill in under 10 words"
    assert queries["lengths_hill_opposite"] == "campsites near a hill in 10 words or more"
    qrels = (folder / "qrels" / "test.tsv").read_text().splitlines()
    assert {"lengths_hill_query\thill-a\t1", "lengths_hill_opposite\thill-b\t1"} <= set(qrels)
    assert [row["text"] for row in rows_of(folder / "nonflip" / "queries.jsonl")] == [LOUD.query, LOUD.opposite]


def test_it_is_exported_to_nevir_rows(suite: Path, tmp_path: Path) -> None:
    first = rows_of(export(suite, "nevir", tmp_path) / "test.jsonl")[0]
    example = EXAMPLES[0]
    assert (first["q1"], first["doc1"]) == (example.query, example.satisfying.text)
    assert (first["q2"], first["doc2"]) == (example.opposite, example.violating.text)


def test_it_is_exported_to_csv(suite: Path, tmp_path: Path) -> None:
    with (export(suite, "csv", tmp_path) / "examples.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    assert {(row["slice"], row["constraint"], row["value"]) for row in cells} == {("lengths", "shorter", "10 words")}


def test_it_is_exported_to_a_dataset_folder_with_its_field(suite: Path, tmp_path: Path) -> None:
    folder = export(suite, "hf", tmp_path)
    schema = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    for row in rows_of(folder / "data" / "lengths" / "test.jsonl"):
        jsonschema.validate(row, schema)
        assert json.loads(row["constraint"])["words"] == 10
    assert [row["id"] for row in rows_of(folder / "data" / "nonflip" / "test.jsonl")] == [LOUD.id]


def test_the_guides_json_holds_exclusions_only_and_says_so(suite: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No example has both an exclusion and an opposite query"):
        csuite("suite", "export", suite, "--format", "guide", "--out", tmp_path / "guide")
    assert not (tmp_path / "guide").exists()


def test_a_report_has_it_among_other_types_with_its_evidence_and_its_solver(line: None, tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "mixed", [*EXAMPLES, *EXCLUSIONS])
    evaluate(suite, tmp_path / "runs")
    csuite("report", tmp_path / "runs" / "mixed" / "bm25", "--out", tmp_path / "page")
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert '<mark class="evidence" title="evidence">A campsite by the ' in page
    assert '<small class="says">8 words</small>' in page
    assert "shorter <strong>10 words</strong> by “under”" in page
    assert "In shorter lengths, avoiding the text with fewer commas (`fewer_commas`) is right in 100.0 %" in page
    groups = cells_of(tmp_path / "page" / "tables" / "accuracy_by_constraint.csv")
    assert {"exclude", "shorter"} <= groups
    assert {"fewer_commas", "fewer_y"} <= cells_of(tmp_path / "page" / "tables" / "audit.csv")


def cells_of(table: Path) -> set[str]:
    with table.open(encoding="utf-8", newline="") as file:
        return {cell for row in csv.reader(file) for cell in row}
