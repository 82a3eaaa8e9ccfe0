"""The nearest vectors are those of a full comparison in double precision, whatever the blocks, with ties by row."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from constraintsuite.models.backends import Similarity
from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.models.retrieval.topk import top_k

Vectors = npt.NDArray[np.float32]
KINDS: tuple[Similarity, ...] = get_args(Similarity)


def by_full_comparison(queries: Vectors, documents: Vectors, k: int, similarity: Similarity) -> list[list[int]]:
    found = []
    for query in queries.astype(np.float64):
        scores = SIMILARITIES[similarity](query[np.newaxis], documents.astype(np.float64))
        found.append(sorted(range(len(documents)), key=lambda row: (-scores[row], row))[:k])
    return found


def random_vectors(rows: int, dimensions: int, seed: int) -> Vectors:
    return np.random.default_rng(seed).standard_normal((rows, dimensions)).astype(np.float32)


def whole_numbers(rows: st.SearchStrategy[int]) -> st.SearchStrategy[Vectors]:
    """Few different values, so that many scores are equal."""
    values = st.integers(-2, 2).map(float)
    return rows.flatmap(lambda n: st_numpy.arrays(np.float32, (n, 3), elements=values))


@pytest.mark.parametrize("similarity", KINDS)
@settings(max_examples=40, deadline=None)
@given(queries=whole_numbers(st.integers(1, 4)), documents=whole_numbers(st.integers(1, 90)), k=st.integers(1, 12))
def test_the_best_are_those_of_a_full_comparison(
    similarity: Similarity, queries: Vectors, documents: Vectors, k: int
) -> None:
    found = top_k(queries, documents, k, similarity, queries_at_once=2, documents_at_once=7)
    assert found.rows.tolist() == by_full_comparison(queries, documents, k, similarity)


@pytest.mark.parametrize("similarity", KINDS)
def test_neither_rows_nor_scores_depend_on_the_size_of_blocks(similarity: Similarity) -> None:
    queries, documents = random_vectors(9, 32, 1), random_vectors(700, 32, 2)
    whole = top_k(queries, documents, 10, similarity)
    parts = top_k(queries, documents, 10, similarity, queries_at_once=2, documents_at_once=33)
    assert whole.rows.tolist() == by_full_comparison(queries, documents, 10, similarity)
    assert parts.rows.tolist() == whole.rows.tolist()
    assert parts.scores.tolist() == whole.scores.tolist()


@pytest.mark.parametrize("similarity", KINDS)
def test_of_hundreds_of_equal_vectors_the_first_rows_are_found(similarity: Similarity) -> None:
    near = random_vectors(1, 8, 3)
    far = -near * np.linspace(1, 2, 40, dtype=np.float32)[:, np.newaxis]
    documents = np.concatenate([far, np.repeat(near, 500, axis=0)])
    assert top_k(near, documents, 3, similarity, documents_at_once=64).rows.tolist() == [[40, 41, 42]]


@pytest.mark.parametrize("similarity", KINDS)
def test_thousands_of_equal_vectors_leave_every_query_its_own_neighbours(similarity: Similarity) -> None:
    """More than a full batch has room for: these queries are answered again, fewer at once."""
    documents = np.concatenate([random_vectors(300, 8, 3), np.repeat(random_vectors(1, 8, 4), 2_000, axis=0)])
    queries = np.concatenate([documents[-1:], random_vectors(20, 8, 5), np.zeros((1, 8), np.float32), documents[-1:]])
    found = top_k(queries, documents, 5, similarity, documents_at_once=512)
    assert found.rows.tolist() == by_full_comparison(queries, documents, 5, similarity)


@pytest.mark.parametrize("similarity", KINDS)
@pytest.mark.parametrize("size", [1e-25, 1e-7, 1e10, 1e25])
def test_vectors_beyond_single_precision_are_compared_in_double(similarity: Similarity, size: float) -> None:
    """Products, or the least cosine that is not divided by a constant, leave what single precision can tell."""
    queries, documents = random_vectors(6, 16, 8), random_vectors(1_500, 16, 9)
    queries[::2] *= np.float32(size)
    documents[::3] *= np.float32(size)
    found = top_k(queries, documents, 7, similarity, documents_at_once=256)
    assert found.rows.tolist() == by_full_comparison(queries, documents, 7, similarity)


def test_differences_below_single_precision_decide() -> None:
    """Sums of 200 products in single precision would put many of these in another order."""
    base = random_vectors(1, 200, 5)
    documents = base + random_vectors(400, 200, 6) * np.float32(1e-6)
    assert top_k(base, documents, 20, "cosine").rows.tolist() == by_full_comparison(base, documents, 20, "cosine")


def test_vectors_may_be_mapped_from_a_file(tmp_path: Path) -> None:
    documents = random_vectors(50, 4, 7)
    np.save(tmp_path / "vectors.npy", documents)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    assert top_k(documents[:3], mapped, 5).rows.tolist() == top_k(documents[:3], documents, 5).rows.tolist()


@pytest.mark.parametrize(("queries", "documents", "k"), [(0, 5, 3), (2, 0, 3), (2, 5, 0), (2, 5, 9)])
def test_as_many_are_found_as_there_are(queries: int, documents: int, k: int) -> None:
    found = top_k(random_vectors(queries, 4, 0), random_vectors(documents, 4, 1), k)
    assert found.rows.shape == found.scores.shape == (queries, min(k, documents))
