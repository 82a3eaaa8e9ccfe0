"""`csuite suite` as a user meets it: counts that add up, faults that are named, exports with their controls."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.show import show, verify
from constraintsuite.app.cli.suite import suite as commands
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import MAIN_SLICES, QUERY_PREFERENCE, Example
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.pairs import group_examples
from constraintsuite.suites.export import EXPORTERS
from constraintsuite.suites.importers.folder import import_suite


def suite(*arguments: object) -> Result:
    return CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=False)


def verified(folder: Path) -> Result:
    return CliRunner().invoke(verify, [str(folder)], catch_exceptions=False)


def read(folder: Path, name: str) -> list[Example]:
    return list(read_jsonl(folder / name, Example))


def test_stats_count_main_examples_and_controls_apart(small_suite: Path) -> None:
    tables = json.loads(suite("stats", small_suite, "--json").stdout)
    main, controls = read(small_suite, "examples.jsonl"), read(small_suite, "controls.jsonl")
    assert set(tables["main"]["slice"]) <= set(MAIN_SLICES)
    assert not set(tables["controls"]["slice"]) & set(MAIN_SLICES)
    whole = ["slice", "split", "domain", "relation", "edited", "edit", "constraint", "cue", "template"]
    whole += ["difficulty", "overlap", "length", "explicitness", "denial"]
    assert {name: sum(tables["main"][name].values()) for name in whole} == dict.fromkeys(whole, len(main))
    assert {name: sum(counts.values()) for name, counts in tables["controls"].items()} == dict.fromkeys(
        ["slice", "split", "domain", "relation", "control"], len(controls)
    )
    assert tables["main"]["domain"] == Counter(example.domain for example in main)
    assert tables["controls"]["control"] == Counter(one.control.kind for one in controls if one.control)


def test_stats_have_the_names_by_which_figures_are_split_up(small_suite: Path) -> None:
    tables = json.loads(suite("stats", small_suite, "--json").stdout)
    names = group_examples(read(small_suite, "examples.jsonl"), read(small_suite, "controls.jsonl"))
    assert [*tables["main"], "control"] == list(names)
    assert set(tables["controls"]) <= set(names)


def test_stats_in_words_have_a_heading_for_each_part(small_suite: Path) -> None:
    lines = suite("stats", small_suite).stdout.splitlines()
    main, controls = read(small_suite, "examples.jsonl"), read(small_suite, "controls.jsonl")
    assert [line for line in lines if not line.startswith(" ")] == [
        f"main: {len(main)}",
        f"controls: {len(controls)}",
    ]
    edit = lines[lines.index("  edit") :]
    natural = next(line for line in edit if line.endswith(" natural"))
    assert int(natural.split()[0]) == sum(not example.is_edited for example in main)


@pytest.mark.parametrize("kind", EXPORTERS.names())
def test_an_export_takes_the_controls_along(small_suite: Path, tmp_path: Path, kind: str) -> None:
    result = suite("export", small_suite, "--format", kind, "--out", tmp_path / kind)
    main, controls = read(small_suite, "examples.jsonl"), read(small_suite, "controls.jsonl")
    assert result.stdout == f"{len(main)} examples and {len(controls)} controls written to {tmp_path / kind}\n"
    written = "\n".join(path.read_text(encoding="utf-8") for path in (tmp_path / kind).rglob("*") if path.is_file())
    assert [one.id for one in [*main, *controls] if one.id not in written] == []


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """A suite without pairs."""
    source = tmp_path / "negconstraint"
    source.mkdir()
    (source / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "A town."}\n')
    (source / "queries.jsonl").write_text('{"_id": "q1", "text": "places without a port"}\n')
    (source / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return import_suite("negconstraint", str(source), tmp_path / "collection").path


def test_stats_of_a_suite_without_pairs_show_its_collection(collection: Path) -> None:
    counts = {"documents": 1, "queries": 1, "qrels": 1}
    assert json.loads(suite("stats", collection, "--json").stdout) == {"collection": counts}
    *rows, last = suite("stats", collection).stdout.splitlines()
    assert [row.split() for row in rows] == [["collection"], *([str(n), name] for name, n in counts.items())]
    assert (
        last
        == f"There are no pairs to count. Search the collection: csuite retrieve-eval {collection} --retriever bm25"
    )


def test_a_suite_without_pairs_is_verified_by_its_hashes(collection: Path) -> None:
    assert verified(collection).stdout == f"{collection}: all checks passed.\n"
    (collection / "qrels.jsonl").write_text("")
    assert verified(collection).stdout == "qrels.jsonl: changed since it was written\n"


@pytest.mark.parametrize("arguments", [["sample"], ["audit"], ["export", "--format", "beir", "--out", "OUT"]])
def test_what_needs_pairs_says_that_there_are_none(collection: Path, tmp_path: Path, arguments: list[str]) -> None:
    command, *options = (str(tmp_path / "out") if argument == "OUT" else argument for argument in arguments)
    with pytest.raises(UserError, match=r"a collection but no pairs\. Use `csuite retrieve-eval"):
        suite(command, collection, *options)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def excluir(tmp_path: Path) -> Path:
    """A suite of one query a pair."""
    source = tmp_path / "excluir"
    source.mkdir()
    (source / "corpus.json").write_text('["A film by Ann.", "A film by Bea."]')
    (source / "test.json").write_text('[{"RQ_rewrite": "Which film is not by Ann?", "corpus_sub_index": [0, 1]}]')
    return import_suite("excluir", str(source), tmp_path / "suite").path


def test_stats_show_pairs_and_collection(excluir: Path) -> None:
    found = json.loads(suite("stats", excluir, "--json").stdout)
    assert found["main"]["slice"] == {"excluir": 1}
    assert found["collection"] == {"documents": 2, "queries": 1, "qrels": 1, "violations": 1}
    lines = suite("stats", excluir).stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["main: 1", "controls: 0", "collection"]
    assert lines[lines.index("controls: 0") + 1] == "collection"  # no table of what is not there


def test_an_imported_example_is_shown_without_what_it_does_not_have(excluir: Path) -> None:
    assert suite("sample", excluir).stdout.splitlines() == [
        "excluir_00000   [test, natural]",
        "  query:      Which film is not by Ann?",
        "  satisfying: A film by Bea.",
        "  violating:  A film by Ann.",
        "",
    ]


def test_an_export_that_would_hold_nothing_is_refused(excluir: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No example has an opposite query"):
        suite("export", excluir, "--format", "nevir", "--out", tmp_path / "nevir")
    assert not (tmp_path / "nevir").exists()


def test_an_export_says_how_much_it_left_out(small_suite: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(small_suite, tmp_path / "suite", ignore=shutil.ignore_patterns("stages")))
    first, *rest = read(folder, "examples.jsonl")
    single = replace(first, preferences=(QUERY_PREFERENCE,))
    write_jsonl(folder / "examples.jsonl", [single, *rest])
    finish(folder, ArtifactOrigin("suite", "small", {}, {}, 0, Revision(1)), {}, {}, 0.0)
    written, left = suite("export", folder, "--format", "nevir", "--out", tmp_path / "nevir").stdout.splitlines()
    assert written.startswith(f"{len(rest)} examples and ")
    assert left == "1 were left out: nevir cannot hold them."


def test_show_prints_one_example_by_its_id(small_suite: Path) -> None:
    example = next(read_jsonl(small_suite / "examples.jsonl", Example))
    printed = CliRunner().invoke(show, [str(small_suite), example.id], catch_exceptions=False).stdout
    assert printed.startswith(example.id)
    assert f"query:      {example.query}\n" in printed


def test_show_names_the_nearest_id_of_one_that_is_not_there(small_suite: Path) -> None:
    example = next(read_jsonl(small_suite / "examples.jsonl", Example))
    with pytest.raises(UserError, match=f"Did you mean '{example.id}'"):
        CliRunner().invoke(show, [str(small_suite), example.id + "x"], catch_exceptions=False)


def test_verify_says_how_many_faults_it_does_not_show(small_suite: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(small_suite, tmp_path / "suite", ignore=shutil.ignore_patterns("stages")))
    (folder / "examples.jsonl").write_text("nonsense\n" * 60)
    result = verified(folder)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "examples.jsonl: changed since it was written"
    assert lines[1].startswith("examples.jsonl:1: the record: Invalid JSON")
    assert (len(lines), lines[-1]) == (51, "and 11 more; --json lists all")


def test_an_audit_of_imported_pairs_ends_in_one_sentence(tmp_path: Path) -> None:
    source = tmp_path / "test.jsonl"
    row = {"q1": "who was not king", "q2": "who was king", "doc1": "He was not king.", "doc2": "He was king."}
    source.write_text("".join(json.dumps({"id": f"{i}-2", **row}) + "\n" for i in range(12)))
    folder = import_suite("nevir", str(source), tmp_path / "nevir").path
    *_, last = suite("audit", folder).stdout.splitlines()
    assert last.startswith("**Do not trust it: in nevir, picking ")


def test_an_audit_searches_what_the_user_names(small_suite: Path, tmp_path: Path) -> None:
    document = read(small_suite, "examples.jsonl")[0].satisfying
    corpus = tmp_path / "learnt.jsonl"
    corpus.write_text(json.dumps({"id": "d", "text": document.text}) + "\n")
    found = json.loads(suite("audit", small_suite, "--against", corpus, "--json").stdout)["audit"]
    rows = {row["kind"]: row for row in found["overlaps"] if row["elsewhere"] == str(corpus)}
    assert rows["documents"]["share"]["value"] > 0
    assert rows["queries"]["share"]["value"] == 0
