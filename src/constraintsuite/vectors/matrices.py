"""Matrices on disk: plain `.npy` files that can be mapped into memory, written row after row; and how long their rows are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer

Matrix = npt.NDArray[np.float32]
BLOCK_ROWS = 16_384


def blocks_of(matrix: Matrix) -> Iterator[Matrix]:
    """A matrix that may lie on disk, some rows at a time."""
    return (np.asarray(matrix[start : start + BLOCK_ROWS]) for start in range(0, len(matrix), BLOCK_ROWS))


def write_matrix(path: Path, blocks: Iterable[Matrix], rows: int, dimensions: int) -> None:
    """Write a matrix of which only one block is in memory at a time."""
    head = {"descr": "<f4", "fortran_order": False, "shape": (rows, dimensions)}
    written = 0
    with atomic_writer(path) as file:
        np.lib.format.write_array_header_1_0(file, head)
        for block in blocks:
            assert block.shape[1] == dimensions
            file.write(np.ascontiguousarray(block, dtype="<f4").tobytes())
            written += len(block)
        assert written == rows


def map_matrix(path: Path) -> Matrix:
    """A matrix as it lies on disk; what is none of 32-bit numbers is a UserError."""
    try:
        matrix: Matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: this is not an array that can be mapped ({error}).") from None
    if matrix.ndim != 2 or matrix.dtype != np.float32:
        raise UserError(f"{path}: expected a matrix of float32, found {matrix.ndim} dimensions of {matrix.dtype}.")
    return matrix


_UNIT = 1e-3
ZERO = "_of_length_zero"


class VectorLengths(NamedTuple):
    """What was found in a matrix."""

    zeros: int
    """Rows that are zero: no similarity tells them apart, and a cosine with them is not defined."""
    fault: str = ""
    """What is wrong with the first row that cannot be right."""
    row: int = 0


def check_lengths(matrix: Matrix, slack: float | None) -> VectorLengths:
    """Look at every row, in blocks; with `slack`, each has length 1, give or take that much, or is zero."""
    zeros = 0
    for number, block in enumerate(blocks_of(matrix)):
        start = number * BLOCK_ROWS
        norms = np.linalg.norm(block.astype(np.float64), axis=1)
        zeros += int((norms == 0).sum())
        if not np.isfinite(norms).all():
            return VectorLengths(zeros, "is not finite", start + int(np.flatnonzero(~np.isfinite(norms))[0]))
        if slack is not None and (wrong := (np.abs(norms - 1) > slack) & (norms > 0)).any():
            row = start + int(np.flatnonzero(wrong)[0])
            return VectorLengths(zeros, "is not of length 1, though the encoder normalises", row)
    return VectorLengths(zeros)


def length_tolerance(facts: Mapping[str, object]) -> float | None:
    """How far from 1 the lengths of an encoder's vectors may be; None if its last layer is not one that normalises."""
    layers = facts.get("after_pooling") or facts.get("layers")
    if not isinstance(layers, list | tuple) or not layers or str(layers[-1]).lower() != "normalize":
        return None
    whole = facts.get("precision") in (None, "fp32", "int8")
    return _UNIT if whole else 10 * _UNIT  # half the bits, divided in them too


def zero_count(plural: str) -> str:
    """Under which name the zero vectors of documents or of queries are counted."""
    return f"{plural}{ZERO}"
