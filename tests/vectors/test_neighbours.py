"""Neighbours found shard by shard are those of all documents at once, with every tie counted."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.execution.engine import Engine, LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.models.backends import Similarity
from constraintsuite.vectors import neighbours
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.matrices import Matrix
from constraintsuite.vectors.neighbours import NearestRow, SearchTask, make_neighbours, nearest, search_shards
from tiny_bundle import make_bundle, save_model


def by_shards(
    queries: Matrix, documents: Matrix, k: int, similarity: Similarity, shard_rows: int, engine: Engine
) -> list[NearestRow]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for matrix, file in ((queries, "queries.npy"), (documents, "docs.npy")):
            np.save(folder / file, matrix)
        search = SearchTask(folder, similarity, k, 0, len(documents), folder)
        return list(search_shards(search, shard_rows, engine, Silent()))


@st.composite
def vectors(draw: st.DrawFn, most: int) -> Matrix:
    """Of few different numbers, so that there are zero vectors, equal ones and many ties."""
    rows = draw(st.integers(1, most))
    numbers = draw(st.lists(st.integers(-1, 1), min_size=2 * rows, max_size=2 * rows))
    return np.array(numbers, dtype=np.float32).reshape(rows, 2)


@settings(max_examples=60, deadline=None)
@given(
    queries=vectors(5),
    documents=vectors(40),
    k=st.integers(1, 45),
    similarity=st.sampled_from(get_args(Similarity)),
    shard_rows=st.integers(1, 45),
    beyond=st.integers(0, 3),
    merged=st.integers(1, 300),
)
def test_whatever_the_shards_the_rows_are_those_of_all_documents(
    queries: Matrix, documents: Matrix, k: int, similarity: Similarity, shard_rows: int, beyond: int, merged: int
) -> None:
    whole = nearest(queries, documents, k, similarity)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "BEYOND", beyond)
        patch.setattr(neighbours, "_MERGED", merged)
        assert by_shards(queries, documents, k, similarity, shard_rows, LocalEngine()) == whole


def test_ties_that_no_shard_has_told_are_counted() -> None:
    documents = np.concatenate([np.ones((900, 4)), -np.ones((50, 4)), np.ones((7, 4))]).astype(np.float32)
    for shard_rows in (10, 300, 2_000):
        (row,) = by_shards(documents[:1], documents, 10, "cosine", shard_rows, LocalEngine())
        assert (row.doc_rows, row.tied_beyond_k) == (list(range(10)), 897)


def test_vectors_of_real_numbers_in_several_processes() -> None:
    generator = np.random.default_rng(3)
    queries, documents = (generator.standard_normal((rows, 24)).astype(np.float32) for rows in (40, 900))
    documents[500:] = documents[:400]  # every tie crosses shards
    found = by_shards(queries, documents, 7, "euclidean", 250, LocalEngine(2))
    assert found == nearest(queries, documents, 7, "euclidean")


def test_the_table_of_a_bundle_does_not_depend_on_shards_or_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    model = save_model(tmp_path / "model")
    made = []
    for name, shard_rows, engine in (("a", neighbours.SHARD_ROWS, LocalEngine()), ("b", 7, LocalEngine(2))):
        path = make_bundle(tmp_path / name)
        embed_bundle(path, model, Silent())
        made.append(make_neighbours(path, 5, Silent(), shard_rows=shard_rows, engine=engine))
        assert not (made[-1].path / "stages").exists()
    assert made[0].manifest == made[1].manifest
