"""What every engine promises: right rows, none repeated, -1 where there are no more, the same after saving."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.retrieval.topk import top_k
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors, normalise_rows
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import AnnEngine, PersistentEngine
from constraintsuite.vectors.ann.engines.faiss import FaissBuild

METRICS: tuple[VectorMetric, ...] = get_args(VectorMetric)
Params = dict[str, Any]
LIBRARIES = {"faiss": "faiss", "usearch": "usearch", "hnswlib": "hnswlib", "qdrant": "qdrant_client"}
EMBEDDED: tuple[tuple[str, Params, Params], ...] = (
    ("exact", {}, {}),
    ("coded", {"code": "float16"}, {}),
    ("coded", {"code": "int8"}, {}),
    ("faiss", {"factory": "Flat"}, {}),
    ("faiss", {"factory": "HNSW16", "ef_construction": 64}, {"ef": 128}),
    ("faiss", {"factory": "IVF16,Flat"}, {"nprobe": 12}),
    ("usearch", {}, {"expansion": 128}),
    ("hnswlib", {}, {"ef": 128}),
    ("qdrant", {"url": ":memory:"}, {}),
)
CASES = [
    pytest.param(name, build, search, metric, id=f"{name}-{'-'.join(map(str, build.values()))}-{metric}")
    for name, build, search in EMBEDDED
    for metric in METRICS
]


def random_vectors(rows: int, dimensions: int, seed: int) -> Vectors:
    """Of different lengths, so that cosine and dot disagree."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((rows, dimensions)) * rng.uniform(0.5, 2, (rows, 1))
    return vectors.astype(np.float32)


def made(name: str, build: Params, metric: VectorMetric) -> AnnEngine:
    if name in LIBRARIES:
        pytest.importorskip(LIBRARIES[name])
    kind = ENGINES.load(name)
    return kind(kind.build_settings(**build), metric, 1)


def configured(engine: AnnEngine, search: Params) -> AnnEngine:
    engine.configure(type(engine).search_settings(**search), 1)
    return engine


def built(name: str, build: Params, search: Params, metric: VectorMetric, vectors: Vectors) -> AnnEngine:
    engine = made(name, build, metric)
    engine.build(vectors)
    return configured(engine, search)


def recall(found: IntArray, true: IntArray) -> float:
    return float(np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found.tolist(), true.tolist(), strict=True)]))


@pytest.fixture(scope="module")
def base() -> Vectors:
    return random_vectors(1_500, 16, 0)


@pytest.fixture(scope="module")
def queries() -> Vectors:
    return random_vectors(20, 16, 1)


@pytest.mark.parametrize(("name", "build", "search", "metric"), CASES)
def test_an_engine_finds_the_true_neighbours(
    name: str, build: Params, search: Params, metric: VectorMetric, base: Vectors, queries: Vectors
) -> None:
    engine = built(name, build, search, metric, base)
    found = engine.search(queries, 10)
    true = top_k(queries, base, 10, metric).rows
    assert found.dtype == np.int64
    assert found.shape == (20, 10)
    assert all(len(set(row)) == len(row) for row in (f[f >= 0].tolist() for f in found))
    if engine.exact:
        assert found.tolist() == true.tolist()
    assert recall(found, true) > 0.85
    assert np.array_equal(np.concatenate([engine.search(q[np.newaxis], 10) for q in queries]), found)
    engine.close()


@pytest.mark.parametrize(("name", "build", "search", "metric"), [case for case in CASES if "cosine" in str(case.id)])
def test_where_there_are_fewer_rows_the_rest_is_missing(
    name: str, build: Params, search: Params, metric: VectorMetric
) -> None:
    if "IVF" in str(build):
        build, search = {"factory": "IVF1,Flat"}, {}
    vectors = random_vectors(3, 4, 2)
    found = built(name, build, search, metric, vectors).search(random_vectors(2, 4, 3), 5)
    assert (found[:, 3:] == -1).all()
    assert all(len(set(row[row >= 0].tolist())) == (row >= 0).sum() for row in found)


@pytest.mark.parametrize(("name", "build", "search", "metric"), [case for case in CASES if "cosine" in str(case.id)])
def test_a_saved_index_answers_as_before(
    name: str, build: Params, search: Params, metric: VectorMetric, base: Vectors, queries: Vectors, tmp_path: Path
) -> None:
    engine = built(name, build, search, metric, base)
    if not isinstance(engine, PersistentEngine):
        pytest.skip("this engine keeps nothing")
    before = engine.search(queries, 5)
    engine.save(tmp_path)
    other = made(name, build, metric)
    assert isinstance(other, PersistentEngine)
    other.load(tmp_path)
    assert np.array_equal(configured(other, search).search(queries, 5), before)
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert engine.bytes() == pytest.approx(size, rel=0.01)


@pytest.mark.parametrize(("name", "build", "search", "metric"), [case for case in CASES if "cosine" in str(case.id)])
def test_what_an_index_takes_is_foreseen(
    name: str, build: Params, search: Params, metric: VectorMetric, base: Vectors
) -> None:
    engine = built(name, build, search, metric, base)
    size = engine.bytes()
    if size is not None:  # a server does not tell
        settings = ENGINES.load(name).build_settings(**build)
        assert type(engine).expected_bytes(settings, *base.shape) == pytest.approx(size, rel=0.15)
    engine.close()


def test_nprobe_reaches_an_index_behind_a_transformation(base: Vectors, queries: Vectors) -> None:
    engine = built("faiss", {"factory": "OPQ8,IVF32,PQ8x4"}, {}, "euclidean", base)
    true = top_k(queries, base, 10, "euclidean").rows
    few, many = (recall(configured(engine, {"nprobe": n}).search(queries, 10), true) for n in (1, 32))
    assert few < many


@pytest.mark.parametrize(
    ("build", "search", "words"),
    [
        ({"factory": "Flat"}, {"nprobe": 4}, "has no parameter nprobe"),
        ({"factory": "HNSW8"}, {"nprobe": 4}, "has no parameter nprobe"),
        ({"factory": "Flut"}, {}, "factory string 'Flut' is refused"),
        ({"factory": "LSH"}, {}, "factory string 'LSH' is refused"),
        ({"factory": "IVF64,Flat"}, {}, "cannot be trained: Number of training points"),
    ],
)
def test_a_parameter_that_faiss_would_pass_over_is_refused(build: Params, search: Params, words: str) -> None:
    with pytest.raises(UserError, match=words):
        built("faiss", build, search, "dot", random_vectors(50, 4, 0))


def test_the_length_of_a_query_is_nothing_to_cosine(base: Vectors, queries: Vectors) -> None:
    engine = built("faiss", {"factory": "HNSW16"}, {"ef": 64}, "cosine", base)
    long = (queries * np.float32(64)).astype(np.float32)  # a power of two: nothing is rounded
    assert np.array_equal(engine.search(long, 10), engine.search(queries, 10))


class Broken:
    """An index that fails: real ones take the process with them."""

    def __init__(self, words: str) -> None:
        self._words = words

    def knn_query(self, queries: Vectors, k: int, num_threads: int) -> None:
        raise RuntimeError(self._words)


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        ("Cannot return the results in a contiguous 2D array. Probably ef or M is too small", UserError, "Raise m"),
        ("Not enough memory", RuntimeError, "Not enough memory"),
    ],
)
def test_only_a_short_answer_of_hnswlib_is_told_as_one(
    base: Vectors, monkeypatch: pytest.MonkeyPatch, words: str, kind: type[Exception], told: str
) -> None:
    engine = built("hnswlib", {}, {}, "cosine", base)
    monkeypatch.setattr(engine, "_index", Broken(words))
    with pytest.raises(kind, match=told):
        engine.search(base[:1], 3)


def test_faiss_hashes_for_cosine_and_for_vectors_of_length_1(base: Vectors, queries: Vectors) -> None:
    true = top_k(queries, base, 10, "cosine").rows
    few, many = (built("faiss", {"factory": f"LSH{bits}r"}, {}, "cosine", base) for bits in (16, 1024))
    assert recall(few.search(queries, 10), true) < 0.5 < recall(many.search(queries, 10), true)
    unit = built("faiss", {"factory": "LSH1024r"}, {}, "euclidean", normalise_rows(base))
    assert np.array_equal(unit.search(normalise_rows(queries), 10), many.search(queries, 10))
    plain = built("faiss", {"factory": "LSH"}, {}, "cosine", base)  # one bit for each dimension
    assert type(plain).expected_bytes(FaissBuild(factory="LSH"), *base.shape) == pytest.approx(plain.bytes(), rel=0.1)


def test_local_qdrant_is_labelled_exact_and_refuses_a_width_that_means_nothing() -> None:
    engine = built("qdrant", {"url": ":memory:"}, {}, "cosine", random_vectors(10, 4, 0))
    assert engine.exact
    with pytest.raises(UserError, match="local mode compares everything"):
        configured(engine, {"ef": 64})


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("build", "search"),
    [({"index": "hnsw"}, {"ef": 200}), ({"index": "ivfflat", "lists": 16}, {"probes": 14}), ({"index": "none"}, {})],
    ids=lambda each: "-".join(map(str, each.values())),
)
def test_pgvector_answers_over_a_connection(
    postgres: str,
    monkeypatch: pytest.MonkeyPatch,
    build: Params,
    search: Params,
    metric: VectorMetric,
    base: Vectors,
    queries: Vectors,
) -> None:
    monkeypatch.setenv("CSUITE_TEST_POSTGRES", postgres)
    engine = built("pgvector", {"url": "env:CSUITE_TEST_POSTGRES", **build}, search, metric, base)
    found, true = engine.search(queries, 10), top_k(queries, base, 10, metric).rows
    assert recall(found, true) > 0.9
    assert engine.exact == (build["index"] == "none")
    assert (engine.bytes() or 0) > base.nbytes
    engine.close()


def test_pgvector_gives_short_answers_below_k_and_leaves_no_table(
    postgres: str, base: Vectors, queries: Vectors
) -> None:
    psycopg = pytest.importorskip("psycopg")
    engine = built("pgvector", {"url": postgres}, {"ef": 5}, "euclidean", base)
    assert (engine.search(queries, 10)[:, 5:] == -1).all()
    with pytest.raises(UserError, match="probes given, but the index is hnsw"):
        configured(engine, {"probes": 3})
    engine.close()
    with psycopg.connect(postgres) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'csuite%'").fetchone() == (0,)


def test_pgvector_forgets_what_the_search_before_was_told(postgres: str, base: Vectors, queries: Vectors) -> None:
    engine = built("pgvector", {"url": postgres, "index": "ivfflat", "lists": 16}, {}, "euclidean", base)
    fresh = engine.search(queries, 10)
    wide = configured(engine, {"probes": 16}).search(queries, 10)
    assert not np.array_equal(wide, fresh)
    assert np.array_equal(configured(engine, {}).search(queries, 10), fresh)
    engine.close()


def test_no_server_is_said_in_one_line() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(UserError, match="pgvector: no connection"):
        built("pgvector", {"url": "postgresql://127.0.0.1:1/none"}, {}, "cosine", random_vectors(5, 4, 0))
