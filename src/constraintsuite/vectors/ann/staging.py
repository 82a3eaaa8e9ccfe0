"""Vectors where a worker process can map them, with their truth, made once and kept for the next run."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from constraintsuite.retrieval.topk import Neighbours
from constraintsuite.store.files import atomic_writer, write_text
from constraintsuite.vectors.ann.data import Metric, Vectors, VectorSet, content_of
from constraintsuite.vectors.ann.results import DataFacts
from constraintsuite.vectors.ann.results import read as read_record
from constraintsuite.vectors.ann.results import write as write_record
from constraintsuite.vectors.ann.selecting import read_set
from constraintsuite.vectors.ann.settings import DataEntry
from constraintsuite.vectors.ann.truth import exact_neighbours

_BLOCK = 65_536  # rows that are copied at a time
_BASE, _QUERIES, _TRUTH, _JUDGED, _STAGED = "base.npy", "queries.npz", "truth.npz", "judged.json", "staged.json"


@dataclass(frozen=True)
class Staged:
    """Where everything of one set lies."""

    folder: Path
    facts: DataFacts
    metric: Metric
    base_file: Path
    base_offset: int
    depth: int
    """Of the truth."""


def stage(entry: DataEntry, folder: Path, depth: int, out: Path) -> Staged:
    """Read and check the data, compute its truth, and write what is not in a file that can be mapped as it is."""
    data = read_set(entry, folder)
    content = content_of(data)
    place = out / content[:16]
    kept = place / _STAGED
    if kept.is_file():
        staged = read_record(kept, Staged)
        named = replace(staged.facts, name=entry.name, notes=data.notes, bundle=data.bundle, population=data.population)
        whole = staged.base_file.is_file() and (place / _QUERIES).is_file()
        if whole and staged.depth >= min(depth, len(data.base)):
            return replace(staged, folder=place, facts=named)
    file, offset = _mapped(data, place)
    truth = exact_neighbours(data, depth)
    with atomic_writer(place / _TRUTH) as target:
        np.savez(target, rows=truth.rows, scores=truth.scores)
    with atomic_writer(place / _QUERIES) as target:
        np.savez(target, queries=np.ascontiguousarray(data.queries, dtype=np.float32), rows=data.query_rows)
    judged = {
        str(query): {str(row): grade for row, grade in of.items()} for query, of in (data.relevance or {}).items()
    }
    write_text(place / _JUDGED, json.dumps(judged) + "\n")
    staged = Staged(place, _facts(data, content), data.metric, file, offset, truth.rows.shape[1])
    write_record(kept, staged)
    return staged


def load_staged(staged: Staged) -> tuple[VectorSet, Neighbours]:
    """The set with its vectors mapped, and its truth."""
    facts = staged.facts
    shape = (facts.rows, facts.dimensions)
    base = np.memmap(staged.base_file, dtype=np.float32, mode="r", offset=staged.base_offset, shape=shape)
    with np.load(staged.folder / _TRUTH, allow_pickle=False) as arrays:
        truth = Neighbours(arrays["rows"], arrays["scores"])
    read = json.loads((staged.folder / _JUDGED).read_text(encoding="utf-8"))
    judged = {int(query): {int(row): int(grade) for row, grade in of.items()} for query, of in read.items()}
    with np.load(staged.folder / _QUERIES, allow_pickle=False) as arrays:
        queries, rows = arrays["queries"], arrays["rows"]
    return VectorSet(
        facts.name, base, queries, staged.metric, truth, judged or None, facts.min_relevance, kept_queries=rows
    ), truth


def own_file(base: Vectors) -> Path | None:
    """The file that holds base vectors as a worker can map them; None where they must be copied."""
    if isinstance(base, np.memmap) and base.dtype == np.float32 and base.flags.c_contiguous and base.filename:
        return Path(str(base.filename)).resolve()  # also of its first rows alone
    return None


def _mapped(data: VectorSet, place: Path) -> tuple[Path, int]:
    """File and offset of the base vectors: their own file if it holds them as they are needed, else a copy."""
    base = data.base
    own = own_file(base)
    if own is not None:
        assert isinstance(base, np.memmap)
        return own, int(base.offset)
    place.mkdir(parents=True, exist_ok=True)
    with atomic_writer(place / _BASE) as target:
        np.lib.format.write_array_header_1_0(
            target, {"descr": "<f4", "fortran_order": False, "shape": tuple(base.shape)}
        )
        offset = target.tell()
        for start in range(0, len(base), _BLOCK):
            target.write(np.ascontiguousarray(base[start : start + _BLOCK], dtype="<f4").tobytes())
    return (place / _BASE).resolve(), offset


def _facts(data: VectorSet, content: str) -> DataFacts:
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
