"""Every vector compared: the baseline that is always right, by the one exact search there is here.

Lengths are computed once, when it is built, as any index would keep them.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from constraintsuite.retrieval.topk import lengths_of, top_k
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors
from constraintsuite.vectors.ann.engines.base import EngineSettings, blocks, filled

_ROWS = 2_000  # at least so many are compared at a time
_PRODUCTS = 200_000  # of queries and rows: a single query goes over many rows in one step


class ExactBuild(EngineSettings):
    """Nothing to choose."""


class ExactSearch(EngineSettings):
    """Nothing to choose."""


class ExactEngine:
    """`engine: exact`."""

    build_settings: ClassVar[type[EngineSettings]] = ExactBuild
    search_settings: ClassVar[type[EngineSettings]] = ExactSearch
    library = "numpy"
    revision = 2
    exact = True

    def __init__(self, settings: ExactBuild, metric: VectorMetric, threads: int) -> None:
        self._metric: VectorMetric = metric

    @classmethod
    def expected_bytes(cls, settings: ExactBuild, rows: int, dimensions: int) -> int:
        """The vectors and their lengths."""
        return rows * (4 * dimensions + 8)

    def build(self, vectors: Vectors) -> None:
        """The vectors stay where they are."""
        self._vectors = vectors
        self._lengths = np.concatenate([lengths_of(block) for _, block in blocks(vectors)])

    def configure(self, settings: ExactSearch, threads: int) -> None:
        """Threads are those of the matrix product, which whoever measures limits for the whole process."""

    def search(self, queries: Vectors, k: int) -> IntArray:
        """The best rows, ties in the order of rows."""
        at_once = max(_ROWS, _PRODUCTS // max(1, len(queries)))
        found = top_k(queries, self._vectors, k, self._metric, lengths=self._lengths, documents_at_once=at_once)
        return filled(found.rows, k)

    def bytes(self) -> int:
        """The vectors themselves, and their lengths."""
        return int(self._vectors.size) * 4 + int(self._lengths.nbytes)

    def close(self) -> None:
        """Nothing is held."""
