"""The nearest vectors, exactly: all are compared, block by block, and what is near the border is compared again.

Products of matrices in single precision find the candidates; their order is decided in double precision, row by row, by the
function that scores pairs. So the result depends neither on the size of the blocks nor on the processor's way to add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.models.dense import SIMILARITIES, Similarity

Vectors = npt.NDArray[np.float32]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_SPARE = 64  # candidates beyond k that are compared again in any case
_ROUNDING = 2.0**-23  # twice what one operation in single precision can be wrong by, relative to its result


class Neighbours(NamedTuple):
    """For each query the rows of the nearest vectors, best first, and their scores."""

    rows: IntArray  # (queries, k)
    scores: FloatArray  # (queries, k)


def top_k(
    queries: Vectors,  # (queries, dimensions)
    documents: Vectors,  # (documents, dimensions), may be mapped from a file
    k: int,
    similarity: Similarity = "dot",
    *,
    queries_at_once: int = 256,
    documents_at_once: int = 16_384,
) -> Neighbours:
    """The `k` best documents of each query (all, where there are fewer); equal scores in the order of rows."""
    found = min(k, len(documents))
    rows = np.empty((len(queries), found), dtype=np.int64)
    scores = np.empty((len(queries), found), dtype=np.float64)
    search = _Search(documents, similarity, documents_at_once)
    for start in range(0, len(queries) if found else 0, queries_at_once):
        part = slice(start, start + queries_at_once)
        rows[part], scores[part] = search.nearest(queries[part], found)
    return Neighbours(rows, scores)


class _Candidates(NamedTuple):
    rows: IntArray  # (queries, kept)
    bar: FloatArray  # (queries,) no other document is above it, rounding included


class _Search:
    def __init__(self, documents: Vectors, similarity: Similarity, block: int) -> None:
        self._documents = documents
        self._rough = _ROUGH[similarity]
        self._compare = SIMILARITIES[similarity]
        self._block = block

    def nearest(self, queries: Vectors, k: int) -> Neighbours:
        """Candidates are added until no other document can belong to the best `k`, or tie with them."""
        rows = np.empty((len(queries), k), dtype=np.int64)
        scores = np.empty((len(queries), k), dtype=np.float64)
        pending = np.arange(len(queries))
        kept = k + _SPARE
        while len(pending):
            kept = min(kept, len(self._documents))
            candidates = self._candidates(queries[pending], kept)
            uncertain = []
            for i, query in enumerate(pending.tolist()):
                rows[query], scores[query] = self._best(queries[query], candidates.rows[i], k)
                last = self._rough.scale(queries[query].astype(np.float64), float(scores[query, -1]))
                if kept < len(self._documents) and last <= candidates.bar[i]:
                    uncertain.append(query)
            pending = np.array(uncertain, dtype=np.int64)
            kept *= 4
        return Neighbours(rows, scores)

    def _best(self, query: Vectors, candidates: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        candidates = np.sort(candidates)
        vectors = np.asarray(self._documents[candidates], dtype=np.float64)
        scores = self._compare(query.astype(np.float64)[np.newaxis], vectors)
        order = np.argsort(-scores, kind="stable")[:k]
        return candidates[order], scores[order]

    def _candidates(self, queries: Vectors, kept: int) -> _Candidates:
        best = np.empty((len(queries), 0), dtype=np.float32)
        rows = np.empty((len(queries), 0), dtype=np.int64)
        error = np.zeros(len(queries))
        for start in range(0, len(self._documents), self._block):
            block = np.asarray(self._documents[start : start + self._block], dtype=np.float32)
            here = self._rough.scores(queries, block)
            error = np.maximum(error, self._rough.error(queries, block))
            chosen = _largest(here, kept)
            best = np.concatenate([best, np.take_along_axis(here, chosen, axis=1)], axis=1)
            rows = np.concatenate([rows, chosen + start], axis=1)
            chosen = _largest(best, kept)
            best, rows = np.take_along_axis(best, chosen, axis=1), np.take_along_axis(rows, chosen, axis=1)
        return _Candidates(rows, best.min(axis=1).astype(np.float64) + error)


def _largest(values: Vectors, count: int) -> IntArray:
    """Places of the largest values of each row, in no order."""
    width = values.shape[1]
    if width <= count:
        return np.tile(np.arange(width), (len(values), 1))
    return np.argpartition(values, width - count, axis=1)[:, width - count :]


class _Rough(NamedTuple):
    """A quick score that orders documents as the similarity does, but for rounding."""

    scores: Callable[[Vectors, Vectors], Vectors]  # (queries, documents)
    error: Callable[[Vectors, Vectors], FloatArray]  # (queries,) the most that any of them can be wrong by
    scale: Callable[[FloatArray, float], float]
    """From a query and a score of the similarity to the same in quick scores."""


def _lengths(vectors: Vectors) -> FloatArray:
    lengths: FloatArray = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return lengths


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = (vectors / np.maximum(_lengths(vectors), 1e-12)[:, np.newaxis]).astype(np.float32)
    return unit


def _products(queries: Vectors, documents: Vectors) -> Vectors:
    return queries @ documents.T


def _cosines(queries: Vectors, documents: Vectors) -> Vectors:
    return _unit(queries) @ _unit(documents).T


def _half_squares(queries: Vectors, documents: Vectors) -> Vectors:
    """The product less half the squared length of the document: for one query, the nearer the larger."""
    return queries @ documents.T - (_lengths(documents) ** 2 / 2).astype(np.float32)


def _nearness(queries: Vectors, documents: Vectors) -> Vectors:
    return np.stack([-np.abs(documents - query).sum(axis=1) for query in queries])


def _product_error(queries: Vectors, documents: Vectors) -> FloatArray:
    return _rounding(queries.shape[1]) * _lengths(queries) * float(_lengths(documents).max())


def _cosine_error(queries: Vectors, documents: Vectors) -> FloatArray:
    return np.full(len(queries), _rounding(queries.shape[1]))


def _half_square_error(queries: Vectors, documents: Vectors) -> FloatArray:
    longest = float(_lengths(documents).max())
    return _rounding(queries.shape[1]) * (_lengths(queries) + longest) * longest


def _nearness_error(queries: Vectors, documents: Vectors) -> FloatArray:
    furthest = float(np.abs(documents).sum(axis=1, dtype=np.float64).max())
    reach: FloatArray = np.abs(queries).sum(axis=1, dtype=np.float64)
    return _rounding(queries.shape[1]) * (reach + furthest)


def _rounding(dimensions: int) -> float:
    """What a sum over the dimensions can be wrong by, relative to the sum of sizes (Higham's bound, and room to spare)."""
    return (dimensions + 16) * _ROUNDING


def _same(query: FloatArray, score: float) -> float:
    return score


def _half_square_scale(query: FloatArray, score: float) -> float:
    return (float(query @ query) - score * score) / 2


_ROUGH: Mapping[Similarity, _Rough] = {
    "cosine": _Rough(_cosines, _cosine_error, _same),
    "dot": _Rough(_products, _product_error, _same),
    "euclidean": _Rough(_half_squares, _half_square_error, _half_square_scale),
    "manhattan": _Rough(_nearness, _nearness_error, _same),
}
