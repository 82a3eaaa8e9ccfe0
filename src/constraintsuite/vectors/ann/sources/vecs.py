"""fvecs, bvecs and ivecs files (the TEXMEX format): each row begins with its number of dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import BenchmarkVectors, VectorMetric
from constraintsuite.vectors.ann.sources.base import VectorSourceSettings, existing_path

_TYPES = {".fvecs": "<f4", ".ivecs": "<i4", ".bvecs": "u1"}


class Vecs(VectorSourceSettings):
    """`format: vecs`: base vectors, queries and neighbours in files of the TEXMEX format."""

    base: str
    queries: str
    neighbours: str | None = None
    metric: VectorMetric = "euclidean"

    def load(self, name: str, folder: Path) -> BenchmarkVectors:
        """Map the base vectors, and read queries and neighbours."""
        base = read_vecs(existing_path(folder, self.base))
        queries = read_vecs(existing_path(folder, self.queries)).astype(np.float32)
        rows = None if self.neighbours is None else read_vecs(existing_path(folder, self.neighbours)).astype(np.int64)
        return BenchmarkVectors(name, base, queries, self.metric, rows)


def read_vecs(file: Path) -> npt.NDArray[Any]:
    """Map the table of the file; numbers are not converted."""
    kind = _TYPES.get(file.suffix)
    if kind is None:
        raise UserError(f"{file}: the name must end in {', '.join(_TYPES)}, which says what numbers are in it.")
    first = np.fromfile(file, dtype="<i4", count=1)
    if not len(first) or first[0] < 1:
        raise UserError(f"{file}: no row of numbers in it.")
    row = np.dtype([("dimensions", "<i4"), ("values", kind, (int(first[0]),))])
    size = file.stat().st_size
    if size % row.itemsize:
        raise UserError(f"{file}: {size:,} bytes are not a multiple of {row.itemsize:,}, the size of its first row.")
    table = np.memmap(file, dtype=row, mode="r")
    other = np.flatnonzero(table["dimensions"] != first[0])
    if len(other):
        raise UserError(
            f"{file}: row {other[0]} has {table['dimensions'][other[0]]} dimensions, row 0 has {first[0]}. "
            "All must have the same."
        )
    values: npt.NDArray[Any] = table["values"]
    return values
