"""The nearest vectors, exactly: all are compared, block by block, and what is near the border is compared again.

Products of matrices in single precision find the candidates; their order is decided in double precision, row by row, by the
function that scores pairs. So the result depends neither on the size of the blocks nor on the processor's way to add up.
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
_ROUNDING = 2.0**-23  # twice what one operation in single precision can be wrong by, relative to its result
_DOUBLE_ROUNDING = 2.0**-51  # in double precision, with room to spare
_LEAST = 2.0**-126  # what is smaller in single precision may be lost
_LARGEST = 1e37  # sums of larger products may be beyond single precision
_ROOM = 1_024  # candidates beyond 4 k that a query of a full batch may have
_FEWER = 16  # times as few queries are searched at once where there are more candidates
_SHORT = 1e-11  # ten times the product of lengths below which a cosine is divided by a constant
_COMPARED = 4_096  # candidates whose vectors are in double precision at a time


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
    lengths: FloatArray | None = None,  # of the documents, where `lengths_of` was asked before
    queries_at_once: int = 1_024,
    documents_at_once: int = 2_000,
) -> Neighbours:
    """The `k` best documents of each query (all, where there are fewer); equal scores in the order of rows."""
    found = min(k, len(documents))
    result = Neighbours(np.empty((len(queries), found), np.int64), np.empty((len(queries), found), np.float64))
    if found:
        search = _Search(queries, documents, similarity, lengths, documents_at_once)
        search.fill(result, np.arange(len(queries)), queries_at_once, 4 * found + _ROOM)
    return result


def lengths_of(vectors: Vectors) -> FloatArray:
    """Of each vector; single precision will do for most, very long and very short ones are done again in double."""
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
        """Answer the wanted queries; those with too many candidates once more, fewer at once: equal vectors take memory."""
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
        with np.errstate(over="ignore", invalid="ignore"):  # what cannot be compared in single precision stays in
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
    """Quick scores that order documents as the similarity does, but for rounding."""

    scores: Vectors  # (queries, documents)
    error: FloatArray  # (queries,) the most that any of them can be wrong by


_Compare = Callable[[Vectors, FloatArray | None], _Scored]
"""Quick scores of a block of documents, whose lengths may be known."""


class _Candidates:
    """The documents that may be among the `k` best of each query, in the order of rows.

    What is below the k-th best so far by more than both can be wrong is out. After the first blocks that is nearly everything, so a
    block costs one comparison with a bar.
    """

    def __init__(self, queries: int, k: int, room: int) -> None:
        self.crowded = np.zeros(queries, dtype=np.bool_)
        """Queries that had more candidates than there is room for, and were given up."""
        self._k, self._room = k, room
        self._full = 2 * k + 64
        self._kth = np.full(queries, -np.inf)
        self._error = np.zeros(queries)
        self._count = np.zeros(queries, dtype=np.int64)
        self._rows = np.empty((queries, 0), dtype=np.int64)
        self._scores = np.empty((queries, 0), dtype=np.float32)

    def of(self, query: int) -> IntArray:
        """Rows of the candidates of a query."""
        return self._rows[query, : self._count[query]]

    def add(self, start: int, scored: _Scored) -> None:
        """Look at a block of documents that begins at a row."""
        scores, self._error = scored.scores, np.maximum(self._error, scored.error)
        scores[np.isinf(self._error)] = 0  # they say nothing, and all of these documents stay in
        if start == 0:
            self._raise(scores)
        above = np.flatnonzero(scores >= self._bar())
        queries, columns = np.divmod(above, scores.shape[1])
        self._put(queries, columns + start, scores.reshape(-1)[above])
        if self._count.max() > self._full:
            self.settle()

    def settle(self) -> None:
        """Drop what is below the bar by now."""
        used = int(self._count.max())
        self._raise(self._scores[:, :used])
        kept = self._scores[:, :used] >= self._bar()
        kept &= np.arange(used) < self._count[:, np.newaxis]
        self.crowded |= np.count_nonzero(kept, axis=1) > self._room
        kept[self.crowded] = False
        queries, rows, scores = np.nonzero(kept)[0], self._rows[:, :used][kept], self._scores[:, :used][kept]
        self._scores[:, :used] = -np.inf
        self._count[:] = 0
        self._put(queries, rows, scores)
        self._full = max(2 * self._k + 64, 2 * int(self._count.max()))

    def _raise(self, scores: Vectors) -> None:
        border = scores.shape[1] - self._k
        if border >= 0:
            self._kth = np.maximum(self._kth, np.partition(scores, border, axis=1)[:, border])

    def _bar(self) -> Vectors:
        """One per query, (queries, 1), rounded down."""
        bar = np.nextafter((self._kth - 2 * self._error).astype(np.float32), np.float32(-np.inf))
        bar[self.crowded] = np.inf
        return bar[:, np.newaxis]

    def _put(self, queries: IntArray, rows: IntArray, scores: Vectors) -> None:
        """Behind what each query has; `queries` ascends."""
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
    few = len(queries) < queries.shape[1]  # then there are fewer products than numbers in the documents

    def compare(documents: Vectors, known: FloatArray | None) -> _Scored:
        others = lengths_of(documents) if known is None else known
        error = _error(np.ones(len(queries)), 2 * queries.shape[1])  # once for the lengths, once for the products
        shortest = float(others.min(where=others > 0, initial=np.inf))
        error[at_most_one * shortest < _SHORT] = np.inf  # where the similarity divides by more than the lengths
        if not few:
            return _Scored(multiply(_unit(documents, others)), error)
        if not float(others.max()) < _LARGEST:
            error[:] = np.inf
        scores = multiply(documents)
        scores *= _inverse(others)
        return _Scored(scores, error)

    return compare


def _half_squares(queries: Vectors) -> _Compare:
    """The product less half the squared length of the document: for one query, the nearer the larger."""
    lengths, multiply = lengths_of(queries), _multiplier(queries)

    def compare(documents: Vectors, known: FloatArray | None) -> _Scored:
        others = lengths_of(documents) if known is None else known
        scores = multiply(documents)
        scores -= (others * others / 2).astype(np.float32)
        reach = lengths + float(others.max())
        beyond = _DOUBLE_ROUNDING * (queries.shape[1] + 16) * reach * reach  # of the distance itself
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
    """Products with blocks of documents, each in the memory of the one before: new memory takes a twentieth of the time."""
    sheet = np.empty(0, dtype=np.float32)

    def multiply(documents: Vectors) -> Vectors:
        nonlocal sheet
        shape = len(queries), len(documents)
        if sheet.size < shape[0] * shape[1]:
            sheet = np.empty(shape[0] * shape[1], dtype=np.float32)
        return np.matmul(queries, documents.T, out=sheet[: shape[0] * shape[1]].reshape(shape))

    return multiply


def _unit(vectors: Vectors, lengths: FloatArray) -> Vectors:
    unit: Vectors = vectors * _inverse(lengths)[:, np.newaxis]
    return unit


def _inverse(lengths: FloatArray) -> Vectors:
    inverse: Vectors = (1 / np.maximum(lengths, _SHORT)).astype(np.float32)
    return inverse


def _error(sizes: FloatArray, terms: int) -> FloatArray:
    """What sums of so many terms can be wrong by, if those of their sizes are `sizes` (Higham's bound, and room to spare)."""
    error: FloatArray = (terms + 16) * (_ROUNDING * sizes + _LEAST)
    error[~(sizes < _LARGEST)] = np.inf
    return error


_ROUGH: Mapping[Similarity, Callable[[Vectors], _Compare]] = {
    "cosine": _cosines,
    "dot": _products,
    "euclidean": _half_squares,
    "manhattan": _nearness,
}
