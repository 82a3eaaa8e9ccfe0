"""What a benchmark searches: vectors, queries, and two truths that are never mixed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.retrieval.topk import Neighbours

Metric = Literal["cosine", "dot", "euclidean"]
Vectors = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
Relevance = Mapping[int, Mapping[int, int]]
"""Grade by query and base row, from people's judgments; a query without any is not there."""
_BLOCK = 65_536  # rows that are looked at or written at a time


@dataclass(frozen=True)
class VectorSet:
    """Base vectors, queries, and what is known of right answers; checked before anything is measured."""

    name: str
    base: Vectors  # (rows, dimensions), mapped from a file where there is one
    queries: Vectors  # (queries, dimensions)
    metric: Metric
    neighbours: Neighbours | None = None
    """The exact neighbours that came with the data; their scores are computed anew before they are used."""
    relevance: Relevance | None = None
    notes: tuple[str, ...] = ()
    """What the reader repaired or left out."""


def checked(data: VectorSet) -> VectorSet:
    """The same data, or a UserError that says why nothing can be measured on it."""
    base, queries = data.base, data.queries
    if base.ndim != 2 or queries.ndim != 2 or not base.size or not queries.size:
        raise UserError(
            f"{data.name}: base vectors of shape {base.shape} and queries of shape {queries.shape}; both must be tables "
            "with at least one row."
        )
    if base.shape[1] != queries.shape[1]:
        raise UserError(
            f"{data.name}: base vectors have {base.shape[1]} dimensions, queries {queries.shape[1]}. They must come "
            "from the same encoder."
        )
    _refuse_not_finite(data.name, "base vector", base)
    _refuse_not_finite(data.name, "query", queries)
    if data.neighbours is not None:
        _check_neighbours(data.name, data.neighbours.rows, len(queries), len(base))
    return data


def limited(data: VectorSet, rows: int | None, queries: int | None) -> VectorSet:
    """The first rows and queries; with fewer rows the neighbours that came with the data are no longer true."""
    if rows is not None and rows < len(data.base):
        kept = {query: {r: g for r, g in of.items() if r < rows} for query, of in (data.relevance or {}).items()}
        relevance = None if data.relevance is None else {query: of for query, of in kept.items() if of}
        note = f"only the first {rows:,} of {len(data.base):,} base vectors"
        data = replace(data, base=data.base[:rows], neighbours=None, relevance=relevance, notes=(*data.notes, note))
    if queries is not None and queries < len(data.queries):
        near, judged = data.neighbours, data.relevance
        note = f"only the first {queries:,} of {len(data.queries):,} queries"
        data = replace(
            data,
            queries=data.queries[:queries],
            neighbours=None if near is None else Neighbours(near.rows[:queries], near.scores[:queries]),
            relevance=None if judged is None else {query: of for query, of in judged.items() if query < queries},
            notes=(*data.notes, note),
        )
    return data


def content_of(data: VectorSet) -> str:
    """Hash of the vectors, the metric and the judgments: figures with the same value are of the same data."""
    digest = hashlib.sha256()
    for part in (data.base, data.queries):
        digest.update(repr(part.shape).encode())
        for start in range(0, len(part), _BLOCK):
            digest.update(np.ascontiguousarray(part[start : start + _BLOCK], dtype=np.float32).tobytes())
    judged = sorted((query, sorted(of.items())) for query, of in (data.relevance or {}).items())
    digest.update(f"{data.metric} {judged}".encode())
    return digest.hexdigest()


def _refuse_not_finite(name: str, what: str, vectors: Vectors) -> None:
    for start in range(0, len(vectors), _BLOCK):
        finite = np.isfinite(vectors[start : start + _BLOCK]).all(axis=1)
        if not finite.all():
            row = start + int(np.argmin(finite))
            raise UserError(f"{name}: {what} {row} holds a value that is not a finite number. Encode that text again.")


def _check_neighbours(name: str, rows: IntArray, queries: int, base: int) -> None:
    """Padded and repeated rows would make every recall wrong, so they are refused and not repaired in silence."""
    if len(rows) != queries:
        raise UserError(f"{name}: neighbours of {len(rows)} queries, but there are {queries} queries.")
    if rows.size and (rows.min() < 0 or rows.max() >= base):
        raise UserError(
            f"{name}: neighbours name rows {rows.min()} to {rows.max()}, but there are rows 0 to {base - 1}. "
            "Are they of the same base vectors?"
        )
    ordered = np.sort(rows, axis=1)
    repeated = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if repeated.any():
        raise UserError(
            f"{name}: the neighbours of query {int(np.argmax(repeated))} name a row twice; padding is no truth. "
            "Leave the neighbours out, and they are computed."
        )
