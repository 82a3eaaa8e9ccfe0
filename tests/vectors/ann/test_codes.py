"""Smaller vectors: how much each code may lose, one calibration for all rows, and cuts that keep the length."""

from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.retrieval.topk import top_k
from constraintsuite.vectors.ann.data import BenchmarkVectors, IntArray, Vectors, reranked
from constraintsuite.vectors.ann.engines.coded import (
    Code,
    CodedBuild,
    CodedEngine,
    calibrate,
    decode,
    differing_bits,
    encode,
    shortened,
)


def random_vectors(rows: int, dimensions: int = 24, seed: int = 0) -> Vectors:
    return np.random.default_rng(seed).standard_normal((rows, dimensions)).astype(np.float32)


def engine(vectors: Vectors, code: Code, dimensions: int | None = None) -> CodedEngine:
    made = CodedEngine(CodedBuild(code=code, dimensions=dimensions), "cosine", 1)
    made.build(vectors)
    return made


def recall(found: IntArray, true: IntArray) -> float:
    return float(np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found.tolist(), true.tolist(), strict=True)]))


def test_eight_bits_are_wrong_by_half_a_step_at_most() -> None:
    vectors = random_vectors(500) * np.float32(3)
    calibration = calibrate(vectors, 24, unit=False)
    back = decode(encode(vectors, "int8", calibration), calibration)
    assert (np.abs(back - vectors) <= calibration.step * np.float32(0.501)).all()


def test_the_calibration_is_of_all_rows_and_not_of_a_block() -> None:
    vectors = random_vectors(20_000, 2)
    vectors[-1] = 100  # in the last block
    assert (
        calibrate(vectors, 2, unit=False).low + 255 * calibrate(vectors, 2, unit=False).step
    ).tolist() == pytest.approx([100, 100], rel=1e-5)


def test_a_dimension_that_never_changes_is_kept() -> None:
    vectors = np.array([[1, 5], [2, 5]], dtype=np.float32)
    calibration = calibrate(vectors, 2, unit=False)
    assert decode(encode(vectors, "int8", calibration), calibration).tolist() == vectors.tolist()


def test_bits_are_signs() -> None:
    coded = encode(np.array([[1, -1, 0.5, -2], [-1, -1, -1, 1]], dtype=np.float32), "binary", None)
    assert differing_bits(coded[:1], coded).tolist() == [[0, 3]]


def test_a_cut_vector_has_length_1_again() -> None:
    assert np.linalg.norm(shortened(random_vectors(5), 7, unit=True), axis=1) == pytest.approx(np.ones(5))


def test_less_is_kept_and_less_is_found_and_a_rerank_brings_it_back() -> None:
    vectors, queries = random_vectors(2_000), random_vectors(40, seed=1)
    true = top_k(queries, vectors, 10, "cosine").rows
    codes: tuple[tuple[Code, int | None], ...] = (
        ("float32", None),
        ("float16", None),
        ("int8", None),
        ("int8", 12),
        ("binary", None),
    )
    engines = [engine(vectors, code, dimensions) for code, dimensions in codes]
    recalls = [recall(one.search(queries, 10), true) for one in engines]
    assert recalls[0] == 1.0
    assert recalls == sorted(recalls, reverse=True)
    assert [one.bytes() for one in engines] == [192_000, 96_000, 48_000 + 192, 24_000 + 96, 6_000]
    data = BenchmarkVectors("set", vectors, queries, "cosine")
    again = [recall(reranked(engines[-1].search, data, times)(queries, 10), true) for times in (1, 4, 16)]
    assert again[0] < again[1] < again[2]


def test_a_rerank_of_everything_is_exact() -> None:
    vectors, queries = random_vectors(200), random_vectors(10, seed=1)
    data = BenchmarkVectors("set", vectors, queries, "cosine")
    search = reranked(engine(vectors, "binary").search, data, 50)
    assert search(queries, 7).tolist() == top_k(queries, vectors, 7, "cosine").rows.tolist()


def test_vectors_that_are_not_of_length_1_are_not_cut_for_other_metrics() -> None:
    made = CodedEngine(CodedBuild(code="float32", dimensions=4), "euclidean", 1)
    with pytest.raises(UserError, match="does not have length 1"):
        made.build(random_vectors(10))
    with pytest.raises(UserError, match="dimensions is 30, but the vectors have 24"):
        engine(random_vectors(3), "int8", 30)
