"""Matrices in `.npy` files that can be mapped into memory, and checks of the lengths of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer

Matrix = npt.NDArray[np.float32]
BLOCK_ROWS = 16_384


def blocks_of(matrix: Matrix) -> Iterator[Matrix]:
    """The rows of a matrix, which may be mapped from disk, in blocks."""
    return (np.asarray(matrix[start : start + BLOCK_ROWS]) for start in range(0, len(matrix), BLOCK_ROWS))


def write_matrix(path: Path, blocks: Iterable[Matrix], rows: int, dimensions: int) -> None:
    """Write a matrix with one block in memory at a time."""
    head = {"descr": "<f4", "fortran_order": False, "shape": (rows, dimensions)}
    written = 0
    with atomic_writer(path) as file:
        np.lib.format.write_array_header_1_0(file, head)
        for block in blocks:
            assert block.shape[1] == dimensions
            file.write(np.ascontiguousarray(block, dtype="<f4").tobytes())
            written += len(block)
        assert written == rows


def map_array(path: Path) -> npt.NDArray[Any]:
    """Map the array of a file. Raises UserError if the file has none."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UserError(f"{path}: this is not a complete NumPy array ({error}).") from None
    if not isinstance(array, np.ndarray):
        raise UserError(f"{path}: this file holds several arrays, expected one.")
    return array


def map_matrix(path: Path) -> Matrix:
    """Map a matrix of 32-bit numbers. Raises UserError if the file holds anything else."""
    matrix: Matrix = map_array(path)
    if matrix.ndim != 2 or matrix.dtype != np.float32:
        raise UserError(f"{path}: expected a matrix of float32, found {matrix.ndim} dimensions of {matrix.dtype}.")
    return matrix


_UNIT = 1e-3
ZERO = "_of_length_zero"


class VectorLengths(NamedTuple):
    """What `check_lengths` found in a matrix."""

    zeros: int
    """Number of zero rows, for which a cosine is not defined."""
    fault: str = ""
    """What is wrong with the first faulty row."""
    row: int = 0


def check_lengths(matrix: Matrix, slack: float | None) -> VectorLengths:
    """Check that every row is finite; with `slack`, also that its length is 1 within that tolerance, or 0."""
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
    """How far from 1 the lengths of an encoder's vectors may be; None if it does not normalise."""
    layers = facts.get("after_pooling") or facts.get("layers")
    if not isinstance(layers, list | tuple) or not layers or str(layers[-1]).lower() != "normalize":
        return None
    whole = facts.get("precision") in (None, "fp32", "int8")
    return _UNIT if whole else 10 * _UNIT  # half precision


def zero_count(plural: str) -> str:
    """The name under which zero vectors of documents or of queries are counted."""
    return f"{plural}{ZERO}"
