"""Suites in other people's formats."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    Control,
    Example,
)
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.export import EXPORTERS
from experiments.tiny_suite import THREE
from suites.build_factory import make_example

CARD = "# Tiny suite\n"
QUIET = ("oak", "Quiet Oak", "A campsite without showers – but crème brûlée.")
BARN = ("barn", "Red Barn", "A campsite with showers.")
EXAMPLES = (
    make_example(1, split="train", satisfying=QUIET, violating=BARN),
    make_example(
        2, split="test", satisfying=BARN, violating=QUIET, y="crème", query="without crème", opposite="with crème"
    ),
    make_example(3, split="test", slice="omission", satisfying=QUIET, violating=BARN),
)
LOUD = ("oak", "QUIET OAK", "A CAMPSITE WITHOUT SHOWERS – BUT CRÈME BRÛLÉE.")
NONFLIP = replace(
    make_example(0, slice="nonflip", split="test", satisfying=LOUD, violating=BARN),
    control=Control("case", EXAMPLES[1].id),
)
ADVERSARIAL = replace(
    make_example(0, slice="adversarial", split="test", satisfying=BARN, violating=QUIET),
    constraint=Exclude(value="showers", cue="no", forms=("showers",), stated_by="opposite"),
    query="no end of showers",
    opposite="campsites with no showers",
    restated="campsites with showers",
    preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE, RESTATED_PREFERENCE),
    control=Control("idiom", EXAMPLES[2].id, "no end of"),
)
ONE_QUERY = replace(EXAMPLES[1], opposite=None, preferences=(QUERY_PREFERENCE,))
SUITE = (*EXAMPLES, NONFLIP, ADVERSARIAL)


def export(kind: str, folder: Path, examples: tuple[Example, ...] = EXAMPLES) -> Path:
    EXPORTERS.load(kind)(examples, folder / kind, CARD)
    return folder / kind


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("kind", ["guide", "beir", "nevir", "csv"])
def test_the_card_travels_along(tmp_path: Path, kind: str) -> None:
    assert (export(kind, tmp_path) / "README.md").read_text(encoding="utf-8") == CARD


def test_beir_has_each_document_and_each_query_once(tmp_path: Path) -> None:
    folder = export("beir", tmp_path)
    assert files(folder) == {"README.md", "corpus.jsonl", "queries.jsonl", "qrels/train.tsv", "qrels/test.tsv"}
    assert rows(folder / "corpus.jsonl") == [
        {"_id": "barn", "title": "Red Barn", "text": "A campsite with showers."},
        {"_id": "oak", "title": "Quiet Oak", "text": "A campsite without showers – but crème brûlée."},
    ]
    assert [row["_id"] for row in rows(folder / "queries.jsonl")] == [
        f"{example.id}_{role}" for example in EXAMPLES for role in ("query", "opposite")
    ]


def test_beir_qrels_prefer_the_satisfying_document_for_the_query_and_the_violating_one_for_its_opposite(
    tmp_path: Path,
) -> None:
    folder = export("beir", tmp_path)
    assert (folder / "qrels" / "train.tsv").read_text().splitlines() == [
        "query-id\tcorpus-id\tscore",
        "exclude_explicit_tiny_000001_query\toak\t1",
        "exclude_explicit_tiny_000001_query\tbarn\t0",
        "exclude_explicit_tiny_000001_opposite\tbarn\t1",
        "exclude_explicit_tiny_000001_opposite\toak\t0",
    ]


def test_every_beir_judgment_is_of_a_known_query_and_document(tmp_path: Path) -> None:
    folder = export("beir", tmp_path)
    queries = {row["_id"] for row in rows(folder / "queries.jsonl")}
    documents = {row["_id"] for row in rows(folder / "corpus.jsonl")}
    for path in (folder / "qrels").iterdir():
        for line in path.read_text().splitlines()[1:]:
            query, document, _ = line.split("\t")
            assert query in queries
            assert document in documents


def test_beir_keeps_each_kind_of_control_in_a_folder_of_its_own(tmp_path: Path) -> None:
    folder = export("beir", tmp_path, SUITE)
    beir = {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"}
    controls = {f"{name}/{file}" for name in ("nonflip", "adversarial") for file in beir}
    assert files(folder) == {"README.md", "qrels/train.tsv", *beir, *controls}
    assert [row["text"] for row in rows(folder / "corpus.jsonl")] == [BARN[2], QUIET[2]]
    assert [row["text"] for row in rows(folder / "nonflip" / "corpus.jsonl")] == [BARN[2], LOUD[2]]


def test_beir_judges_an_idiom_and_its_opposite_the_other_way_round(tmp_path: Path) -> None:
    folder = export("beir", tmp_path, SUITE) / "adversarial"
    texts = {row["_id"]: row["text"] for row in rows(folder / "queries.jsonl")}
    judged = [line.split("\t") for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]]
    assert [(texts[query], document) for query, document, grade in judged if grade == "1"] == [
        ("no end of showers", "barn"),
        ("campsites with no showers", "oak"),
        ("campsites with showers", "barn"),
    ]


def test_beir_gives_a_second_text_of_one_id_an_id_of_its_own(tmp_path: Path) -> None:
    again = replace(NONFLIP, id="again", documents=(EXAMPLES[0].satisfying, NONFLIP.violating))
    folder = export("beir", tmp_path, (NONFLIP, again)) / "nonflip"
    texts = {str(row["_id"]): row["text"] for row in rows(folder / "corpus.jsonl")}
    assert sorted(map(str, texts.values())) == sorted([BARN[2], LOUD[2], QUIET[2]])
    judged = (line.split("\t") for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:])
    assert [texts[document] for query, document, _ in judged if query == "again_query"] == [QUIET[2], BARN[2]]


def test_nevir_rows_pair_each_query_with_its_document(tmp_path: Path) -> None:
    folder = export("nevir", tmp_path)
    assert files(folder) == {"README.md", "schema.json", "train.jsonl", "test.jsonl"}
    (row,) = rows(folder / "train.jsonl")
    assert (row["q1"], row["doc1"]) == ("campsites without showers", QUIET[2])
    assert (row["q2"], row["doc2"]) == ("campsites with showers", BARN[2])


def test_nevir_pairs_an_idiom_with_its_opposite(tmp_path: Path) -> None:
    folder = export("nevir", tmp_path, SUITE)
    (row,) = rows(folder / "adversarial" / "test.jsonl")
    assert (row["q1"], row["doc1"]) == ("no end of showers", BARN[2])
    assert (row["q2"], row["doc2"]) == ("campsites with no showers", QUIET[2])
    (row,) = rows(folder / "nonflip" / "test.jsonl")
    assert (row["q2"], row["doc1"]) == ("campsites with showers", LOUD[2])


@pytest.mark.parametrize("kind", EXPORTERS.names())
def test_an_exporter_tells_how_much_it_wrote(tmp_path: Path, kind: str) -> None:
    assert list(EXPORTERS.load(kind)(SUITE, tmp_path / kind, CARD)) == list(SUITE)


def test_nevir_leaves_out_what_has_no_opposite_query(tmp_path: Path) -> None:
    written = EXPORTERS.load("nevir")((EXAMPLES[0], ONE_QUERY), tmp_path / "nevir", CARD)
    assert list(written) == [EXAMPLES[0]]
    assert files(tmp_path / "nevir") == {"README.md", "schema.json", "train.jsonl"}


def test_nevir_rows_of_examples_with_one_query_each_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No example has an opposite query .* Choose beir, csv or hf"):
        export("nevir", tmp_path, (ONE_QUERY,))
    assert not (tmp_path / "nevir").exists()


@pytest.mark.parametrize("kind", ["nevir", "hf"])
def test_every_line_follows_the_schema_beside_it(tmp_path: Path, kind: str) -> None:
    folder = export(kind, tmp_path, SUITE)
    schema = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    lines = [row for path in folder.rglob("*.jsonl") for row in rows(path)]
    assert len(lines) == len(SUITE)
    for line in lines:
        jsonschema.validate(line, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**line, "id": None}, schema)


def test_csv_has_controls_in_a_second_file_with_what_they_control(tmp_path: Path) -> None:
    folder = export("csv", tmp_path, SUITE)
    with (folder / "controls.csv").open(encoding="utf-8", newline="") as file:
        case, idiom = csv.DictReader(file)
    assert (case["control"], case["original"], case["phrase"], case["restated"]) == ("case", EXAMPLES[1].id, "", "")
    assert (case["query"], case["opposite"]) == ("campsites without showers", "campsites with showers")
    assert (idiom["control"], idiom["original"], idiom["phrase"]) == ("idiom", EXAMPLES[2].id, "no end of")
    assert (idiom["query"], idiom["opposite"], idiom["restated"]) == (
        "no end of showers",
        "campsites with no showers",
        "campsites with showers",
    )
    assert len((folder / "examples.csv").read_text(encoding="utf-8").splitlines()) == 1 + len(EXAMPLES)


def test_csv_has_one_row_an_example(tmp_path: Path) -> None:
    with (export("csv", tmp_path) / "examples.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["id"] for row in read] == [example.id for example in EXAMPLES]
    assert read[0] == {
        "id": "exclude_explicit_tiny_000001",
        "slice": "explicit",
        "split": "train",
        "domain": "travel",
        "relation": "travel.has",
        "template": "WITHOUT_Y",
        "constraint": "exclude",
        "value": "showers",
        "query": "campsites without showers",
        "opposite": "campsites with showers",
        "topic": "campsites",
        "couple": "",
        "edit": "natural",
        "difficulty": "medium",
        "satisfying_id": "oak",
        "satisfying_title": "Quiet Oak",
        "satisfying_text": QUIET[2],
        "violating_id": "barn",
        "violating_title": "Red Barn",
        "violating_text": BARN[2],
    }


def test_csv_leaves_empty_what_an_example_does_not_say(tmp_path: Path) -> None:
    unsaid = replace(ONE_QUERY, constraint=None, topic=None, tags={})
    with (export("csv", tmp_path, (unsaid,)) / "examples.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert [row[name] for name in ("constraint", "value", "opposite", "topic", "difficulty")] == [""] * 5


@pytest.mark.parametrize("text", ["=1+1", "+49 30 1234", "-5 degrees", "@SUM(A1)", "\tx", "\rx"])
def test_csv_cells_that_a_spreadsheet_would_calculate_are_quoted(tmp_path: Path, text: str) -> None:
    example = make_example(1, satisfying=("oak", text, text), violating=BARN)
    with (export("csv", tmp_path, (example,)) / "examples.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["satisfying_title"], row["satisfying_text"]) == (f"'{text}", f"'{text}")


def test_csv_keeps_commas_quotes_and_line_ends(tmp_path: Path) -> None:
    text = 'A "quiet", small\ncampsite'
    example = make_example(1, satisfying=("oak", "", text), violating=BARN)
    with (export("csv", tmp_path, (example,)) / "examples.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["satisfying_text"] == text


def test_hf_has_a_file_for_each_slice_and_split(tmp_path: Path) -> None:
    folder = export("hf", tmp_path)
    assert files(folder) == {
        "README.md",
        "schema.json",
        "data/explicit/train.jsonl",
        "data/explicit/test.jsonl",
        "data/omission/test.jsonl",
    }
    assert (folder / "README.md").read_text(encoding="utf-8").endswith(CARD)


def test_the_datasets_library_loads_the_hf_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    datasets = pytest.importorskip("datasets", reason="needs the extra [hub]")
    folder = export("hf", tmp_path, SUITE)
    loaded = datasets.load_dataset(str(folder), "explicit", cache_dir=str(tmp_path / "cache"))
    assert {split: len(part) for split, part in loaded.items()} == {"train": 1, "test": 1}
    first = loaded["train"][0]
    assert (first["query"], first["opposite"]) == ("campsites without showers", "campsites with showers")
    document = json.loads(first["documents"])[0]
    assert (document["role"], document["id"], document["title"], document["text"]) == ("satisfying", *QUIET)
    assert json.loads(first["constraint"])["value"] == "showers"
    assert json.loads(first["tags"])["difficulty"] == "medium"
    omission = datasets.load_dataset(str(folder), "omission", cache_dir=str(tmp_path / "cache"))
    assert [row["id"] for row in omission["test"]] == ["exclude_omission_tiny_000003"]
    idioms = datasets.load_dataset(str(folder), "adversarial", cache_dir=str(tmp_path / "cache"))
    assert idioms["test"][0]["opposite"] == "campsites with no showers"
    assert json.loads(idioms["test"][0]["control"])["phrase"] == "no end of"


def test_three_documents_get_three_grades_in_beir(tmp_path: Path) -> None:
    EXPORTERS.load("beir")([THREE], tmp_path, CARD)
    rows = (tmp_path / "qrels" / "test.tsv").read_text().splitlines()[1:]
    assert rows == [
        "three_query\td1\t2",
        "three_query\td2\t1",
        "three_query\td3\t0",
        "three_opposite\td2\t1",
        "three_opposite\td1\t0",
    ]
    queries = (tmp_path / "queries.jsonl").read_text().splitlines()
    assert [json.loads(line)["_id"] for line in queries] == ["three_query", "three_opposite"]


@pytest.mark.parametrize("kind", ["nevir", "csv", "guide"])
def test_formats_of_pairs_leave_out_and_count_what_has_three_documents(tmp_path: Path, kind: str) -> None:
    assert list(EXPORTERS.load(kind)([THREE, *EXAMPLES], tmp_path, CARD)) == list(EXAMPLES)
    assert "A soup of cream, served" not in "".join(file.read_text() for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.parametrize("kind", ["nevir", "csv"])
def test_formats_of_pairs_hold_the_pair_of_an_example_whose_further_documents_are_graded(
    tmp_path: Path, kind: str
) -> None:
    third = THREE.documents[2].role
    graded = replace(
        THREE,
        documents=tuple(replace(one, role="obeys_0" if one.role == third else one.role) for one in THREE.documents),
        preferences=tuple(
            replace(one, better=one.better.replace(third, "obeys_0"), worse=one.worse.replace(third, "obeys_0"))
            for one in THREE.preferences
        ),
    )
    assert list(EXPORTERS.load(kind)([graded], tmp_path, CARD)) == [graded]
