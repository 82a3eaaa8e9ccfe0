"""Matrices on disk: plain `.npy` files that can be mapped into memory, written row after row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.store.files import atomic_writer

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
