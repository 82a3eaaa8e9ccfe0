"""A folder of NumPy files: base.npy and queries.npy, optionally neighbours.npy and relevance.tsv."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import BenchmarkVectors, VectorMetric
from constraintsuite.vectors.ann.sources.base import VectorSourceSettings, existing_path
from constraintsuite.vectors.matrices import map_array


class NpyFolder(VectorSourceSettings):
    """`format: npy`: a folder of NumPy files."""

    path: str
    metric: VectorMetric

    def load(self, name: str, folder: Path) -> BenchmarkVectors:
        """Map the vectors; judgments are lines of query row, base row and grade, separated by tabs."""
        place = existing_path(folder, self.path)
        base = _table(place / "base.npy", integers=False)
        queries = _table(place / "queries.npy", integers=False).astype(np.float32)
        neighbours = judged = None
        if (place / "neighbours.npy").is_file():
            neighbours = _table(place / "neighbours.npy", integers=True).astype(np.int64)
        if (place / "relevance.tsv").is_file():
            judged = _read_judgments(place / "relevance.tsv", len(queries), len(base))
        return BenchmarkVectors(name, base, queries, self.metric, neighbours, judged)


def _table(file: Path, *, integers: bool) -> npt.NDArray[Any]:
    if not file.is_file():
        raise UserError(f"{file}: there is no such file; a folder of vectors has base.npy and queries.npy.")
    array = map_array(file)
    if array.ndim != 2 or array.dtype.kind not in ("iu" if integers else "f"):
        words = "integers" if integers else "floating-point numbers"
        raise UserError(f"{file}: this must be a table of {words} with a row for each vector.")
    return array


def _read_judgments(file: Path, queries: int, rows: int) -> dict[int, dict[int, int]]:
    grades: dict[int, dict[int, int]] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            query, row, grade = (int(field) for field in line.split("\t"))
        except ValueError:
            raise UserError(f"{file}:{number}: expected query row, base row and grade, separated by tabs.") from None
        if not (0 <= query < queries and 0 <= row < rows):
            raise UserError(f"{file}:{number}: query {query}, row {row}; there are {queries} queries and {rows} rows.")
        if row in grades.setdefault(query, {}):
            raise UserError(f"{file}:{number}: row {row} is judged a second time for query {query}. Keep one line.")
        grades[query][row] = grade
    return grades
