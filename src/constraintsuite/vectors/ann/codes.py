"""Smaller vectors: half precision, 8 bits, one bit, fewer dimensions; derived from all rows with one calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors
from constraintsuite.vectors.ann.engines.base import blocks, unit_rows

Code = Literal["float32", "float16", "int8", "binary"]
Coded = npt.NDArray[np.generic]
_UNIT = 1e-3  # how far from 1 a length may be to count as 1


@dataclass(frozen=True)
class Calibration:
    """For 8 bits: the least value and the step of each dimension, over all rows; a calibration of chunks would differ."""

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
    """The first dimensions; first cut, then made length 1 again, because a cut unit vector is none."""
    cut = np.ascontiguousarray(vectors[:, :dimensions], dtype=np.float32)
    return unit_rows(cut) if unit else cut


def encode(vectors: Vectors, code: Code, calibration: Calibration | None) -> Coded:
    """The rows in fewer bytes."""
    if code == "float16":
        return vectors.astype(np.float16)
    if code == "binary":
        return np.packbits(vectors > 0, axis=1)
    if code == "int8" and calibration is not None:
        steps: Vectors = np.rint((vectors - calibration.low) / calibration.step)
        return (np.clip(steps, 0, 255) - np.float32(128)).astype(np.int8)
    return vectors


def decode(coded: Coded, calibration: Calibration | None) -> Vectors:
    """The rows as the code remembers them; for all codes but the binary one."""
    if coded.dtype == np.int8 and calibration is not None:
        decoded: Vectors = (coded.astype(np.float32) + np.float32(128)) * calibration.step + calibration.low
        return decoded
    return coded.astype(np.float32)


def differing_bits(queries: Coded, rows: Coded) -> IntArray:
    """How many bits of each query and row differ: (queries, rows)."""
    return np.stack(
        [np.bitwise_count(np.bitwise_xor(rows, query)).sum(axis=1, dtype=np.int64) for query in queries.view(np.uint8)]
    )


def refuse_cut(vectors: Vectors, dimensions: int, metric: VectorMetric) -> None:
    """Cut vectors are made length 1 again, which only means the same where they had it before, or cosine ignores it."""
    if dimensions > vectors.shape[1]:
        raise UserError(f"coded: dimensions is {dimensions}, but the vectors have {vectors.shape[1]}.")
    if metric == "cosine" or dimensions == vectors.shape[1]:
        return
    for start, block in blocks(vectors):
        away = np.abs(np.linalg.norm(block, axis=1) - 1)
        if away.max() > _UNIT:
            raise UserError(
                f"coded: row {start + int(away.argmax())} does not have length 1, so that cutting it and making it length 1 "
                f"would change {metric} in more than precision. Use cosine, or all dimensions."
            )
