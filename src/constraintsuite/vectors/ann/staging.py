"""Vectors where a worker process can map them, with their truth, made once and kept for the next run."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from constraintsuite.retrieval.topk import Neighbours
from constraintsuite.store.files import atomic_writer, write_text
from constraintsuite.vectors.ann.data import Metric, VectorSet, checked, content_of, limited
from constraintsuite.vectors.ann.results import DataFacts
from constraintsuite.vectors.ann.results import read as read_record
from constraintsuite.vectors.ann.results import write as write_record
from constraintsuite.vectors.ann.settings import DataEntry
from constraintsuite.vectors.ann.truth import exact_neighbours

_BLOCK = 65_536  # rows that are copied at a time
_BASE, _QUERIES, _TRUTH, _JUDGED, _STAGED = "base.npy", "queries.npy", "truth.npz", "judged.json", "staged.json"


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
    data = limited(entry.options.load(entry.name, folder), entry.options.limit, entry.options.query_limit)
    data = checked(data)
    content = content_of(data)
    place = out / content[:16]
    kept = place / _STAGED
    if kept.is_file():
        staged = read_record(kept, Staged)
        named = replace(staged.facts, name=entry.name, notes=data.notes)
        if staged.depth >= min(depth, len(data.base)) and staged.base_file.is_file():
            return replace(staged, folder=place, facts=named)
    file, offset = _mapped(data, place)
    truth = exact_neighbours(data, depth)
    with atomic_writer(place / _TRUTH) as target:
        np.savez(target, rows=truth.rows, scores=truth.scores)
    with atomic_writer(place / _QUERIES) as target:
        np.save(target, np.ascontiguousarray(data.queries, dtype=np.float32))
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
    queries = np.load(staged.folder / _QUERIES, allow_pickle=False)
    return VectorSet(facts.name, base, queries, staged.metric, truth, judged or None), truth


def _mapped(data: VectorSet, place: Path) -> tuple[Path, int]:
    """File and offset of the base vectors: their own file if it holds them as they are needed, else a copy."""
    base = data.base
    if isinstance(base, np.memmap) and base.dtype == np.float32 and base.flags.c_contiguous and base.filename:
        return Path(str(base.filename)).resolve(), int(base.offset)  # also of its first rows alone
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
    return DataFacts(data.name, content, data.metric, rows, len(data.queries), dimensions, judged, data.notes)
