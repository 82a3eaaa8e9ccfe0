"""Two truths: what people judged, unpadded, and the exact neighbours, as a naive comparison in double precision finds them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.models.backends import Similarity
from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.matrices import Matrix
from constraintsuite.vectors.neighbours import make_neighbours, nearest, read_neighbours
from constraintsuite.vectors.relevance import make_relevance, read_relevance
from tiny_bundle import make_bundle, save_model

RNG = np.random.default_rng(11)


def gaussian(rows: int, dimensions: int) -> Matrix:
    return RNG.standard_normal((rows, dimensions)).astype(np.float32)


def with_zeros() -> Matrix:
    vectors = gaussian(90, 5)
    vectors[::9] = 0
    return vectors


SETS: dict[str, tuple[Matrix, Matrix, int]] = {
    "duplicates": (gaussian(4, 6), np.repeat(gaussian(40, 6), 5, axis=0), 12),
    "zero vectors": (with_zeros()[:10], with_zeros(), 20),
    "one dimension": (gaussian(5, 1), gaussian(120, 1), 7),
    "k is n": (gaussian(3, 4), gaussian(50, 4), 50),
    "unnormalised": (gaussian(6, 8), gaussian(150, 8) * np.exp(gaussian(150, 1) * 3), 15),
}


@pytest.mark.parametrize("similarity", get_args(Similarity))
@pytest.mark.parametrize("name", SETS)
def test_neighbours_are_those_of_a_naive_comparison(name: str, similarity: Similarity) -> None:
    queries, documents, k = SETS[name]
    for query, row in zip(queries, nearest(queries, documents, k, similarity), strict=True):
        scores = SIMILARITIES[similarity](query[np.newaxis].astype(np.float64), documents.astype(np.float64))
        order = sorted(range(len(documents)), key=lambda i: (-scores[i], i))
        assert row.doc_rows == order[:k]
        assert row.scores == [scores[i] for i in order[:k]]
        assert row.kth_score == scores[order[k - 1]]
        assert row.tied_beyond_k == sum(scores[i] == row.kth_score for i in order[k:])


def test_hundreds_of_ties_behind_the_last_are_all_counted() -> None:
    documents = np.repeat(gaussian(1, 4), 900, axis=0)
    documents = np.concatenate([documents, -documents[:50]])
    (row,) = nearest(documents[:1], documents, 10, "cosine")
    assert (row.doc_rows, row.tied_beyond_k) == (list(range(10)), 890)


def test_missing_positives_stay_rows_and_nothing_is_padded(tmp_path: Path) -> None:
    path = make_bundle(tmp_path, mode="uniform", size=8)
    artifact = make_relevance(path)
    opened = Bundle.open(path)
    rows, ids = list(read_relevance(opened)), list(opened.ids())
    assert len(rows) == len({(row.query_row, row.doc_id) for row in rows}) == 18
    assert [row for row in rows if row.in_subset != (row.doc_id in ids)] == []
    assert all(ids[row.doc_row] == row.doc_id for row in rows if row.doc_row is not None)
    assert artifact.manifest.counts["in_subset"] == sum(row.doc_row is not None for row in rows) < 18
    assert [row.relevance for row in rows[:3]] == [2, 1, 0]


def test_neighbours_of_a_bundle_are_written_once_and_named_after_what_decides_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    path = make_bundle(tmp_path)
    vectors = embed_bundle(path, save_model(tmp_path / "model"), Silent())
    cosine = make_neighbours(path, 5, Silent())
    assert cosine.path.name == f"neighbours-{vectors.path.name}-cosine-k5"
    rows = list(read_neighbours(cosine.path))
    assert [row.query_row for row in rows] == list(range(6))
    documents, queries = (np.load(vectors.path / f"{name}.npy") for name in ("docs", "queries"))
    best = np.argsort(-(queries.astype(np.float64) @ documents.T.astype(np.float64)), axis=1)[:, :5]
    assert [row.doc_rows for row in rows] == best.tolist()
    before = (cosine.path / "manifest.json").stat().st_mtime_ns
    make_neighbours(path, 5, Silent())
    assert (cosine.path / "manifest.json").stat().st_mtime_ns == before
    assert make_neighbours(path, 5, Silent(), metric="euclidean").path != cosine.path
