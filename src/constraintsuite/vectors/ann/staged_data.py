"""Put the data of a benchmark where workers can map them, with their exact neighbours, and keep them for the next run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.models.retrieval.topk import Neighbours
from constraintsuite.vectors.ann.data import (
    BenchmarkVectors,
    Vectors,
    exact_neighbours,
    hash_vectors,
    limit_vectors,
    refuse_few_rows,
    require_usable,
    select_queries,
)
from constraintsuite.vectors.ann.results import DataFacts
from constraintsuite.vectors.ann.settings import DataEntry
from constraintsuite.vectors.matrices import blocks_of, map_matrix, write_matrix

_BASE, _REST = "base.npy", "rest.npz"


@dataclass(frozen=True)
class BaseFile:
    """Base vectors in a file, and the state of that file when its content was hashed."""

    path: Path
    offset: int
    size: int
    changed_ns: int
    number: int
    """Inode of the file: another file with the same name has another."""

    @classmethod
    def of(cls, path: Path, offset: int) -> BaseFile:
        """The current state of the file."""
        found = path.stat()
        return cls(path, offset, found.st_size, found.st_mtime_ns, found.st_ino)

    def open(self, rows: int, dimensions: int) -> Vectors:
        """Map the vectors into memory; raise a UserError if the file was changed since it was hashed."""
        self.refuse_changed()
        return np.memmap(self.path, dtype=np.float32, mode="r", offset=self.offset, shape=(rows, dimensions))

    def refuse_changed(self) -> None:
        """Raise a UserError if the file was changed since it was hashed."""
        if not self.path.is_file() or BaseFile.of(self.path, self.offset) != self:
            raise UserError(
                f"{self.path}: these vectors were changed while the benchmark ran, so nothing more is measured on them. "
                "Run it again: what was measured before is kept."
            )


@dataclass(frozen=True)
class Staged:
    """The files of one data set."""

    folder: Path
    facts: DataFacts
    base: BaseFile


def stage(entry: DataEntry, folder: Path, depth: int, out: Path) -> Staged:
    """Read and check the data, compute the exact neighbours, and copy vectors that cannot be mapped from their own file."""
    data = read_set(entry, folder)
    refuse_few_rows(data, depth)
    own = _own(data.base)
    if own is not None:  # map again, so that what is hashed was read after the state of the file was taken
        data = replace(data, base=own.open(*data.base.shape))
    content = hash_vectors(data)
    place = out / content[:16]
    base = own or _copied(data, content, place)
    kept = _read_rest(place)
    if kept is None or kept["truth"].shape[1] < depth:
        _write_rest(data, exact_neighbours(data, depth), place)
    facts = DataFacts(
        name=data.name,
        content=content,
        metric=data.metric,
        rows=len(data.base),
        queries=len(data.queries),
        dimensions=data.base.shape[1],
        judged_queries=len(data.relevance or {}),
        notes=data.notes,
        overlap=data.overlap,
        bundle=data.bundle,
        population=data.population,
        min_relevance=data.min_relevance,
    )
    return Staged(place, facts, base)


def load_staged(staged: Staged) -> tuple[BenchmarkVectors, Neighbours]:
    """The data with mapped vectors, and the exact neighbours; raise a UserError if the files were changed."""
    facts = staged.facts
    base = staged.base.open(facts.rows, facts.dimensions)
    rest = _read_rest(staged.folder)
    if rest is None:
        raise UserError(f"{staged.folder / _REST}: this file was changed while the benchmark ran. Run it again.")
    judged: dict[int, dict[int, int]] = {}
    for query, row, grade in rest["judged"].tolist():
        judged.setdefault(query, {})[row] = grade
    return BenchmarkVectors(
        facts.name,
        base,
        rest["queries"],
        facts.metric,
        relevance=judged or None,
        min_relevance=facts.min_relevance,
        kept_queries=rest["query_rows"],
    ), Neighbours(rest["truth"], rest["scores"])


def read_set(entry: DataEntry, folder: Path) -> BenchmarkVectors:
    """Read the data of an entry; raise a UserError if they cannot be used."""
    options = entry.options
    data = require_usable(limit_vectors(options.load(entry.name, folder), options.limit, options.query_limit))
    equal = find_overlap(data.queries, data.base)
    count, all_queries = int(equal.sum()), len(data.queries)
    if not count:
        return data
    if not options.drop_overlap:
        note = f"{count:,} of {all_queries:,} queries equal a base vector and find it; `drop_overlap: true` leaves them out"
        return replace(data, overlap=count, notes=(*data.notes, note))
    if count == all_queries:
        raise UserError(f"{entry.name}: every query equals a base vector, so `drop_overlap` leaves none.")
    note = f"{count:,} of {all_queries:,} queries were left out, as they equal a base vector"
    return replace(select_queries(data, np.flatnonzero(~equal)), notes=(*data.notes, note))


def find_overlap(queries: Vectors, base: Vectors) -> npt.NDArray[np.bool_]:
    """Which queries equal a base vector."""
    asked = _rows(queries)
    wanted = set(asked)
    found: set[bytes] = set()
    for block in blocks_of(base):
        found |= wanted.intersection(_rows(block))
    return np.array([row in found for row in asked], dtype=np.bool_)


def _rows(vectors: Vectors) -> list[bytes]:
    plain = np.ascontiguousarray(vectors, dtype=np.float32) + np.float32(0)  # -0 and 0 are the same number
    return [row.tobytes() for row in plain]


def is_mapped(base: Vectors) -> bool:
    """Whether a worker can map the vectors from their own file; else they must be copied."""
    return isinstance(base, np.memmap) and base.dtype == np.float32 and base.flags.c_contiguous and bool(base.filename)


def _own(base: Vectors) -> BaseFile | None:
    if not is_mapped(base):
        return None
    assert isinstance(base, np.memmap)
    return BaseFile.of(Path(str(base.filename)).resolve(), int(base.offset))


def _copied(data: BenchmarkVectors, content: str, place: Path) -> BaseFile:
    """Copy the base vectors, unless a copy with the same hash is there."""
    file = (place / _BASE).resolve()
    if not _holds(file, data, content):
        write_matrix(file, blocks_of(data.base), *data.base.shape)
    copy = map_matrix(file)
    assert isinstance(copy, np.memmap)
    return BaseFile.of(file, int(copy.offset))


def _holds(file: Path, data: BenchmarkVectors, content: str) -> bool:
    try:
        return file.is_file() and hash_vectors(replace(data, base=map_matrix(file))) == content
    except UserError:
        return False


def _write_rest(data: BenchmarkVectors, truth: Neighbours, place: Path) -> None:
    """Write everything but the base vectors into one file."""
    judged = [(query, row, grade) for query, of in (data.relevance or {}).items() for row, grade in of.items()]
    with atomic_writer(place / _REST) as target:
        np.savez(
            target,
            truth=truth.rows,
            scores=truth.scores,
            queries=np.ascontiguousarray(data.queries, dtype=np.float32),
            query_rows=data.query_rows,
            judged=np.array(judged, dtype=np.int64).reshape(-1, 3),
        )


def _read_rest(place: Path) -> dict[str, npt.NDArray[Any]] | None:
    """Read what `_write_rest` wrote; None if it is missing or damaged."""
    try:
        with (place / _REST).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except (OSError, ValueError, BadZipFile):
        return None
