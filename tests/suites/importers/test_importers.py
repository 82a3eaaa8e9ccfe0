from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.main import cli
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments.load import load_suite
from constraintsuite.suites.importers.folder import import_suite
from constraintsuite.suites.views.dataset import view_dataset

NEVIR_ROW = {
    "id": "12-3",
    "WorkerId": 4,
    "q1": "Which ferry does not run in winter?",
    "q2": "Which ferry runs in winter?",
    "doc1": "The Halle ferry does not run in winter. It is red.",
    "doc2": "The Halle ferry runs in winter. It is red.",
}
EXCLUIR_CORPUS = ["A film by Ann.", "A film by Bea.", "A town."]
EXCLUIR_ROW = {"question0": "Which film?", "RQ_rewrite": "Which film is not by Ann?", "corpus_sub_index": [0, 1]}


def write_lines(file: Path, *rows: dict[str, Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def write_excluir(folder: Path, row: dict[str, Any] = EXCLUIR_ROW) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "corpus.json").write_text(json.dumps(EXCLUIR_CORPUS))
    (folder / "test_manual_final.json").write_text(json.dumps([row]))
    return folder


def write_beir(folder: Path, qrels: str, place: str = "qrels/test.tsv") -> Path:
    write_lines(
        folder / "corpus.jsonl", *({"_id": f"d{i}", "title": "", "text": text} for i, text in enumerate(EXCLUIR_CORPUS))
    )
    write_lines(folder / "queries.jsonl", {"_id": "q1", "text": "films not by Ann"}, {"_id": "q2", "text": "towns"})
    file = folder / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("query-id\tcorpus-id\tscore\n" + qrels)
    return folder


def test_a_nevir_pair_is_an_example_whose_two_queries_want_opposite_documents(tmp_path: Path) -> None:
    suite = import_suite("nevir", str(write_lines(tmp_path / "test.jsonl", NEVIR_ROW)), tmp_path / "suite")
    (example,) = load_suite(suite.path).examples
    wanted = {p.query: (example.queries[p.query], example.document(p.better).text) for p in example.preferences}
    assert wanted == {"query": (NEVIR_ROW["q1"], NEVIR_ROW["doc1"]), "opposite": (NEVIR_ROW["q2"], NEVIR_ROW["doc2"])}
    assert (example.constraint, example.topic, example.restated) == (None, None, None)
    assert (example.split, example.clusters, example.notes) == (
        "test",
        ("condaqa_12",),
        ("annotator: 4",),
    )


def test_the_edit_of_a_nevir_pair_is_where_the_two_paragraphs_differ(tmp_path: Path) -> None:
    suite = import_suite("nevir", str(write_lines(tmp_path / "test.jsonl", NEVIR_ROW)), tmp_path / "suite")
    (example,) = load_suite(suite.path).examples
    assert (example.satisfying.edit, example.violating.edit) == ("", "affirmative")
    assert [example.satisfying.text[a:b] for a, b in example.satisfying.changed] == ["does not run"]
    assert [example.violating.text[a:b] for a, b in example.violating.changed] == ["runs"]


@pytest.mark.parametrize(
    ("file", "split", "source_split"),
    [
        ("train.jsonl", "train", "train"),
        ("validation.jsonl", "dev", "validation"),
        ("NevIR_Dev.jsonl", "dev", "dev"),
        ("x.jsonl", "test", "test"),
        ("training_data/test.jsonl", "test", "test"),
        ("train/x.jsonl", "test", "test"),
        ("latest.jsonl", "test", "test"),
        ("constrained.jsonl", "test", "test"),
    ],
)
def test_a_nevir_file_says_by_its_own_name_what_it_is_for(
    tmp_path: Path, file: str, split: str, source_split: str
) -> None:
    suite = import_suite("nevir", str(write_lines(tmp_path / file, NEVIR_ROW)), tmp_path / "suite")
    assert load_suite(suite.path).examples[0].split == split
    assert suite.manifest.settings["source_split"] == source_split


@pytest.mark.parametrize(
    ("file", "split", "found"),
    [
        ("train_or_test.jsonl", "train", "train"),
        ("train_or_test.jsonl", "test", "test"),
        ("pairs.jsonl", "validation", "dev"),
        ("dev.jsonl", "validation", "dev"),
        ("validation.jsonl", "dev", "dev"),
    ],
)
def test_a_user_says_what_the_name_of_a_nevir_file_leaves_open(
    tmp_path: Path, file: str, split: str, found: str
) -> None:
    suite = import_suite("nevir", str(write_lines(tmp_path / file, NEVIR_ROW)), tmp_path / "suite", split)
    assert load_suite(suite.path).examples[0].split == found
    assert suite.manifest.settings["source_split"] == split


@pytest.mark.parametrize(
    ("split", "words"), [(None, "its name says train and test. Say which it is with --split"), ("all", "--split all: ")]
)
def test_a_split_that_cannot_be_told_is_asked_for(tmp_path: Path, split: str | None, words: str) -> None:
    file = write_lines(tmp_path / "train_or_test.jsonl", NEVIR_ROW)
    with pytest.raises(UserError, match=words):
        import_suite("nevir", str(file), tmp_path / "suite", split)
    assert not (tmp_path / "suite").exists()


@pytest.mark.parametrize(
    ("file", "split", "says"),
    [
        ("test.jsonl", "train", "test"),
        ("NevIR_Dev.jsonl", "test", "dev"),
        ("train_or_test.jsonl", "dev", "train and test"),
    ],
)
def test_a_split_that_contradicts_the_files_name_is_refused(tmp_path: Path, file: str, split: str, says: str) -> None:
    source = write_lines(tmp_path / file, NEVIR_ROW)
    with pytest.raises(UserError, match=rf"--split {split}: the name of .*{file} says {says}\."):
        import_suite("nevir", str(source), tmp_path / "suite", split)
    assert not (tmp_path / "suite").exists()


@pytest.mark.parametrize(
    ("kind", "broken"), [("nevir", "test.jsonl"), ("excluir", "test_manual_final.json"), ("beir", "corpus.jsonl")]
)
def test_a_broken_row_is_refused_without_advice_that_cannot_be_followed(tmp_path: Path, kind: str, broken: str) -> None:
    folder = write_beir(write_excluir(tmp_path / "data"), "q1\td1\t1\n")
    (folder / broken).write_text("[1]" if broken.endswith(".json") else "import this\n")
    source = folder / broken if kind == "nevir" else folder
    with pytest.raises(UserError, match=rf"{broken}:1: this row cannot be used: it is not a JSON object") as refused:
        import_suite(kind, str(source), tmp_path / "suite")
    assert "--skip-bad-rows" not in str(refused.value)
    assert not (tmp_path / "suite").exists()


def test_a_folder_of_nevir_is_not_named_by_its_own_name(tmp_path: Path) -> None:
    write_lines(tmp_path / "train" / "test.jsonl", NEVIR_ROW)
    suite = import_suite("nevir", str(tmp_path / "train"), tmp_path / "suite")
    assert load_suite(suite.path).examples[0].split == "test"


def test_where_a_file_lies_changes_neither_fingerprint_nor_content(tmp_path: Path) -> None:
    files = [write_lines(tmp_path / folder / "test.jsonl", NEVIR_ROW) for folder in ("training_data", "plain")]
    first, second = (import_suite("nevir", str(file), tmp_path / f"suite{n}") for n, file in enumerate(files))
    assert (first.manifest.fingerprint, first.manifest.content) == (
        second.manifest.fingerprint,
        second.manifest.content,
    )


def test_excluir_prefers_the_second_document_and_brings_the_collection(tmp_path: Path) -> None:
    suite = import_suite("excluir", str(write_excluir(tmp_path / "data")), tmp_path / "suite")
    (example,) = load_suite(suite.path).examples
    assert (example.satisfying.text, example.violating.text) == ("A film by Bea.", "A film by Ann.")
    assert [preference.query for preference in example.preferences] == ["query"]
    assert example.opposite is None
    assert suite.manifest.counts == {"examples": 1, "documents": 3, "queries": 1, "qrels": 1, "violations": 1}


def test_excluir_is_read_with_the_names_of_the_authors_scripts_too(tmp_path: Path) -> None:
    row = {"ExcluQ": EXCLUIR_ROW["RQ_rewrite"], "index": [0, 1]}
    suite = import_suite("excluir", str(write_excluir(tmp_path / "data", row)), tmp_path / "suite")
    assert suite.manifest.counts["examples"] == 1


def test_beir_gives_pairs_where_something_was_judged_not_relevant(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "beir", "q1\td1\t1\nq1\td0\t0\nq2\td2\t2\n")
    suite = import_suite("beir", str(folder), tmp_path / "suite")
    (example,) = load_suite(suite.path).examples
    assert (example.satisfying.id, example.violating.id, example.query) == ("d1", "d0", "films not by Ann")
    assert suite.manifest.counts == {"examples": 1, "documents": 3, "queries": 2, "qrels": 3}


@pytest.mark.parametrize(("source", "name"), [(".", "scifact"), ("..", "sets"), ("../scifact/", "scifact")])
def test_a_beir_folder_has_its_own_name_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, name: str
) -> None:
    folder = write_beir(tmp_path / "sets" / "scifact", "q1\td1\t1\n")
    write_beir(tmp_path / "sets", "q1\td1\t1\n")
    monkeypatch.chdir(folder)
    suite = import_suite("beir", source, tmp_path / "suite")
    assert (suite.manifest.name, suite.manifest.settings["source"]) == (name, name)


def test_two_grades_of_one_document_are_refused(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "beir", "q1\td1\t1\nq1\td0\t0\nq1\td1\t0\n")
    with pytest.raises(UserError, match="'d1' has two different grades for the query 'q1'"):
        import_suite("beir", str(folder), tmp_path / "suite")
    assert not (tmp_path / "suite").exists()


def test_negconstraint_has_no_pairs_and_its_judgments_may_lie_beside_the_rest(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "nc", "q1\td1\t1\n", place="test.tsv")
    suite = import_suite("negconstraint", str(folder), tmp_path / "suite")
    assert suite.manifest.counts == {"documents": 3, "queries": 1, "qrels": 1}
    with pytest.raises(UserError, match="csuite retrieve-eval"):
        load_suite(suite.path)


def test_importing_twice_changes_nothing(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "test.jsonl", NEVIR_ROW)
    first = import_suite("nevir", str(file), tmp_path / "suite")
    written = (first.path / "manifest.json").stat().st_mtime_ns
    again = import_suite("nevir", str(file), tmp_path / "suite")
    assert again.manifest == first.manifest
    assert (again.path / "manifest.json").stat().st_mtime_ns == written


def shorten(manifest: Path) -> None:
    content = json.loads(manifest.read_text())
    del content["files"]["README.md"]
    manifest.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("name", "damage"),
    [("examples.jsonl", Path.unlink), ("README.md", lambda file: file.write_text("x")), ("manifest.json", shorten)],
)
def test_importing_again_mends_what_was_changed(tmp_path: Path, name: str, damage: Callable[[Path], object]) -> None:
    file = write_lines(tmp_path / "test.jsonl", NEVIR_ROW)
    first = import_suite("nevir", str(file), tmp_path / "suite")
    damage(first.path / name)
    assert import_suite("nevir", str(file), tmp_path / "suite") == first
    assert Artifact.open(first.path, "suite").verify() == []


def test_importing_again_takes_no_file_of_others_into_the_suite(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "test.jsonl", NEVIR_ROW)
    first = import_suite("nevir", str(file), tmp_path / "suite")
    (first.path / "examples.jsonl").unlink()
    (first.path / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match=r"thesis\.txt: this is not part of the suite"):
        import_suite("nevir", str(file), tmp_path / "suite")
    assert (first.path / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**NEVIR_ROW, "q2": ""}, r"test\.jsonl:1: the field 'q2' is missing or empty"),
        ({"id": "1-2", "question": "x"}, "The row has: id, question"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    file = write_lines(tmp_path / "test.jsonl", row)
    with pytest.raises(UserError, match=message):
        import_suite("nevir", str(file), tmp_path / "suite")
    assert not (tmp_path / "suite").exists()


@pytest.mark.parametrize(
    ("kind", "source", "message"),
    [
        ("nevir", "nowhere.jsonl", "no such file, and it is not a name on the hub such as orionweller/NevIR"),
        ("excluir", "nowhere", "expected a folder with corpus.json and test_manual_final.json"),
        ("beir", "nowhere", "expected a folder with corpus.jsonl"),
    ],
)
def test_a_source_that_is_not_there_is_explained(tmp_path: Path, kind: str, source: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        import_suite(kind, source, tmp_path / "suite")


@pytest.mark.parametrize(
    ("places", "message"),
    [([0, 7], r"\[0, 7\], but the collection has 3 documents"), ([1], "must be two integers")],
)
def test_a_wrong_place_in_excluir_is_refused(tmp_path: Path, places: list[int], message: str) -> None:
    folder = write_excluir(tmp_path / "data", {**EXCLUIR_ROW, "corpus_sub_index": places})
    with pytest.raises(UserError, match=message):
        import_suite("excluir", str(folder), tmp_path / "suite")


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match=r"thesis\.txt: this is not part of the suite"):
        import_suite("nevir", str(write_lines(tmp_path / "test.jsonl", NEVIR_ROW)), tmp_path / "suite")


def test_the_command_tells_what_it_read(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "test.jsonl", NEVIR_ROW)
    result = CliRunner().invoke(cli, ["import", "nevir", str(file), "--out", str(tmp_path / "suite"), "--json"])
    assert json.loads(result.stdout)["counts"] == {"examples": 1}


@pytest.mark.data
@pytest.mark.skipif("CSUITE_TEST_DATA" not in os.environ, reason="CSUITE_TEST_DATA does not say where NevIR lies")
def test_the_view_of_nevir_is_table_1_of_its_paper(tmp_path: Path) -> None:
    file = Path(os.environ["CSUITE_TEST_DATA"]) / "nevir" / "test.jsonl"
    suite = load_suite(import_suite("nevir", str(file), tmp_path / "suite").path)
    lengths = view_dataset(suite.examples).lengths["test"]
    assert lengths.pairs == 1_383
    means = [lengths.query, lengths.opposite, lengths.satisfying, lengths.violating]
    assert [round(mean, 1) for mean in means if mean is not None] == [11.0, 11.4, 113.7, 116.8]
