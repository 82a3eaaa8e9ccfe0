"""Every vector compared, block by block: the baseline that is always right.

Lengths are computed once, when it is built. Products in single precision find candidates, double precision decides between them;
a query whose last neighbour is too close to what was left out is answered by the slower search that settles it.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.retrieval.topk import top_k
from constraintsuite.vectors.ann.data import IntArray, Metric, Vectors
from constraintsuite.vectors.ann.engines.base import ALL_METRICS, Settings, blocks, filled

FloatArray = npt.NDArray[np.float64]
_SPARE = 32  # candidates beyond k
_BLOCK = 16_384  # rows that are compared at a time
_QUERIES = 256  # with as many queries
_ROUNDING = 2.0**-22  # of a sum of products in single precision, for each dimension: generous


class ExactBuild(Settings):
    """Nothing to choose."""


class ExactSearch(Settings):
    """Nothing to choose."""


class ExactEngine:
    """`engine: exact`."""

    build_settings: ClassVar[type[Settings]] = ExactBuild
    search_settings: ClassVar[type[Settings]] = ExactSearch
    metrics = ALL_METRICS
    library = "numpy"
    revision = 1
    exact = True

    def __init__(self, settings: ExactBuild, metric: Metric, threads: int) -> None:
        self._metric: Metric = metric

    @classmethod
    def expected_bytes(cls, settings: ExactBuild, rows: int, dimensions: int) -> int:
        """The vectors and their lengths."""
        return rows * (dimensions + 1) * 4

    def build(self, vectors: Vectors) -> None:
        """The vectors stay where they are."""
        self._vectors = vectors
        self._lengths = np.concatenate([np.linalg.norm(block, axis=1) for _, block in blocks(vectors)])
        self._longest = float(self._lengths.max())

    def configure(self, settings: ExactSearch, threads: int) -> None:
        """Threads are those of the matrix product, which are set before the process starts."""

    def search(self, queries: Vectors, k: int) -> IntArray:
        """The best rows, ties in the order of rows."""
        found = min(k, len(self._vectors))
        parts = [self._nearest(queries[i : i + _QUERIES], found) for i in range(0, len(queries), _QUERIES)]
        return filled(np.concatenate(parts), k)

    def bytes(self) -> int:
        """The vectors themselves, and their lengths."""
        return int(self._vectors.size) * 4 + int(self._lengths.nbytes)

    def close(self) -> None:
        """Nothing is held."""

    def _nearest(self, queries: Vectors, k: int) -> IntArray:
        candidates, bars = self._candidates(np.asarray(queries, dtype=np.float32), k + _SPARE)
        rows = np.empty((len(queries), k), dtype=np.int64)
        unsettled = []
        for i, query in enumerate(queries.astype(np.float64)):
            chosen = np.sort(candidates[i])
            vectors = np.asarray(self._vectors[chosen], dtype=np.float64)
            scores = SIMILARITIES[self._metric](query[np.newaxis], vectors)
            order = np.argsort(-scores, kind="stable")[:k]
            rows[i] = chosen[order]
            if len(chosen) < len(self._vectors) and self._as_rough(query, float(scores[order[-1]])) <= bars[i]:
                unsettled.append(i)
        if unsettled:
            rows[unsettled] = top_k(queries[unsettled], self._vectors, k, self._metric).rows
        return rows

    def _candidates(self, queries: Vectors, count: int) -> tuple[IntArray, FloatArray]:
        """Rows of the best by a quick score, and the most that any other can have, rounding included."""
        best = np.empty((len(queries), 0), dtype=np.float32)
        rows = np.empty((len(queries), 0), dtype=np.int64)
        for start in range(0, len(self._vectors), _BLOCK):
            here = self._rough(queries, slice(start, start + _BLOCK))
            numbers = np.broadcast_to(np.arange(start, start + here.shape[1]), here.shape)
            best, rows = np.concatenate([best, here], axis=1), np.concatenate([rows, numbers], axis=1)
            if best.shape[1] > count:
                kept = np.argpartition(best, best.shape[1] - count, axis=1)[:, -count:]
                best, rows = np.take_along_axis(best, kept, axis=1), np.take_along_axis(rows, kept, axis=1)
        return rows, best.min(axis=1).astype(np.float64) + self._error(queries)

    def _rough(self, queries: Vectors, part: slice) -> Vectors:
        """For one query the better the larger: the product, over the length, or less half the square of it."""
        products: Vectors = queries @ np.asarray(self._vectors[part], dtype=np.float32).T
        lengths = self._lengths[part].astype(np.float32)
        if self._metric == "cosine":
            products /= np.maximum(lengths, np.float32(1e-12))
        elif self._metric == "euclidean":
            products -= lengths * lengths / np.float32(2)
        return products

    def _as_rough(self, query: FloatArray, score: float) -> float:
        """A true score in the units of the quick one."""
        length = float(np.linalg.norm(query))
        if self._metric == "cosine":
            return score * length
        return score if self._metric == "dot" else (length * length - score * score) / 2

    def _error(self, queries: Vectors) -> FloatArray:
        lengths: FloatArray = np.linalg.norm(queries.astype(np.float64), axis=1)
        if self._metric == "dot":
            lengths = lengths * self._longest
        elif self._metric == "euclidean":
            lengths = (lengths + self._longest) * self._longest
        error: FloatArray = (queries.shape[1] + 16) * _ROUNDING * lengths
        return error
