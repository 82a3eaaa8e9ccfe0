"""Suites in other people's formats."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from build_factory import make_example

from constraintsuite.errors import UserError
from constraintsuite.records.examples import Constraint, Control, Example, Labels
from constraintsuite.suites.export import EXPORTERS

CARD = "# Tiny suite\n"
QUIET = ("oak", "Quiet Oak", "A campsite without showers – but crème brûlée.")
BARN = ("barn", "Red Barn", "A campsite with showers.")
EXAMPLES = (
    make_example(1, split="train", pos=QUIET, neg=BARN),
    make_example(2, split="test", pos=BARN, neg=QUIET, y="crème", negated="without crème", base="with crème"),
    make_example(3, split="test", suite="negation_omission", pos=QUIET, neg=BARN),
)
LOUD = ("oak", "QUIET OAK", "A CAMPSITE WITHOUT SHOWERS – BUT CRÈME BRÛLÉE.")
NONFLIP = replace(
    make_example(0, suite="controls_nonflip", split="test", pos=LOUD, neg=BARN),
    control=Control("case", EXAMPLES[1].id),
)
ADVERSARIAL = replace(
    make_example(0, suite="controls_adversarial", split="test", pos=BARN, neg=QUIET, negated="no end of showers"),
    constraint=Constraint("none", "showers", "no", ("showers",)),
    labels=Labels(pairwise_preference_for_query_base="pos_over_neg"),
    control=Control("idiom", EXAMPLES[2].id, "no end of", "campsites with no showers"),
)
ONE_QUERY = replace(EXAMPLES[1], labels=Labels(pairwise_preference_for_query_base="none"))
SUITE = (*EXAMPLES, NONFLIP, ADVERSARIAL)


def export(kind: str, folder: Path, examples: tuple[Example, ...] = EXAMPLES) -> Path:
    EXPORTERS.load(kind)(examples, folder / kind, CARD)
    return folder / kind


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("kind", ["beir", "nevir", "csv"])
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
        f"{example.id}_{role}" for example in EXAMPLES for role in ("neg", "base")
    ]


def test_beir_qrels_prefer_the_satisfier_for_the_negated_query_and_the_violator_for_the_affirmative_one(
    tmp_path: Path,
) -> None:
    folder = export("beir", tmp_path)
    assert (folder / "qrels" / "train.tsv").read_text().splitlines() == [
        "query-id\tcorpus-id\tscore",
        "negation_explicit_tiny_000001_neg\toak\t1",
        "negation_explicit_tiny_000001_neg\tbarn\t0",
        "negation_explicit_tiny_000001_base\tbarn\t1",
        "negation_explicit_tiny_000001_base\toak\t0",
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
    controls = {f"{name}/{file}" for name in ("controls_nonflip", "controls_adversarial") for file in beir}
    assert files(folder) == {"README.md", "qrels/train.tsv", *beir, *controls}
    assert [row["text"] for row in rows(folder / "corpus.jsonl")] == [BARN[2], QUIET[2]]
    assert [row["text"] for row in rows(folder / "controls_nonflip" / "corpus.jsonl")] == [BARN[2], LOUD[2]]


def test_beir_judges_an_idiom_and_its_twin_the_other_way_round(tmp_path: Path) -> None:
    folder = export("beir", tmp_path, SUITE) / "controls_adversarial"
    texts = {row["_id"]: row["text"] for row in rows(folder / "queries.jsonl")}
    judged = [line.split("\t") for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]]
    assert [(texts[query], document) for query, document, grade in judged if grade == "1"] == [
        ("no end of showers", "barn"),
        ("campsites with showers", "barn"),
        ("campsites with no showers", "oak"),
    ]


def test_beir_gives_a_second_text_of_one_id_an_id_of_its_own(tmp_path: Path) -> None:
    again = replace(NONFLIP, id="again", docs=replace(NONFLIP.docs, pos=EXAMPLES[0].docs.pos))
    folder = export("beir", tmp_path, (NONFLIP, again)) / "controls_nonflip"
    texts = {str(row["_id"]): row["text"] for row in rows(folder / "corpus.jsonl")}
    assert sorted(map(str, texts.values())) == sorted([BARN[2], LOUD[2], QUIET[2]])
    judged = (line.split("\t") for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:])
    assert [texts[document] for query, document, _ in judged if query == "again_neg"] == [QUIET[2], BARN[2]]


def test_nevir_rows_pair_each_query_with_its_document(tmp_path: Path) -> None:
    folder = export("nevir", tmp_path)
    assert files(folder) == {"README.md", "schema.json", "train.jsonl", "test.jsonl"}
    (row,) = rows(folder / "train.jsonl")
    assert (row["q1"], row["doc1"]) == ("campsites without showers", QUIET[2])
    assert (row["q2"], row["doc2"]) == ("campsites with showers", BARN[2])


def test_nevir_pairs_an_idiom_with_its_twin(tmp_path: Path) -> None:
    folder = export("nevir", tmp_path, SUITE)
    (row,) = rows(folder / "controls_adversarial" / "test.jsonl")
    assert (row["q1"], row["doc1"]) == ("no end of showers", BARN[2])
    assert (row["q2"], row["doc2"]) == ("campsites with no showers", QUIET[2])
    (row,) = rows(folder / "controls_nonflip" / "test.jsonl")
    assert (row["q2"], row["doc1"]) == ("campsites with showers", LOUD[2])


@pytest.mark.parametrize("kind", EXPORTERS.names())
def test_an_exporter_tells_how_much_it_wrote(tmp_path: Path, kind: str) -> None:
    assert EXPORTERS.load(kind)(SUITE, tmp_path / kind, CARD) == (3, 2)


def test_nevir_leaves_out_what_has_no_second_query(tmp_path: Path) -> None:
    written = EXPORTERS.load("nevir")((EXAMPLES[0], ONE_QUERY), tmp_path / "nevir", CARD)
    assert written == (1, 0)
    assert files(tmp_path / "nevir") == {"README.md", "schema.json", "train.jsonl"}


def test_nevir_rows_of_examples_with_one_query_each_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No example has a second query .* Choose beir, csv or hf"):
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
    assert (case["control"], case["control_of"], case["preferred_for_base"]) == ("case", EXAMPLES[1].id, "neg")
    assert (idiom["idiom"], idiom["query_twin"], idiom["preferred_for_base"]) == (
        "no end of",
        "campsites with no showers",
        "pos",
    )
    assert len((folder / "examples.csv").read_text(encoding="utf-8").splitlines()) == 1 + len(EXAMPLES)


def test_csv_has_one_row_an_example(tmp_path: Path) -> None:
    with (export("csv", tmp_path) / "examples.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["id"] for row in read] == [example.id for example in EXAMPLES]
    assert (read[0]["pos_text"], read[0]["neg_id"], read[0]["query_neg"]) == (
        QUIET[2],
        "barn",
        "campsites without showers",
    )


@pytest.mark.parametrize("text", ["=1+1", "+49 30 1234", "-5 degrees", "@SUM(A1)", "\tx", "\rx"])
def test_csv_cells_that_a_spreadsheet_would_calculate_are_quoted(tmp_path: Path, text: str) -> None:
    example = make_example(1, pos=("oak", text, text), neg=BARN)
    with (export("csv", tmp_path, (example,)) / "examples.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["pos_title"], row["pos_text"]) == (f"'{text}", f"'{text}")


def test_csv_keeps_commas_quotes_and_line_ends(tmp_path: Path) -> None:
    text = 'A "quiet", small\ncampsite'
    example = make_example(1, pos=("oak", "", text), neg=BARN)
    with (export("csv", tmp_path, (example,)) / "examples.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["pos_text"] == text


def test_hf_has_a_file_for_each_slice_and_split(tmp_path: Path) -> None:
    folder = export("hf", tmp_path)
    assert files(folder) == {
        "README.md",
        "schema.json",
        "data/negation_explicit/train.jsonl",
        "data/negation_explicit/test.jsonl",
        "data/negation_omission/test.jsonl",
    }
    assert (folder / "README.md").read_text(encoding="utf-8").endswith(CARD)


def test_the_datasets_library_loads_the_hf_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    datasets = pytest.importorskip("datasets", reason="needs the extra [hub]")
    folder = export("hf", tmp_path, SUITE)
    loaded = datasets.load_dataset(str(folder), "negation_explicit", cache_dir=str(tmp_path / "cache"))
    assert {split: len(part) for split, part in loaded.items()} == {"train": 1, "test": 1}
    assert loaded["train"][0]["docs"]["pos"] == {"id": "oak", "title": "Quiet Oak", "text": QUIET[2]}
    omission = datasets.load_dataset(str(folder), "negation_omission", cache_dir=str(tmp_path / "cache"))
    assert [row["id"] for row in omission["test"]] == ["negation_omission_tiny_000003"]
    idioms = datasets.load_dataset(str(folder), "controls_adversarial", cache_dir=str(tmp_path / "cache"))
    assert json.loads(idioms["test"][0]["control"])["twin_query"] == "campsites with no showers"
