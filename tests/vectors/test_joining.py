"""Texts, queries and judgments joined by id to vectors that came without."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.vectors import LAYOUTS, tables
from constraintsuite.vectors.bundle import Bundle, open_vectors
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.msmarco_import import ImportedBundle, import_folder
from constraintsuite.vectors.verify import verify_folder
from tiny_bundle import make_bundle, save_model, source_in


@pytest.fixture
def seven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The seven files of a bundle of 30 documents, six queries and their positives."""
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    path = make_bundle(tmp_path)
    embed_bundle(path, save_model(tmp_path / "model"), Silent())
    LAYOUTS.load("msmarco-subset")(Bundle.open(path), tmp_path / "seven", None)
    return tmp_path / "seven"


def joined(folder: Path, source: SourceSettings, *, allow_missing: bool = False) -> ImportedBundle:
    return import_folder(
        folder / "seven", folder / "imported", "cosine", texts=source, allow_missing=allow_missing, force=True
    )


def edit(path: Path, left_out: Sequence[str]) -> None:
    """The same file without the records of these ids."""
    lines = [line for line in path.read_text().splitlines() if json.loads(line)["id"] not in left_out]
    path.write_text("\n".join(lines) + "\n")


def test_texts_stand_beside_their_vectors(tmp_path: Path, seven: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PART_ROWS", 7)
    joined(tmp_path, source_in(tmp_path / "source"))
    imported, original = Bundle.open(tmp_path / "imported"), Bundle.open(tmp_path / "bundle")
    assert [row[:4] for row in imported.rows()] == [row[:4] for row in original.rows()]
    assert {query.id: query.text for query in imported.queries} == {q.id: q.text for q in original.queries}
    assert np.array_equal(open_vectors(imported).documents, open_vectors(original).documents)
    assert verify_folder(imported.path) == []


def test_grades_come_from_the_source_and_positives_it_is_silent_on_stay(tmp_path: Path, seven: Path) -> None:
    source = source_in(tmp_path / "source")
    qrels = Path(str(source.qrels))
    lines = [line for line in qrels.read_text().splitlines() if line != "q1 0 d11 1"]
    qrels.write_text("\n".join(line.replace("q2 0 d2 2", "q2 0 d2 0") for line in lines) + "\n")
    _, repairs = joined(tmp_path, source)
    grades = {(qrel.query, qrel.document): qrel.grade for qrel in Bundle.open(tmp_path / "imported").qrels()}
    assert (grades["q0", "d0"], grades["q1", "d11"], grades["q2", "d2"], len(grades)) == (2, 1, 0, 18)
    assert repairs[-2:] == (
        "1 positives of the ground truth are not judged in the source; they are kept with grade 1",
        "1 positives of the ground truth are judged below 1 in the source; its grades are used",
    )
    assert verify_folder(tmp_path / "imported") == []


def test_a_joined_bundle_can_be_encoded_anew(tmp_path: Path, seven: Path) -> None:
    joined(tmp_path, source_in(tmp_path / "source"))
    again = embed_bundle(tmp_path / "imported", f"dense:{tmp_path / 'model'}", Silent())
    np.testing.assert_allclose(np.load(again.path / "docs.npy"), np.load(seven / "passage_embeddings.npy"), atol=1e-6)


@pytest.mark.parametrize(
    ("file", "left_out", "message"),
    [
        ("docs.jsonl", ["d3", "d12"], r"no text for 2 of 30 documents: 'd(3|12)', 'd(3|12)'\."),
        (
            "docs.jsonl",
            [f"d{i}" for i in (*range(6), *range(10, 16))],
            r"no text for 12 of 30 documents: .*, and 7 more\.",
        ),
        ("queries.jsonl", ["q4"], r"no text for 1 of 6 queries: 'q4'\. Name a file of them with --queries\."),
    ],
)
def test_missing_ids_are_named_and_nothing_is_written(
    tmp_path: Path, seven: Path, file: str, left_out: list[str], message: str
) -> None:
    edit(tmp_path / "source" / file, left_out)
    with pytest.raises(UserError, match=message):
        joined(tmp_path, source_in(tmp_path / "source"))
    assert not (tmp_path / "imported").exists()


def test_missing_texts_are_counted_if_that_is_wanted(tmp_path: Path, seven: Path) -> None:
    edit(tmp_path / "source" / "docs.jsonl", ["d3", "d12"])
    edit(tmp_path / "source" / "queries.jsonl", ["q4"])
    counts = joined(tmp_path, source_in(tmp_path / "source"), allow_missing=True).texts.manifest.counts
    assert (counts["documents_without_text"], counts["queries_without_text"]) == (2, 1)
    imported = Bundle.open(tmp_path / "imported")
    assert {row.id for row in imported.rows() if row.text is None} == {"d3", "d12"}
    assert verify_folder(imported.path) == []
    with pytest.raises(UserError, match="texts"):
        embed_bundle(imported.path, f"dense:{tmp_path / 'model'}", Silent())


def test_an_id_that_the_source_has_twice_is_refused(tmp_path: Path, seven: Path) -> None:
    with (tmp_path / "source" / "docs.jsonl").open("a") as file:
        file.write(json.dumps({"id": "d3", "text": "another"}) + "\n")
    with pytest.raises(UserError, match="the id 'd3' occurs twice"):
        joined(tmp_path, source_in(tmp_path / "source"))


def test_the_same_import_is_recognised_and_another_source_is_another_bundle(tmp_path: Path, seven: Path) -> None:
    source = source_in(tmp_path / "source")
    first = joined(tmp_path, source).texts
    before = (first.path / "manifest.json").stat().st_mtime_ns
    assert joined(tmp_path, source).texts.manifest == first.manifest
    assert (first.path / "manifest.json").stat().st_mtime_ns == before
    with pytest.raises(UserError, match="this folder already holds the bundle"):
        import_folder(seven, first.path, "cosine")


def test_vectors_that_are_not_finite_are_refused(tmp_path: Path, seven: Path) -> None:
    matrix = np.load(seven / "passage_embeddings.npy")
    matrix[4, 2] = np.nan
    np.save(seven / "passage_embeddings.npy", matrix)
    with pytest.raises(UserError, match=r"passage_embeddings\.npy: row 4 is not finite"):
        import_folder(seven, tmp_path / "imported", "cosine")
