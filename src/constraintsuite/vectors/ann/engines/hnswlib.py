"""hnswlib, the reference implementation of HNSW."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors, blocks, pad_rows
from constraintsuite.vectors.ann.engines.base import EngineSettings, PersistentEngine, require

_SPACES: dict[VectorMetric, str] = {"cosine": "cosine", "dot": "ip", "euclidean": "l2"}
_FILE = "index.hnswlib"
_SHORT = "Cannot return the results in a contiguous 2D array"


class HnswlibBuild(EngineSettings):
    """Parameters of a build: how dense the graph is."""

    m: int = Field(16, ge=2, description="edges per node")
    ef_construction: int = Field(200, ge=1, description="width of the search while the graph is built")
    seed: int = Field(100, ge=0, description="seed of the nodes' levels")


class HnswlibSearch(EngineSettings):
    """Parameters of a search: how many nodes of the graph are visited."""

    ef: int = Field(64, ge=1, description="width of the search; hnswlib uses at least k")


class HnswlibEngine(PersistentEngine):
    """`engine: hnswlib`: an HNSW graph in single precision."""

    build_settings = HnswlibBuild
    search_settings = HnswlibSearch
    library = "hnswlib"
    revision = 2

    def __init__(self, settings: HnswlibBuild, metric: VectorMetric, threads: int) -> None:
        super().__init__(settings, metric, threads)
        self._library = require("hnswlib", "hnswlib")

    @classmethod
    def expected_bytes(cls, settings: HnswlibBuild, rows: int, dimensions: int) -> int:
        """Vectors, twice m links of four bytes, and a label."""
        return rows * (4 * dimensions + 8 * settings.m + 20)

    def build(self, vectors: Vectors) -> None:
        """Create an empty graph of this size, then add the vectors block by block."""
        self._index = self._library.Index(_SPACES[self._metric], vectors.shape[1])
        self._index.init_index(
            len(vectors),
            M=self._settings.m,
            ef_construction=self._settings.ef_construction,
            random_seed=self._settings.seed,
        )
        self._rows = len(vectors)
        for start, block in blocks(vectors):
            self._index.add_items(block, np.arange(start, start + len(block)), num_threads=self._threads)

    def configure(self, settings: HnswlibSearch, threads: int) -> None:
        """Set the width of the search."""
        super().configure(settings, threads)
        self._index.set_ef(settings.ef)

    def search(self, queries: Vectors, k: int) -> IntArray:
        """Search; hnswlib returns k rows or raises an error."""
        try:
            rows, _ = self._index.knn_query(queries, k=min(k, self._rows), num_threads=self._threads)
        except RuntimeError as error:
            if _SHORT not in str(error):
                raise
            raise UserError(
                f"hnswlib: a query has fewer than {min(k, self._rows)} neighbours within reach in the graph, and hnswlib "
                "returns nothing rather than a partial result. Raise m, ef_construction or ef."
            ) from None
        return pad_rows(rows.view(np.int64), k)

    def bytes(self) -> int:
        """Size of the saved index."""
        return int(self._index.index_file_size())

    def save(self, folder: Path) -> None:
        """Write one file in hnswlib's format, and the dimensions."""
        self._index.save_index(str(folder / _FILE))
        (folder / "dimensions").write_text(str(self._index.dim))

    def load(self, folder: Path) -> None:
        """Read the file that `save` wrote."""
        self._index = self._library.Index(_SPACES[self._metric], int((folder / "dimensions").read_text()))
        self._index.load_index(str(folder / _FILE))
        self._rows = self._index.get_current_count()
