"""Files of big-ann-benchmarks: a header of two numbers, then the table; neighbours with or without distances."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.models.retrieval.topk import Neighbours
from constraintsuite.vectors.ann.data import BenchmarkVectors, IntArray, VectorMetric, Vectors
from constraintsuite.vectors.ann.sources.base import VectorSourceSettings, existing_path

_HEADER = 8  # bytes: rows and columns, each an unsigned 32-bit number
_TYPES = {".fbin": np.float32, ".u8bin": np.uint8, ".i8bin": np.int8}


class BigAnn(VectorSourceSettings):
    """`format: bigann`: base vectors, queries and neighbours in files of big-ann-benchmarks."""

    base: str
    queries: str
    neighbours: str | None = None
    metric: VectorMetric

    def load(self, name: str, folder: Path) -> BenchmarkVectors:
        """Map the base vectors, read the rest."""
        base = _read_fbin(existing_path(folder, self.base))
        queries = _read_fbin(existing_path(folder, self.queries)).astype(np.float32)
        truth = None if self.neighbours is None else read_neighbours(existing_path(folder, self.neighbours))
        return BenchmarkVectors(name, base, queries, self.metric, truth)


def _read_fbin(file: Path) -> npt.NDArray[Any]:
    """Map the table of a .fbin, .u8bin or .i8bin file; its size must match its header."""
    kind = _TYPES.get(file.suffix)
    if kind is None:
        raise UserError(f"{file}: the name must end in {', '.join(_TYPES)}, which says what numbers are in it.")
    rows, columns = _header(file)
    _expect_size(file, rows, columns, (rows * columns * np.dtype(kind).itemsize,))
    return np.memmap(file, dtype=kind, mode="r", offset=_HEADER, shape=(rows, columns))


def read_neighbours(file: Path) -> IntArray:
    """Read the rows of the neighbours; distances are ignored, since scores are computed again."""
    rows, columns = _header(file)
    _expect_size(file, rows, columns, (rows * columns * 4, rows * columns * 8))
    found = np.fromfile(file, dtype="<i4", count=rows * columns, offset=_HEADER).reshape(rows, columns)
    return found.astype(np.int64)


def write_fbin(path: Path, shape: tuple[int, ...], blocks: Iterable[Vectors]) -> None:
    """A table of 32-bit numbers with its header, of which one block is in memory at a time."""
    with atomic_writer(path) as file:
        file.write(np.array(shape, dtype="<u4").tobytes())
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype="<f4").tobytes())


def write_neighbours(path: Path, truth: Neighbours, metric: VectorMetric) -> None:
    """Rows, then distances: squared for euclidean, as the tools that read these files expect; else minus the score."""
    distances = truth.scores**2 if metric == "euclidean" else -truth.scores
    with atomic_writer(path) as file:
        file.write(np.array(truth.rows.shape, dtype="<u4").tobytes())
        file.write(truth.rows.astype("<i4").tobytes())
        file.write(distances.astype("<f4").tobytes())


def _header(file: Path) -> tuple[int, int]:
    numbers = np.fromfile(file, dtype="<u4", count=2)
    if len(numbers) < 2:
        raise UserError(f"{file}: shorter than its header of {_HEADER} bytes.")
    return int(numbers[0]), int(numbers[1])


def _expect_size(file: Path, rows: int, columns: int, sizes: tuple[int, ...]) -> None:
    found = file.stat().st_size - _HEADER
    if found not in sizes or not found:
        expected = " or ".join(f"{size + _HEADER:,}" for size in sizes)
        raise UserError(
            f"{file}: the header says {rows:,} x {columns:,}, which takes {expected} bytes; the file has "
            f"{found + _HEADER:,}. Was it cut off, or is it of another kind?"
        )
