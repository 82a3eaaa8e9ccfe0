"""Every vector compared, but as a smaller code: what does half precision, 8 bits, one bit or a cut cost?

With `rerank` in the benchmark file the best of the codes are compared again in full, as one would do in production.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.vectors.ann.codes import (
    Calibration,
    Code,
    calibrate,
    decode,
    differing_bits,
    encode,
    refuse_cut,
    shortened,
)
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors
from constraintsuite.vectors.ann.engines.base import EngineSettings, blocks, filled
from constraintsuite.vectors.matrices import BLOCK_ROWS

Float32Array = npt.NDArray[np.float32]
_NUMBER: dict[Code, int] = {"float32": 4, "float16": 2, "int8": 1}  # bytes
_QUERIES = 256  # compared with a block of rows at once


class CodedBuild(EngineSettings):
    """How vectors are made smaller."""

    code: Code = Field(
        "int8", description="float32, float16, int8 (one range a dimension, over all rows) or binary (signs)"
    )
    dimensions: int | None = Field(None, ge=1, description="only the first, made length 1 again")


class CodedSearch(EngineSettings):
    """Nothing to choose."""


class CodedEngine:
    """`engine: coded`."""

    build_settings: ClassVar[type[EngineSettings]] = CodedBuild
    search_settings: ClassVar[type[EngineSettings]] = CodedSearch
    library = "numpy"
    revision = 1
    exact = False

    def __init__(self, settings: CodedBuild, metric: VectorMetric, threads: int) -> None:
        self._code: Code = settings.code
        self._asked_dimensions = settings.dimensions
        self._metric: VectorMetric = metric

    @classmethod
    def expected_bytes(cls, settings: CodedBuild, rows: int, dimensions: int) -> int:
        """The codes."""
        kept = min(dimensions, settings.dimensions or dimensions)
        return rows * (-(-kept // 8) if settings.code == "binary" else kept * _NUMBER[settings.code])

    def build(self, vectors: Vectors) -> None:
        """Calibrate on all rows, then code block by block."""
        self._dimensions = self._asked_dimensions or vectors.shape[1]
        refuse_cut(vectors, self._dimensions, self._metric)
        self._unit = self._metric == "cosine" or self._dimensions < vectors.shape[1]
        self._calibration: Calibration | None = None
        if self._code == "int8":
            self._calibration = calibrate(vectors, self._dimensions, unit=self._unit)
        self._coded = np.concatenate([self._encode(block) for _, block in blocks(vectors)])

    def configure(self, settings: CodedSearch, threads: int) -> None:
        """Threads are those of the matrix product, which whoever measures limits for the whole process."""

    def search(self, queries: Vectors, k: int) -> IntArray:
        """The best rows by their codes; a query stays in full precision, but for the binary code."""
        found = min(k, len(self._coded))
        parts = [self._best(queries[i : i + _QUERIES], found) for i in range(0, len(queries), _QUERIES)]
        return filled(np.concatenate(parts), k)

    def bytes(self) -> int:
        """The codes and their calibration."""
        ranges = 0 if self._calibration is None else self._calibration.low.nbytes + self._calibration.step.nbytes
        return int(self._coded.nbytes) + ranges

    def close(self) -> None:
        """Nothing is held."""

    def _encode(self, vectors: Vectors) -> npt.NDArray[np.generic]:
        return encode(shortened(vectors, self._dimensions, unit=self._unit), self._code, self._calibration)

    def _best(self, queries: Vectors, k: int) -> IntArray:
        """Block by block; of equal codes the first rows, so that the answer does not depend on the blocks."""
        best = np.empty((len(queries), 0), dtype=np.float32)
        rows = np.empty((len(queries), 0), dtype=np.int64)
        cut = shortened(queries, self._dimensions, unit=self._unit)
        for start in range(0, len(self._coded), BLOCK_ROWS):
            here = self._nearness(cut, self._coded[start : start + BLOCK_ROWS])
            numbers = np.broadcast_to(np.arange(start, start + here.shape[1]), here.shape)
            best, rows = np.concatenate([best, here], axis=1), np.concatenate([rows, numbers], axis=1)
            order = np.argsort(-best, axis=1, kind="stable")[:, :k]
            best, rows = np.take_along_axis(best, order, axis=1), np.take_along_axis(rows, order, axis=1)
        return rows

    def _nearness(self, queries: Vectors, coded: npt.NDArray[np.generic]) -> Float32Array:
        if self._code == "binary":
            return -differing_bits(encode(queries, "binary", None), coded).astype(np.float32)
        vectors = decode(coded, self._calibration)
        products: Float32Array = queries @ vectors.T
        if self._metric == "euclidean":  # for one query, the nearer the larger
            products -= np.einsum("ij,ij->i", vectors, vectors) / 2
        return products
