"""Exact nearest vectors: all vectors are compared in blocks, and candidates near the limit are compared again.

Matrix products in single precision find the candidates. Their order is decided in double precision, row by row, with the function
that scores pairs. So the result depends neither on the size of the blocks nor on the order in which the processor adds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.models.backends import Similarity
from constraintsuite.models.dense import SIMILARITIES

Vectors = npt.NDArray[np.float32]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_ROUNDING = 2.0**-23  # twice the relative error of one operation in single precision
_DOUBLE_ROUNDING = 2.0**-51  # the same in double precision, with a margin
_LEAST = 2.0**-126  # smaller numbers may be lost in single precision
_LARGEST = 1e37  # sums of larger products may overflow single precision
_ROOM = 1_024  # candidates beyond 4 k per query of a full batch
_FEWER = 16  # by this factor fewer queries are searched at once if they have more candidates
_SHORT = 1e-11  # ten times the product of lengths below which the cosine divides by a constant
_COMPARED = 4_096  # candidates that are compared in double precision at a time


class Neighbours(NamedTuple):
    """The rows of the nearest vectors of each query, best first, and their scores."""

    rows: IntArray  # (queries, k)
    scores: FloatArray  # (queries, k)


def top_k(
    queries: Vectors,  # (queries, dimensions)
    documents: Vectors,  # (documents, dimensions), may be mapped from a file
    k: int,
    similarity: Similarity = "dot",
    *,
    lengths: FloatArray | None = None,  # of the documents, if they are known from `lengths_of`
    queries_at_once: int = 1_024,
    documents_at_once: int = 2_000,
) -> Neighbours:
    """The `k` best documents of each query (all, if there are fewer); equal scores in the order of rows."""
    found = min(k, len(documents))
    result = Neighbours(np.empty((len(queries), found), np.int64), np.empty((len(queries), found), np.float64))
    if found:
        search = _Search(queries, documents, similarity, lengths, documents_at_once)
        search.fill(result, np.arange(len(queries)), queries_at_once, 4 * found + _ROOM)
    return result


def lengths_of(vectors: Vectors) -> FloatArray:
    """The length of each vector; very long and very short ones are computed in double precision."""
    squares = np.einsum("ij,ij->i", vectors, vectors).astype(np.float64)
    odd = ~((squares > 1e-30) & (squares < _LARGEST))
    if odd.any():
        exact = vectors[odd].astype(np.float64)
        squares[odd] = np.einsum("ij,ij->i", exact, exact)
    lengths: FloatArray = np.sqrt(squares)
    return lengths


class _Search:
    def __init__(
        self, queries: Vectors, documents: Vectors, similarity: Similarity, lengths: FloatArray | None, block: int
    ) -> None:
        self._queries, self._documents, self._lengths = queries, documents, lengths
        self._rough = _ROUGH[similarity]
        self._compare = SIMILARITIES[similarity]
        self._block = block

    def fill(self, result: Neighbours, wanted: IntArray, at_once: int, room: int) -> None:
        """Search the wanted queries; those with too many candidates (equal vectors) again, fewer at a time to save memory."""
        crowded = []
        for start in range(0, len(wanted), at_once):
            part = wanted[start : start + at_once]
            candidates = self._candidates(part, result.rows.shape[1], room if at_once > 1 else len(self._documents))
            for i, query in enumerate(part.tolist()):
                if candidates.crowded[i]:
                    crowded.append(query)
                else:
                    result.rows[query], result.scores[query] = self._best(query, candidates.of(i), result.rows.shape[1])
        if crowded:
            self.fill(result, np.array(crowded), max(1, at_once // _FEWER), room * _FEWER)

    def _candidates(self, wanted: IntArray, k: int, room: int) -> _Candidates:
        candidates = _Candidates(len(wanted), k, room)
        with np.errstate(over="ignore", invalid="ignore"):  # vectors that overflow stay candidates
            compare = self._rough(np.asarray(self._queries[wanted], dtype=np.float32))
            for start in range(0, len(self._documents), self._block):
                block = np.asarray(self._documents[start : start + self._block], dtype=np.float32)
                lengths = None if self._lengths is None else self._lengths[start : start + self._block]
                candidates.add(start, compare(block, lengths))
            candidates.settle()
        return candidates

    def _best(self, query: int, candidates: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        vector = self._queries[query].astype(np.float64)[np.newaxis]
        scores = np.empty(len(candidates))
        for start in range(0, len(candidates), _COMPARED):
            part = slice(start, start + _COMPARED)
            near = np.take(self._documents, candidates[part], axis=0)
            scores[part] = self._compare(vector, near.astype(np.float64))
        order = np.argsort(-scores, kind="stable")[:k]
        return candidates[order], scores[order]


class _Scored(NamedTuple):
    """Fast scores that order documents as the similarity does, except for rounding."""

    scores: Vectors  # (queries, documents)
    error: FloatArray  # (queries,) the largest possible error of a score


_Compare = Callable[[Vectors, FloatArray | None], _Scored]
"""Fast scores of a block of documents, whose lengths may be known."""


class _Candidates:
    """The documents that may be among the `k` best of each query, in the order of rows.

    A document that is below the k-th best by more than the possible error of both is dropped. After the first blocks that is nearly
    every document, so a block costs one comparison with a threshold.
    """

    def __init__(self, queries: int, k: int, room: int) -> None:
        self.crowded = np.zeros(queries, dtype=np.bool_)
        """Queries that had too many candidates, and must be searched again."""
        self._k, self._room = k, room
        self._full = 2 * k + 64
        self._kth = np.full(queries, -np.inf)
        self._error = np.zeros(queries)
        self._count = np.zeros(queries, dtype=np.int64)
        self._rows = np.empty((queries, 0), dtype=np.int64)
        self._scores = np.empty((queries, 0), dtype=np.float32)

    def of(self, query: int) -> IntArray:
        """The rows of a query's candidates."""
        return self._rows[query, : self._count[query]]

    def add(self, start: int, scored: _Scored) -> None:
        """Add the candidates of a block of documents that begins at the row `start`."""
        scores, self._error = scored.scores, np.maximum(self._error, scored.error)
        scores[np.isinf(self._error)] = 0  # the scores are useless, so all documents stay candidates
        if start == 0:
            self._raise_threshold(scores)
        above = np.flatnonzero(scores >= self._threshold())
        queries, columns = np.divmod(above, scores.shape[1])
        self._put(queries, columns + start, scores.reshape(-1)[above])
        if self._count.max() > self._full:
            self.settle()

    def settle(self) -> None:
        """Drop candidates below the current threshold."""
        used = int(self._count.max())
        self._raise_threshold(self._scores[:, :used])
        kept = self._scores[:, :used] >= self._threshold()
        kept &= np.arange(used) < self._count[:, np.newaxis]
        self.crowded |= np.count_nonzero(kept, axis=1) > self._room
        kept[self.crowded] = False
        queries, rows, scores = np.nonzero(kept)[0], self._rows[:, :used][kept], self._scores[:, :used][kept]
        self._scores[:, :used] = -np.inf
        self._count[:] = 0
        self._put(queries, rows, scores)
        self._full = max(2 * self._k + 64, 2 * int(self._count.max()))

    def _raise_threshold(self, scores: Vectors) -> None:
        border = scores.shape[1] - self._k
        if border >= 0:
            self._kth = np.maximum(self._kth, np.partition(scores, border, axis=1)[:, border])

    def _threshold(self) -> Vectors:
        """One per query, (queries, 1), rounded down."""
        threshold = np.nextafter((self._kth - 2 * self._error).astype(np.float32), np.float32(-np.inf))
        threshold[self.crowded] = np.inf
        return threshold[:, np.newaxis]

    def _put(self, queries: IntArray, rows: IntArray, scores: Vectors) -> None:
        """Append candidates to the rows of their queries; `queries` is ascending."""
        more = np.bincount(queries, minlength=len(self._count))
        total = self._count + more
        lacking = int(total.max()) - self._rows.shape[1]
        if lacking > 0:
            wider = ((0, 0), (0, lacking + self._full))
            self._rows = np.pad(self._rows, wider)
            self._scores = np.pad(self._scores, wider, constant_values=-np.inf)
        first = np.arange(len(more)) * self._rows.shape[1] + self._count - (np.cumsum(more) - more)
        places = np.arange(len(queries)) + np.repeat(first, more)
        self._rows.reshape(-1)[places], self._scores.reshape(-1)[places] = rows, scores
        self._count = total


def _products(queries: Vectors) -> _Compare:
    lengths, multiply = lengths_of(queries), _multiplier(queries)

    def compare(documents: Vectors, known: FloatArray | None) -> _Scored:
        sizes = lengths * float((lengths_of(documents) if known is None else known).max())
        return _Scored(multiply(documents), _error(sizes, queries.shape[1]))

    return compare


def _cosines(queries: Vectors) -> _Compare:
    lengths = lengths_of(queries)
    multiply = _multiplier(_unit(queries, lengths))
    at_most_one = np.minimum(lengths, 1.0)
    few = len(queries) < queries.shape[1]  # then scaling the products is cheaper than scaling the documents

    def compare(documents: Vectors, known: FloatArray | None) -> _Scored:
        others = lengths_of(documents) if known is None else known
        error = _error(np.ones(len(queries)), 2 * queries.shape[1])  # errors of the lengths and of the products
        shortest = float(others.min(where=others > 0, initial=np.inf))
        error[at_most_one * shortest < _SHORT] = np.inf  # there the similarity divides by a constant
        if not few:
            return _Scored(multiply(_unit(documents, others)), error)
        if not float(others.max()) < _LARGEST:
            error[:] = np.inf
        scores = multiply(documents)
        scores *= _inverse(others)
        return _Scored(scores, error)

    return compare


def _half_squares(queries: Vectors) -> _Compare:
    """The product minus half the squared length of the document, which is larger for nearer documents of one query."""
    lengths, multiply = lengths_of(queries), _multiplier(queries)

    def compare(documents: Vectors, known: FloatArray | None) -> _Scored:
        others = lengths_of(documents) if known is None else known
        scores = multiply(documents)
        scores -= (others * others / 2).astype(np.float32)
        reach = lengths + float(others.max())
        beyond = _DOUBLE_ROUNDING * (queries.shape[1] + 16) * reach * reach  # the error of the distance itself
        return _Scored(scores, _error(reach * float(others.max()), queries.shape[1]) + beyond)

    return compare


def _nearness(queries: Vectors) -> _Compare:
    reach: FloatArray = np.abs(queries).sum(axis=1, dtype=np.float64)

    def compare(documents: Vectors, known: FloatArray | None) -> _Scored:
        furthest = float(np.abs(documents).sum(axis=1, dtype=np.float64).max())
        scores = np.stack([-np.abs(documents - query).sum(axis=1) for query in queries])
        return _Scored(scores, _error(reach + furthest, queries.shape[1]))

    return compare


def _multiplier(queries: Vectors) -> Callable[[Vectors], Vectors]:
    """Products with blocks of documents, which reuse the same memory; new memory would cost a twentieth of the time."""
    buffer = np.empty(0, dtype=np.float32)

    def multiply(documents: Vectors) -> Vectors:
        nonlocal buffer
        shape = len(queries), len(documents)
        if buffer.size < shape[0] * shape[1]:
            buffer = np.empty(shape[0] * shape[1], dtype=np.float32)
        return np.matmul(queries, documents.T, out=buffer[: shape[0] * shape[1]].reshape(shape))

    return multiply


def _unit(vectors: Vectors, lengths: FloatArray) -> Vectors:
    unit: Vectors = vectors * _inverse(lengths)[:, np.newaxis]
    return unit


def _inverse(lengths: FloatArray) -> Vectors:
    inverse: Vectors = (1 / np.maximum(lengths, _SHORT)).astype(np.float32)
    return inverse


def _error(sizes: FloatArray, terms: int) -> FloatArray:
    """The largest error of sums of this many terms whose absolute values add up to `sizes` (Higham's bound, with a margin)."""
    error: FloatArray = (terms + 16) * (_ROUNDING * sizes + _LEAST)
    error[~(sizes < _LARGEST)] = np.inf
    return error


_ROUGH: Mapping[Similarity, Callable[[Vectors], _Compare]] = {
    "cosine": _cosines,
    "dot": _products,
    "euclidean": _half_squares,
    "manhattan": _nearness,
}
