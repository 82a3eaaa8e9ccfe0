"""A set as a benchmark file asks for it: read, cut, checked, and told how many of its queries find themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.vectors.ann.data import BenchmarkVectors, Vectors, checked, limited, only_queries
from constraintsuite.vectors.ann.settings import DataEntry
from constraintsuite.vectors.matrices import blocks_of


def read_set(entry: DataEntry, folder: Path) -> BenchmarkVectors:
    """The data of an entry, or a UserError that says why nothing can be measured on it."""
    options = entry.options
    data = checked(limited(options.load(entry.name, folder), options.limit, options.query_limit))
    equal = overlapping(data.queries, data.base)
    count, all_queries = int(equal.sum()), len(data.queries)
    if not count:
        return data
    if not options.drop_overlap:
        note = f"{count:,} of {all_queries:,} queries equal a base vector and find it; `drop_overlap: true` leaves them out"
        return replace(data, overlap=count, notes=(*data.notes, note))
    if count == all_queries:
        raise UserError(f"{entry.name}: every query equals a base vector, so `drop_overlap` leaves none.")
    note = f"{count:,} of {all_queries:,} queries were left out, as they equal a base vector"
    return replace(only_queries(data, np.flatnonzero(~equal)), notes=(*data.notes, note))


def overlapping(queries: Vectors, base: Vectors) -> npt.NDArray[np.bool_]:
    """Which queries are base vectors too, number by number."""
    asked = _rows(queries)
    wanted = set(asked)
    found: set[bytes] = set()
    for block in blocks_of(base):
        found |= wanted.intersection(_rows(block))
    return np.array([row in found for row in asked], dtype=np.bool_)


def _rows(vectors: Vectors) -> list[bytes]:
    plain = np.ascontiguousarray(vectors, dtype=np.float32) + np.float32(0)  # -0 and 0 are the same number
    return [row.tobytes() for row in plain]
