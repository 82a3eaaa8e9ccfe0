"""USearch: a graph with single, half or 8-bit precision."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from constraintsuite.vectors.ann.data import MISSING, IntArray, VectorMetric, Vectors, blocks, pad_rows
from constraintsuite.vectors.ann.engines.base import EngineSettings, PersistentEngine, require

_NAMES: dict[VectorMetric, str] = {"cosine": "cos", "dot": "ip", "euclidean": "l2sq"}
_FILE = "index.usearch"


class UsearchBuild(EngineSettings):
    """Parameters of a build: how dense the graph is, and its precision."""

    connectivity: int = Field(16, ge=2, description="edges per node")
    expansion_add: int = Field(128, ge=1, description="width of the search while the graph is built")
    dtype: Literal["f32", "f16", "bf16", "i8"] = Field("f32", description="precision of the stored vectors")


class UsearchSearch(EngineSettings):
    """Parameters of a search: how many nodes of the graph are visited."""

    expansion: int = Field(64, ge=1, description="width of the search")


class UsearchEngine(PersistentEngine):
    """`engine: usearch`: a graph with single, half or 8-bit precision."""

    build_settings = UsearchBuild
    search_settings = UsearchSearch
    library = "usearch"
    revision = 2

    def __init__(self, settings: UsearchBuild, metric: VectorMetric, threads: int) -> None:
        super().__init__(settings, metric, threads)
        self._library = require("usearch.index", "usearch")

    @classmethod
    def expected_bytes(cls, settings: UsearchBuild, rows: int, dimensions: int) -> int:
        """Numbers, twice as many links of four bytes, and a key."""
        number = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1}[settings.dtype]
        return rows * (number * dimensions + 8 * settings.connectivity + 20)

    def build(self, vectors: Vectors) -> None:
        """Create an empty graph, then add the vectors block by block."""
        self._index = self._library.Index(
            ndim=vectors.shape[1],
            metric=_NAMES[self._metric],
            dtype=self._settings.dtype,
            connectivity=self._settings.connectivity,
            expansion_add=self._settings.expansion_add,
        )
        for start, block in blocks(vectors):
            self._index.add(np.arange(start, start + len(block)), block, threads=self._threads)

    def configure(self, settings: UsearchSearch, threads: int) -> None:
        """Set the width of the search."""
        super().configure(settings, threads)
        self._index.expansion_search = settings.expansion

    def search(self, queries: Vectors, k: int) -> IntArray:
        """Search; entries beyond the number of matches are arbitrary memory, and replaced by -1."""
        found = self._index.search(queries, k, threads=self._threads)
        if len(queries) == 1:  # the answer has no counts, and only matches
            return pad_rows(found.keys.view(np.int64)[np.newaxis], k)
        rows = found.keys.view(np.int64)
        counted = np.arange(rows.shape[1]) < np.asarray(found.counts)[:, np.newaxis]
        return pad_rows(np.where(counted, rows, MISSING), k)

    def bytes(self) -> int:
        """Size of the saved index."""
        return int(self._index.serialized_length)

    def save(self, folder: Path) -> None:
        """Write one file in USearch's format."""
        self._index.save(str(folder / _FILE))

    def load(self, folder: Path) -> None:
        """Read the file that `save` wrote."""
        self._index = self._library.Index.restore(str(folder / _FILE))
