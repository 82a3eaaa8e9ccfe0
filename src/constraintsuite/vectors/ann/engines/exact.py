"""Exact search: compare every vector, by the same search that makes the truth.

Lengths are computed once, when the index is built.
"""

from __future__ import annotations

import numpy as np

from constraintsuite.models.retrieval.topk import lengths_of, top_k
from constraintsuite.vectors.ann.data import IntArray, Vectors, blocks, pad_rows
from constraintsuite.vectors.ann.engines.base import AnnEngine, EngineSettings

_ROWS = 2_000  # at least this many are compared at a time
_PRODUCTS = 200_000  # of queries and rows: a single query is compared with many rows at a time


class ExactEngine(AnnEngine):
    """`engine: exact`; NumPy's matrix product uses as many threads as the harness allows."""

    library = "numpy"
    revision = 2
    exact = True

    @classmethod
    def expected_bytes(cls, settings: EngineSettings, rows: int, dimensions: int) -> int:
        """The vectors and their lengths."""
        return rows * (4 * dimensions + 8)

    def build(self, vectors: Vectors) -> None:
        """Keep the vectors as they are, and compute their lengths."""
        self._vectors = vectors
        self._lengths = np.concatenate([lengths_of(block) for _, block in blocks(vectors)])

    def search(self, queries: Vectors, k: int) -> IntArray:
        """The nearest rows; ties are in the order of rows."""
        at_once = max(_ROWS, _PRODUCTS // max(1, len(queries)))
        found = top_k(queries, self._vectors, k, self._metric, lengths=self._lengths, documents_at_once=at_once)
        return pad_rows(found.rows, k)

    def bytes(self) -> int:
        """The vectors themselves, and their lengths."""
        return int(self._vectors.size) * 4 + int(self._lengths.nbytes)
