"""Vectors from every format: what is read is what was written, and files that are cut or padded are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.models.retrieval.topk import top_k
from constraintsuite.vectors.ann.data import (
    BenchmarkVectors,
    VectorMetric,
    Vectors,
    exact_neighbours,
    hash_vectors,
    limit_vectors,
    require_usable,
)
from constraintsuite.vectors.ann.sources import SOURCES
from constraintsuite.vectors.ann.sources.bigann import read_neighbours, write_fbin, write_neighbours
from constraintsuite.vectors.ann.sources.hdf5 import write_hdf5
from constraintsuite.vectors.ann.sources.vecs import read_vecs

BASE: Vectors = (np.arange(12).reshape(6, 2) / 7).astype(np.float32)
QUERIES = np.array([[0.5, 1.5], [2, 0.25]], dtype=np.float32)
TRUTH = top_k(QUERIES, BASE, 3, "euclidean")


def load(form: str, folder: Path, **options: object) -> BenchmarkVectors:
    return SOURCES.load(form).model_validate(options).load("set", folder)


def write_vecs(path: Path, table: np.ndarray[Any, Any]) -> None:
    kind = {".fvecs": "<f4", ".ivecs": "<i4", ".bvecs": "u1"}[path.suffix]
    with path.open("wb") as file:
        for row in table:
            file.write(np.array(len(row), dtype="<i4").tobytes() + row.astype(kind).tobytes())


def write_all(folder: Path) -> dict[str, dict[str, Any]]:
    """The same set in every format that can hold it."""
    np.save(folder / "base.npy", BASE)
    np.save(folder / "queries.npy", QUERIES)
    np.save(folder / "neighbours.npy", TRUTH.rows)
    write_fbin(folder / "b.fbin", BASE.shape, [BASE])
    write_fbin(folder / "q.fbin", QUERIES.shape, [QUERIES])
    write_neighbours(folder / "t.bin", TRUTH, "euclidean")
    for name, table in (("b.fvecs", BASE), ("q.fvecs", QUERIES), ("t.ivecs", TRUTH.rows)):
        write_vecs(folder / name, table)
    return {
        "npy": {"path": ".", "metric": "euclidean"},
        "bigann": {"base": "b.fbin", "queries": "q.fbin", "neighbours": "t.bin", "metric": "euclidean"},
        "vecs": {"base": "b.fvecs", "queries": "q.fvecs", "neighbours": "t.ivecs"},
    }


@pytest.mark.parametrize("form", ["npy", "bigann", "vecs"])
def test_what_is_read_is_what_was_written(form: str, tmp_path: Path) -> None:
    data = require_usable(load(form, tmp_path, **write_all(tmp_path)[form]))
    assert data.base.tolist() == BASE.tolist()
    assert data.queries.tolist() == QUERIES.tolist()
    assert data.neighbours is not None
    assert data.neighbours.tolist() == TRUTH.rows.tolist()
    assert exact_neighbours(data, 3).scores == pytest.approx(TRUTH.scores)


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_a_file_of_ann_benchmarks_comes_back(metric: VectorMetric, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    truth = top_k(QUERIES, BASE, 3, metric)
    write_hdf5(tmp_path / "set.hdf5", BenchmarkVectors("set", BASE, QUERIES, metric), truth)
    data = load("hdf5", tmp_path, path="set.hdf5")
    assert (data.metric, data.base.tolist()) == (metric, BASE.tolist())
    assert exact_neighbours(require_usable(data), 3).rows.tolist() == truth.rows.tolist()
    with h5py.File(tmp_path / "set.hdf5") as file:
        assert file["distances"][:].shape == (2, 3)
        assert (np.diff(file["distances"][:], axis=1) >= 0).all()


def test_a_metric_other_than_the_file_s_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    write_hdf5(tmp_path / "set.hdf5", BenchmarkVectors("set", BASE, QUERIES, "cosine"), TRUTH)
    with pytest.raises(UserError, match="made for cosine, not for euclidean"):
        load("hdf5", tmp_path, path="set.hdf5", metric="euclidean")


def test_bits_are_taken_as_they_are(tmp_path: Path) -> None:
    write_vecs(tmp_path / "x.fvecs", np.array([[1.5, -2.25]], dtype=np.float32))
    write_vecs(tmp_path / "x.bvecs", np.array([[0, 255]], dtype=np.uint8))
    assert read_vecs(tmp_path / "x.fvecs").tolist() == [[1.5, -2.25]]
    assert read_vecs(tmp_path / "x.bvecs").tolist() == [[0, 255]]


@pytest.mark.parametrize("form", ["npy", "bigann", "vecs"])
@settings(max_examples=30, deadline=None)
@given(cut=st.integers(0, 55))
def test_a_file_that_was_cut_is_refused_by_name(form: str, cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("cut")
    options = write_all(folder)[form]
    file = folder / {"npy": "base.npy", "bigann": "b.fbin", "vecs": "b.fvecs"}[form]
    file.write_bytes(file.read_bytes()[:cut])
    whole_rows = form == "vecs" and cut and cut % 12 == 0
    if whole_rows:  # nothing in such a file says how many rows there were
        assert len(read_vecs(file)) == cut // 12
    else:
        with pytest.raises(UserError, match=file.name):
            load(form, folder, **options)


def test_rows_of_different_lengths_are_refused(tmp_path: Path) -> None:
    one, other = (np.array([n], dtype="<i4").tobytes() + bytes(8) for n in (2, 3))
    (tmp_path / "x.fvecs").write_bytes(one + other)
    with pytest.raises(UserError, match="row 1 has 3 dimensions, row 0 has 2"):
        read_vecs(tmp_path / "x.fvecs")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0, 1, 1]] * 2, "name a row twice; padding is not ground truth"),
        ([[0, 1, 6]] * 2, "there are rows 0 to 5"),
        ([[0, 1, -1]] * 2, "there are rows 0 to 5"),
        ([[0, 1, 2]], "neighbours of 1 queries"),
    ],
)
def test_neighbours_that_are_none_are_refused(rows: list[list[int]], words: str) -> None:
    given = np.array(rows)
    with pytest.raises(UserError, match=words):
        require_usable(BenchmarkVectors("set", BASE, QUERIES, "euclidean", given))


@pytest.mark.parametrize(
    ("base", "queries", "words"),
    [
        (BASE, np.ones((2, 3), dtype=np.float32), "base vectors have 2 dimensions, queries 3"),
        (BASE[:0], QUERIES, "at least one row"),
        (np.array([[0, 1], [np.nan, 2]], dtype=np.float32), QUERIES, "base vector 1 is not finite"),
        (BASE, np.array([[np.inf, 1]], dtype=np.float32), "query 0 is not finite"),
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(base: Vectors, queries: Vectors, words: str) -> None:
    with pytest.raises(UserError, match=words):
        require_usable(BenchmarkVectors("set", base, queries, "cosine"))


def test_neighbours_of_another_metric_are_found_out() -> None:
    rng = np.random.default_rng(0)
    base, queries = (rng.lognormal(size=(n, 1)) * rng.standard_normal((n, 8)) for n in (300, 20))
    data = BenchmarkVectors("set", base.astype(np.float32), queries.astype(np.float32), "dot")
    wrong = top_k(data.queries, data.base, 10, "cosine")
    with pytest.raises(UserError, match="are not the nearest under dot: of 20 queries"):
        exact_neighbours(BenchmarkVectors("set", data.base, data.queries, "dot", wrong.rows), 10)


def test_deeper_truth_than_the_file_s_is_computed() -> None:
    data = BenchmarkVectors("set", BASE, QUERIES, "euclidean", TRUTH.rows)
    assert exact_neighbours(data, 5).rows.tolist() == top_k(QUERIES, BASE, 5, "euclidean").rows.tolist()


def test_with_fewer_rows_old_neighbours_are_dropped_and_judgments_kept() -> None:
    data = BenchmarkVectors("set", BASE, QUERIES, "euclidean", TRUTH.rows, {0: {1: 1, 5: 1}, 1: {5: 2}})
    few = limit_vectors(data, 3, 1)
    assert (len(few.base), len(few.queries), few.neighbours) == (3, 1, None)
    assert few.relevance == {0: {1: 1}}
    assert (few.notes[0], few.notes[-1]) == ("only the first 3 of 6 base vectors", "only the first 1 of 2 queries")


def test_the_content_of_a_set_depends_on_vectors_metric_and_judgments_alone() -> None:
    data = BenchmarkVectors("set", BASE, QUERIES, "euclidean")
    same = hash_vectors(BenchmarkVectors("other name", BASE.copy(), QUERIES, "euclidean", TRUTH.rows))
    others = [
        BenchmarkVectors("set", BASE + np.float32(1), QUERIES, "euclidean"),
        BenchmarkVectors("set", BASE, QUERIES, "dot"),
        BenchmarkVectors("set", BASE, QUERIES, "euclidean", None, {0: {1: 1}}),
    ]
    assert hash_vectors(data) == same
    assert len({same, *map(hash_vectors, others)}) == 4


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "clustered", "duplicates", "heavy_norm"])
def test_generated_vectors_are_the_same_each_time(kind: str, tmp_path: Path) -> None:
    once, again = (load("synthetic", tmp_path, kind=kind, rows=50, queries=5, dimensions=4) for _ in range(2))
    assert hash_vectors(require_usable(once)) == hash_vectors(again)
    assert (once.base.shape, once.queries.shape) == ((50, 4), (5, 4))


def test_judgments_are_read_with_their_place(tmp_path: Path) -> None:
    write_all(tmp_path)
    file = tmp_path / "relevance.tsv"
    file.write_text("0\t1\t2\n1\t5\t0\n")
    assert load("npy", tmp_path, path=".", metric="dot").relevance == {0: {1: 2}, 1: {5: 0}}
    for text, words in (
        ("0\t1\n", r"relevance.tsv:1: expected"),
        ("0\t9\t1\n", ":1: query 0, row 9"),
        ("0\t1\t1\n0\t1\t2\n", ":2: row 1 is judged"),
    ):
        file.write_text(text)
        with pytest.raises(UserError, match=words):
            load("npy", tmp_path, path=".", metric="dot")


def test_distances_behind_the_rows_are_squared_for_euclidean(tmp_path: Path) -> None:
    write_neighbours(tmp_path / "t.bin", TRUTH, "euclidean")
    numbers = np.fromfile(tmp_path / "t.bin", dtype="<f4", offset=8 + TRUTH.rows.size * 4)
    assert numbers.tolist() == pytest.approx((TRUTH.scores.ravel() ** 2).tolist())
    assert read_neighbours(tmp_path / "t.bin").tolist() == TRUTH.rows.tolist()
