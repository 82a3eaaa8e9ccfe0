"""Vectors where a worker process can map them, with their truth, made once and kept for the next run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.retrieval.topk import Neighbours
from constraintsuite.store.files import atomic_writer, sha256_of, write_text
from constraintsuite.vectors.ann.data import BenchmarkVectors, VectorMetric, Vectors, content_of, refuse_few_rows
from constraintsuite.vectors.ann.results import DataFacts
from constraintsuite.vectors.ann.results import read as read_record
from constraintsuite.vectors.ann.results import write as write_record
from constraintsuite.vectors.ann.selecting import read_set
from constraintsuite.vectors.ann.settings import DataEntry
from constraintsuite.vectors.ann.truth import exact_neighbours
from constraintsuite.vectors.matrices import blocks_of, map_matrix, write_matrix

_BASE, _QUERIES, _TRUTH, _JUDGED, _KEPT = "base.npy", "queries.npz", "truth.npz", "judged.json", "kept.json"


@dataclass(frozen=True)
class BaseFile:
    """Base vectors in a file, and what that file was before its content was hashed."""

    path: Path
    offset: int
    size: int
    changed_ns: int
    number: int
    """Of the file on its disk: another one under the same name has another."""

    @classmethod
    def of(cls, path: Path, offset: int) -> BaseFile:
        """The file as it is now."""
        found = path.stat()
        return cls(path, offset, found.st_size, found.st_mtime_ns, found.st_ino)

    def open(self, rows: int, dimensions: int) -> Vectors:
        """The vectors, mapped."""
        self.refuse_changed()
        return np.memmap(self.path, dtype=np.float32, mode="r", offset=self.offset, shape=(rows, dimensions))

    def refuse_changed(self) -> None:
        """A UserError if it is no longer the file that was hashed: what is measured on it would stand under another's name."""
        if not self.path.is_file() or BaseFile.of(self.path, self.offset) != self:
            raise UserError(
                f"{self.path}: these vectors were changed while the benchmark ran, so nothing more is measured on them. "
                "Run it again: what was measured before is kept."
            )


@dataclass(frozen=True)
class Staged:
    """Where everything of one set lies."""

    folder: Path
    facts: DataFacts
    metric: VectorMetric
    base: BaseFile


@dataclass(frozen=True)
class _Kept:
    """What an earlier run left beside the vectors, written last."""

    depth: int
    """Of the truth."""
    hashes: Mapping[str, str]
    """By file."""


def stage(entry: DataEntry, folder: Path, depth: int, out: Path) -> Staged:
    """Read and check the data, compute its truth, and write what is not in a file that can be mapped as it is."""
    data = read_set(entry, folder)
    refuse_few_rows(data, depth)
    own = _own(data.base)
    if own is not None:  # once more, so that nothing is hashed that was read before its file was looked at
        data = replace(data, base=own.open(*data.base.shape))
    content = content_of(data)
    place = out / content[:16]
    base = own or _copied(data, content, place)
    if not _is_kept(place, depth):
        _keep(data, exact_neighbours(data, depth), place)
    return Staged(place, _facts(data, content), data.metric, base)


def load_staged(staged: Staged) -> tuple[BenchmarkVectors, Neighbours]:
    """The set with its vectors mapped, and its truth; a UserError if the vectors are others by now."""
    facts = staged.facts
    base = staged.base.open(facts.rows, facts.dimensions)
    with np.load(staged.folder / _TRUTH, allow_pickle=False) as arrays:
        truth = Neighbours(arrays["rows"], arrays["scores"])
    read = json.loads((staged.folder / _JUDGED).read_text(encoding="utf-8"))
    judged = {int(query): {int(row): int(grade) for row, grade in of.items()} for query, of in read.items()}
    with np.load(staged.folder / _QUERIES, allow_pickle=False) as arrays:
        queries, rows = arrays["queries"], arrays["rows"]
    return BenchmarkVectors(
        facts.name, base, queries, staged.metric, truth, judged or None, facts.min_relevance, kept_queries=rows
    ), truth


def is_mapped(base: Vectors) -> bool:
    """Whether a worker can map the vectors from their own file, also its first rows alone; else they must be copied."""
    return isinstance(base, np.memmap) and base.dtype == np.float32 and base.flags.c_contiguous and bool(base.filename)


def _own(base: Vectors) -> BaseFile | None:
    if not is_mapped(base):
        return None
    assert isinstance(base, np.memmap)
    return BaseFile.of(Path(str(base.filename)).resolve(), int(base.offset))


def _copied(data: BenchmarkVectors, content: str, place: Path) -> BaseFile:
    """A copy of the base vectors; one that is there already is hashed before it is believed."""
    file = (place / _BASE).resolve()
    if not _holds(file, data, content):
        write_matrix(file, blocks_of(data.base), *data.base.shape)
    copy = map_matrix(file)
    assert isinstance(copy, np.memmap)
    return BaseFile.of(file, int(copy.offset))


def _holds(file: Path, data: BenchmarkVectors, content: str) -> bool:
    try:
        return file.is_file() and content_of(replace(data, base=map_matrix(file))) == content
    except UserError:
        return False


def _is_kept(place: Path, depth: int) -> bool:
    """Whether the rest is there as it was written, with a truth that is deep enough."""
    try:
        kept = read_record(place / _KEPT, _Kept) if (place / _KEPT).is_file() else None
    except UserError:
        return False
    if kept is None or kept.depth < depth:
        return False
    return all((place / name).is_file() and sha256_of(place / name) == known for name, known in kept.hashes.items())


def _keep(data: BenchmarkVectors, truth: Neighbours, place: Path) -> None:
    with atomic_writer(place / _TRUTH) as target:
        np.savez(target, rows=truth.rows, scores=truth.scores)
    with atomic_writer(place / _QUERIES) as target:
        np.savez(target, queries=np.ascontiguousarray(data.queries, dtype=np.float32), rows=data.query_rows)
    judged = {
        str(query): {str(row): grade for row, grade in of.items()} for query, of in (data.relevance or {}).items()
    }
    write_text(place / _JUDGED, json.dumps(judged) + "\n")
    hashes = {name: sha256_of(place / name) for name in (_TRUTH, _QUERIES, _JUDGED)}
    write_record(place / _KEPT, _Kept(truth.rows.shape[1], hashes))


def _facts(data: BenchmarkVectors, content: str) -> DataFacts:
    rows, dimensions = data.base.shape
    judged = len(data.relevance or {})
    queries = len(data.queries)
    return DataFacts(
        data.name,
        content,
        data.metric,
        rows,
        queries,
        dimensions,
        judged,
        data.notes,
        data.overlap,
        data.bundle,
        data.population,
        data.min_relevance,
    )
