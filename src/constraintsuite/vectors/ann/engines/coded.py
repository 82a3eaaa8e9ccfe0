"""Exact search over smaller codes: half precision, 8 bits, one bit, or fewer dimensions.

With `rerank` in the benchmark file, the best candidates are compared again in full precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors, blocks, normalise_rows, pad_rows
from constraintsuite.vectors.ann.engines.base import AnnEngine, EngineSettings
from constraintsuite.vectors.matrices import BLOCK_ROWS

Code = Literal["float32", "float16", "int8", "binary"]
Coded = npt.NDArray[np.generic]
_NUMBER: dict[Code, int] = {"float32": 4, "float16": 2, "int8": 1}  # bytes
_UNIT = 1e-3  # tolerance of a length of 1
_QUERIES = 256  # queries compared with a block of rows at once


class CodedBuild(EngineSettings):
    """How vectors are encoded."""

    code: Code = Field(
        "int8", description="float32, float16, int8 (one range per dimension, over all rows) or binary (signs)"
    )
    dimensions: int | None = Field(None, ge=1, description="use only the first dimensions, normalised again")


class CodedEngine(AnnEngine):
    """`engine: coded`; NumPy's matrix product uses as many threads as the harness allows."""

    build_settings = CodedBuild
    library = "numpy"
    revision = 1

    @classmethod
    def expected_bytes(cls, settings: CodedBuild, rows: int, dimensions: int) -> int:
        """The size of the codes; a calibration adds very little."""
        kept = min(dimensions, settings.dimensions or dimensions)
        return rows * (-(-kept // 8) if settings.code == "binary" else kept * _NUMBER[settings.code])

    def build(self, vectors: Vectors) -> None:
        """Calibrate on all rows, then encode block by block."""
        self._dimensions = self._settings.dimensions or vectors.shape[1]
        _refuse_cut(vectors, self._dimensions, self._metric)
        self._unit = self._metric == "cosine" or self._dimensions < vectors.shape[1]
        self._calibration: Calibration | None = None
        if self._settings.code == "int8":
            self._calibration = calibrate(vectors, self._dimensions, unit=self._unit)
        self._coded = np.concatenate([self._encode(block) for _, block in blocks(vectors)])

    def search(self, queries: Vectors, k: int) -> IntArray:
        """The best rows by their codes; queries stay in full precision, except for the binary code."""
        found = min(k, len(self._coded))
        parts = [self._best(queries[i : i + _QUERIES], found) for i in range(0, len(queries), _QUERIES)]
        return pad_rows(np.concatenate(parts), k)

    def bytes(self) -> int:
        """The codes and their calibration."""
        ranges = 0 if self._calibration is None else self._calibration.low.nbytes + self._calibration.step.nbytes
        return int(self._coded.nbytes) + ranges

    def _encode(self, vectors: Vectors) -> Coded:
        return encode(shortened(vectors, self._dimensions, unit=self._unit), self._settings.code, self._calibration)

    def _best(self, queries: Vectors, k: int) -> IntArray:
        """Search block by block; equal codes are in the order of rows, so the blocks do not matter."""
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

    def _nearness(self, queries: Vectors, coded: Coded) -> Vectors:
        if self._settings.code == "binary":
            return -differing_bits(encode(queries, "binary", None), coded).astype(np.float32)
        vectors = decode(coded, self._calibration)
        products: Vectors = queries @ vectors.T
        if self._metric == "euclidean":  # for one query, this orders rows by distance
            products -= np.einsum("ij,ij->i", vectors, vectors) / 2
        return products


@dataclass(frozen=True)
class Calibration:
    """For 8 bits: the lowest value and the step of each dimension, over all rows."""

    low: Vectors  # (dimensions,)
    step: Vectors  # (dimensions,)


def calibrate(vectors: Vectors, dimensions: int, *, unit: bool) -> Calibration:
    """The range of each dimension, in one pass over all rows."""
    low, high = np.full(dimensions, np.inf, dtype=np.float32), np.full(dimensions, -np.inf, dtype=np.float32)
    for _, block in blocks(vectors):
        cut = shortened(block, dimensions, unit=unit)
        low, high = np.minimum(low, cut.min(axis=0)), np.maximum(high, cut.max(axis=0))
    return Calibration(low, np.maximum((high - low) / np.float32(255), np.float32(1e-30)))


def shortened(vectors: Vectors, dimensions: int, *, unit: bool) -> Vectors:
    """Keep the first dimensions, then normalise if `unit`."""
    cut = np.ascontiguousarray(vectors[:, :dimensions], dtype=np.float32)
    return normalise_rows(cut) if unit else cut


def encode(vectors: Vectors, code: Code, calibration: Calibration | None) -> Coded:
    """Encode the rows."""
    if code == "float16":
        return vectors.astype(np.float16)
    if code == "binary":
        return np.packbits(vectors > 0, axis=1)
    if code == "int8" and calibration is not None:
        steps: Vectors = np.rint((vectors - calibration.low) / calibration.step)
        return (np.clip(steps, 0, 255) - np.float32(128)).astype(np.int8)
    return vectors


def decode(coded: Coded, calibration: Calibration | None) -> Vectors:
    """Decode the rows; not for the binary code."""
    if coded.dtype == np.int8 and calibration is not None:
        decoded: Vectors = (coded.astype(np.float32) + np.float32(128)) * calibration.step + calibration.low
        return decoded
    return coded.astype(np.float32)


def differing_bits(queries: Coded, rows: Coded) -> IntArray:
    """The number of differing bits of each query and row: (queries, rows)."""
    return np.stack(
        [np.bitwise_count(np.bitwise_xor(rows, query)).sum(axis=1, dtype=np.int64) for query in queries.view(np.uint8)]
    )


def _refuse_cut(vectors: Vectors, dimensions: int, metric: VectorMetric) -> None:
    """Refuse fewer dimensions for vectors that do not have length 1, unless the metric is cosine: they are normalised."""
    if dimensions > vectors.shape[1]:
        raise UserError(f"coded: dimensions is {dimensions}, but the vectors have {vectors.shape[1]}.")
    if metric == "cosine" or dimensions == vectors.shape[1]:
        return
    for start, block in blocks(vectors):
        away = np.abs(np.linalg.norm(block, axis=1) - 1)
        if away.max() > _UNIT:
            raise UserError(
                f"coded: row {start + int(away.argmax())} does not have length 1, so normalising its first dimensions would "
                f"change {metric}. Use cosine, or all dimensions."
            )
