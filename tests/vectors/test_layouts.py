"""Bundles carried to other forms and back: texts and ids survive, or are refused by name; padded truth is repaired."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import Source, SourceSettings
from constraintsuite.vectors import LAYOUTS
from constraintsuite.vectors.ann.data import exact_neighbours, require_usable
from constraintsuite.vectors.ann.sources import SOURCES
from constraintsuite.vectors.bundle import Bundle, open_vectors
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.layouts.msmarco import read_folder
from constraintsuite.vectors.msmarco_import import import_folder
from constraintsuite.vectors.relevance import read_relevance
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from constraintsuite.vectors.verify import verify_bundle
from tiny_bundle import make_bundle, save_model, write_source

ODD = {
    "tab": "a\tb",
    "cr": "a\rb",
    "crlf": "a\r\nb",
    "quote": '"a" b',
    "slash": "a\\tb\\\\",
    "emoji": "a 🙂",
    "long": "y" * 200_000,
}


def odd_bundle(folder: Path, odd: dict[str, str]) -> Bundle:
    source = write_source(folder / "source")
    with Path(source.source).open("a") as file:
        for name, text in odd.items():
            file.write(json.dumps({"id": name, "title": "Title", "text": text}) + "\n")
    settings = SubsetSettings(size=60 + len(odd), namespace="tiny")
    build_subset(source, settings, folder / "bundle", Silent())
    return Bundle.open(folder / "bundle")


def test_jsonl_and_back(tmp_path: Path) -> None:
    bundle = odd_bundle(tmp_path, {**ODD, "nul": "a\0b"})
    assert LAYOUTS.load("jsonl")(bundle, tmp_path / "beir", None) == []
    again = build_subset(
        SourceSettings(source=str(tmp_path / "beir")),
        SubsetSettings(size=bundle.documents, namespace="tiny"),
        tmp_path / "again",
        Silent(),
    )
    assert {row.id: (row.title, row.text) for row in Bundle(again).rows()} == {
        row.id: (row.title, row.text) for row in bundle.rows()
    }
    assert list(Bundle(again).qrels()) == list(bundle.qrels())
    assert [query[:3] for query in Bundle(again).queries] == [query[:3] for query in bundle.queries]


def unescaped(field: str) -> str:
    parts = field.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)


def test_tables_are_strict(tmp_path: Path) -> None:
    bundle = odd_bundle(tmp_path, ODD)
    notes = LAYOUTS.load("tsv")(bundle, tmp_path / "tsv", None)
    assert notes == ["titles are written before the texts, since the table has two columns"]
    content = (tmp_path / "tsv" / "corpus.tsv").read_bytes()
    assert b"\r" not in content
    rows = [line.split("\t") for line in content.decode().removesuffix("\n").split("\n")]
    assert {unescaped(name): unescaped(text) for name, text in rows} == {row.id: row.passage for row in bundle.rows()}


def test_a_table_refuses_nul_by_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"The field 'Title a\\x00b' holds '\\x00', which a table cannot hold"):
        LAYOUTS.load("tsv")(odd_bundle(tmp_path, {"nul": "a\0b"}), tmp_path / "tsv", None)


@pytest.fixture
def seven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The seven files, of a bundle in which some queries have lost a positive, or all."""
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    path = make_bundle(tmp_path, mode="uniform", size=12)
    embed_bundle(path, save_model(tmp_path / "model"), Silent())
    LAYOUTS.load("msmarco-subset")(Bundle.open(path), tmp_path / "seven", None)
    return tmp_path / "seven"


def test_the_seven_files_are_as_the_methodology_has_them(tmp_path: Path, seven: Path) -> None:
    bundle = Bundle.open(tmp_path / "bundle")
    assert sorted(file.name for file in seven.iterdir()) == [
        "ground_truth.npy",
        "ground_truth_doc_ids.json",
        "metadata.json",
        "passage_embeddings.npy",
        "passage_ids.npy",
        "query_embeddings.npy",
        "query_ids.npy",
    ]
    truth, named = np.load(seven / "ground_truth.npy"), json.loads((seven / "ground_truth_doc_ids.json").read_text())
    passages, queries = np.load(seven / "passage_ids.npy"), np.load(seven / "query_ids.npy")
    metadata = json.loads((seven / "metadata.json").read_text())
    assert (truth.dtype, truth.shape) == (np.int32, (len(named), 200))
    assert np.load(seven / "passage_embeddings.npy").dtype == np.float32
    assert passages.tolist() == list(bundle.ids())
    assert metadata["dropped_queries"] == 6 - len(named) > 0
    for query, row in zip(queries.tolist(), truth.tolist(), strict=True):
        real = [passages[i] for i in dict.fromkeys(row)]
        assert real == named[query]
        assert row[len(real) :] == [row[len(real) - 1]] * (200 - len(real))


def test_a_padded_truth_is_repaired_and_told(tmp_path: Path, seven: Path) -> None:
    texts, repairs = import_folder(seven, tmp_path / "imported", "cosine")
    imported, original = Bundle(texts), Bundle.open(tmp_path / "bundle")
    named = json.loads((seven / "ground_truth_doc_ids.json").read_text())
    judged = list(read_relevance(imported))
    assert len(judged) == sum(map(len, named.values()))
    padding = 200 * len(named) - len(judged)
    assert repairs == (
        f"ground_truth.npy: {padding:,} repeated entries in {len(named)} of {len(named)} rows taken out (padding)",
    )
    assert np.array_equal(open_vectors(imported).documents, open_vectors(original).documents)
    assert list(imported.ids()) == list(original.ids())
    assert verify_bundle(imported) == []
    assert import_folder(seven, tmp_path / "imported", "cosine")[0].manifest == texts.manifest


def test_positives_that_the_matrix_had_no_room_for_come_from_the_names(seven: Path) -> None:
    truth = np.load(seven / "ground_truth.npy")
    named = json.loads((seven / "ground_truth_doc_ids.json").read_text())
    extra = next(query for query in named)
    spare = next(name for name in np.load(seven / "passage_ids.npy").tolist() if name not in named[extra])
    named[extra].append(spare)
    (seven / "ground_truth_doc_ids.json").write_text(json.dumps(named))
    np.save(seven / "ground_truth.npy", truth[:, :1])
    found = read_folder(seven)
    assert sum(map(len, found.positives)) == sum(map(len, named.values()))
    assert "only ground_truth_doc_ids.json names" in found.repairs[-1]


def test_a_folder_without_truth_is_told(seven: Path) -> None:
    for name in ("ground_truth.npy", "ground_truth_doc_ids.json"):
        (seven / name).unlink()
    assert "there is no ground truth from judgments" in read_folder(seven).repairs[0]


def negative_index(folder: Path) -> None:
    truth = np.load(folder / "ground_truth.npy")
    truth[0, 3] = -1
    np.save(folder / "ground_truth.npy", truth)


def twice(folder: Path) -> None:
    ids = np.load(folder / "passage_ids.npy")
    ids[1] = ids[0]
    np.save(folder / "passage_ids.npy", ids)


def other_dimension(folder: Path) -> None:
    np.save(folder / "query_embeddings.npy", np.load(folder / "query_embeddings.npy")[:, :8])


def double_precision(folder: Path) -> None:
    np.save(folder / "passage_embeddings.npy", np.load(folder / "passage_embeddings.npy").astype(np.float64))


def too_few_ids(folder: Path) -> None:
    np.save(folder / "query_ids.npy", np.load(folder / "query_ids.npy")[1:])


def ids_missing(folder: Path) -> None:
    (folder / "query_ids.npy").unlink()


def cut_short(folder: Path) -> None:
    file = folder / "passage_embeddings.npy"
    file.write_bytes(file.read_bytes()[:-7])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (negative_index, "row 0 names a passage outside 0 to 11"),
        (twice, "occurs twice"),
        (other_dimension, "passages have 16 dimensions, queries 8"),
        (double_precision, "expected a matrix of float32"),
        (too_few_ids, "ids for"),
        (ids_missing, r"seven: there is no query_ids\.npy\. A folder of the methodology holds"),
        (cut_short, "not a complete NumPy array|expected a matrix"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_right_is_refused_before_anything_is_written(
    tmp_path: Path, seven: Path, spoil: object, message: str
) -> None:
    assert callable(spoil)
    spoil(seven)
    with pytest.raises(UserError, match=message):
        import_folder(seven, tmp_path / "imported", "cosine")
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("layout", ["jsonl", "tsv"])
def test_a_form_without_vectors_refuses_an_encoder(tmp_path: Path, layout: str) -> None:
    bundle = Bundle.open(make_bundle(tmp_path))
    with pytest.raises(UserError, match="this layout holds texts and no vectors"):
        LAYOUTS.load(layout)(bundle, tmp_path / "out", "minilm")


@pytest.mark.parametrize("layout", ["jsonl", "tsv", "msmarco-subset", "bigann"])
def test_the_licence_goes_with_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Source, "licence", "CC BY 4.0")
    path = make_bundle(tmp_path)
    embed_bundle(path, save_model(tmp_path / "model"), Silent())
    LAYOUTS.load(layout)(Bundle.open(path), tmp_path / "out", None)
    metadata = json.loads((tmp_path / "out" / "metadata.json").read_text())
    assert (metadata["licence"], metadata["bundle_id"]) == ("CC BY 4.0", Bundle.open(path).id)
    if layout == "msmarco-subset":
        imported = import_folder(tmp_path / "out", tmp_path / "imported", "cosine").texts.manifest
        assert imported.settings["source"]["licence"] == "CC BY 4.0"
        assert imported.counts["population"] == 60


def test_ids_that_would_make_every_row_as_wide_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    bundle = odd_bundle(tmp_path, {"x" * 300: "soup"})
    embed_bundle(bundle.path, save_model(tmp_path / "model"), Silent())
    with pytest.raises(UserError, match="has 300 characters"):
        LAYOUTS.load("msmarco-subset")(bundle, tmp_path / "seven", None)


def test_an_imported_bundle_has_no_texts_to_encode(tmp_path: Path, seven: Path) -> None:
    import_folder(seven, tmp_path / "imported", "cosine")
    with pytest.raises(UserError, match="imported without texts"):
        embed_bundle(tmp_path / "imported", "dense:x", Silent())
    with pytest.raises(UserError, match="imported without texts"):
        LAYOUTS.load("jsonl")(Bundle.open(tmp_path / "imported"), tmp_path / "beir", None)


@pytest.mark.parametrize(
    ("layout", "options"),
    [
        ("hdf5", {"path": "vectors.hdf5"}),
        ("bigann", {"base": "base.fbin", "queries": "queries.fbin", "neighbours": "neighbours.bin", "metric": "dot"}),
    ],
)
def test_vectors_come_with_their_neighbours_for_other_benchmarks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, options: dict[str, str]
) -> None:
    """Tools without cosine get vectors of length 1, whose products are the same."""
    if layout == "hdf5":
        pytest.importorskip("h5py")
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    path = make_bundle(tmp_path)
    embed_bundle(path, save_model(tmp_path / "model", normalize=False), Silent())
    notes = LAYOUTS.load(layout)(Bundle.open(path), tmp_path / "out", None)
    read = require_usable(SOURCES.load(layout).model_validate(options).load("tiny", tmp_path / "out"))
    assert read.neighbours is not None
    assert read.neighbours.shape == (6, 30)
    exact_neighbours(read, 30)  # which refuses neighbours of another metric
    assert bool(notes) == (layout == "bigann")
