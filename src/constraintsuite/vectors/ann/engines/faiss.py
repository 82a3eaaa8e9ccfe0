"""Faiss by its factory strings: Flat, IVF, PQ, HNSW and their combinations."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import numpy as np
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors, blocks, normalise_rows
from constraintsuite.vectors.ann.engines.base import EngineSettings, PersistentEngine, require

_FILE = "index.faiss"
_PRODUCT, _SCALAR = re.compile(r"PQ(\d+)(?:x(\d+))?"), re.compile(r"SQ(fp16|bf16|\d+)")
_GRAPH, _HASH = re.compile(r"(?:HNSW|NSG)(\d*)"), re.compile(r"LSH(\d*)")
_BITS = {"4": 4, "6": 6, "8": 8, "fp16": 16, "bf16": 16}  # bits per number in a scalar code
_TRAINED_ON = 262_144  # rows; more make training longer and centroids hardly better


class FaissBuild(EngineSettings):
    """Parameters of a build: the index, and the rows it is trained on."""

    factory: str = Field("HNSW32", description="factory string of Faiss, such as `OPQ16,IVF256,PQ16`")
    ef_construction: int | None = Field(None, ge=1, description="width of the search while a graph is built")
    train_rows: int = Field(_TRAINED_ON, ge=1, description="rows drawn for training")
    seed: int = Field(0, ge=0, description="seed of that draw")


class FaissSearch(EngineSettings):
    """Parameters of a search; one that the index does not have is refused, since Faiss may ignore it."""

    nprobe: int | None = Field(None, ge=1, description="lists that are searched")
    ef: int | None = Field(None, ge=1, description="width of the search in a graph")
    k_factor: float | None = Field(None, ge=1, description="for refining indexes: candidates in multiples of k")


class _ThreadCount(threading.local):
    """OpenMP keeps the number of threads per thread."""

    threads = 0


_PARAMETERS = {"nprobe": "nprobe", "ef": "efSearch", "k_factor": "k_factor_rf"}


class FaissEngine(PersistentEngine):
    """`engine: faiss`: any index that Faiss can make from a factory string."""

    build_settings = FaissBuild
    search_settings = FaissSearch
    library = "faiss-cpu"
    revision = 2

    def __init__(self, settings: FaissBuild, metric: VectorMetric, threads: int) -> None:
        super().__init__(settings, metric, threads)
        self._faiss = require("faiss", "faiss")
        self.exact = settings.factory == "Flat"
        self._unit = metric == "cosine"  # cosine is the product of vectors of length 1
        # Faiss hashes for L2 only, which orders vectors of length 1 as their products do.
        by_distance = metric == "euclidean" or (self._unit and _HASH.search(settings.factory) is not None)
        self._kind = self._faiss.METRIC_L2 if by_distance else self._faiss.METRIC_INNER_PRODUCT
        self._thread_count = _ThreadCount()
        self._given: set[str] = set()

    @classmethod
    def expected_bytes(cls, settings: FaissBuild, rows: int, dimensions: int) -> int:
        """Sum of the parts of the factory string: code, links of a graph, and ids of lists."""
        quantised, scalar, hashed = (part.search(settings.factory) for part in (_PRODUCT, _SCALAR, _HASH))
        code = 4 * dimensions
        if quantised:
            code = -(-int(quantised[1]) * int(quantised[2] or 8) // 8)
        elif scalar:
            code = -(-dimensions * _BITS.get(scalar[1], 8) // 8)
        elif hashed:
            code = -(-int(hashed[1] or dimensions) // 8)
        graph = _GRAPH.search(settings.factory)
        links = 8 * int(graph[1] or 32) + 16 if graph else 0
        return rows * (code + links + (8 if "IVF" in settings.factory else 0))

    def build(self, vectors: Vectors) -> None:
        """Train on a sample if the index needs it, then add block by block."""
        self._faiss.omp_set_num_threads(self._threads)
        try:
            self._index = self._faiss.index_factory(vectors.shape[1], self._settings.factory, self._kind)
        except RuntimeError as error:
            raise UserError(
                f"faiss: the factory string {self._settings.factory!r} is refused: {_reason(error)}"
            ) from None
        if self._settings.ef_construction is not None:
            self._set("efConstruction", self._settings.ef_construction)
        if not self._index.is_trained:
            try:
                self._index.train(self._sample(vectors))
            except RuntimeError as error:
                raise UserError(f"faiss: {self._settings.factory!r} cannot be trained: {_reason(error)}") from None
        for _, block in blocks(vectors, unit=self._unit):
            self._index.add(block)

    def configure(self, settings: FaissSearch, threads: int) -> None:
        """Set parameters by ParameterSpace, which also reaches an index after a transformation."""
        super().configure(settings, threads)
        given = settings.model_dump(exclude_none=True)
        assert self._given <= given.keys()  # else the index would keep a value of an earlier cell
        self._given = set(given)
        for name, value in given.items():
            self._set(_PARAMETERS[name], value)

    def search(self, queries: Vectors, k: int) -> IntArray:
        """Search; Faiss itself fills missing rows with -1.

        For cosine the index holds vectors of length 1; the length of a query does not change the order.
        """
        if self._thread_count.threads != self._threads:
            self._faiss.omp_set_num_threads(self._threads)
            self._thread_count.threads = self._threads
        found: IntArray = self._index.search(queries, k)[1]
        return found

    def bytes(self) -> int:
        """Size of the saved index."""
        return int(self._faiss.serialize_index(self._index).nbytes)

    def save(self, folder: Path) -> None:
        """Write one file in Faiss's format."""
        self._faiss.write_index(self._index, str(folder / _FILE))

    def load(self, folder: Path) -> None:
        """Read the file that `save` wrote."""
        self._index = self._faiss.read_index(str(folder / _FILE))

    def _sample(self, vectors: Vectors) -> Vectors:
        rows = np.arange(len(vectors))
        if len(rows) > self._settings.train_rows:
            rng = np.random.default_rng(self._settings.seed)
            rows = np.sort(rng.choice(rows, self._settings.train_rows, replace=False))
        chosen = np.ascontiguousarray(vectors[rows], dtype=np.float32)
        return normalise_rows(chosen) if self._unit else chosen

    def _set(self, name: str, value: float) -> None:
        try:
            self._faiss.ParameterSpace().set_index_parameter(self._index, name, value)
        except RuntimeError:
            raise UserError(
                f"faiss: an index {self._settings.factory!r} has no parameter {name}. Leave it out."
            ) from None


def _reason(error: RuntimeError) -> str:
    """The end of Faiss's message, without its source files."""
    return str(error).strip().splitlines()[0].rpartition(": ")[2]
