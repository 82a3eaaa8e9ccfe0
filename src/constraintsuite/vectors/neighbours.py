"""The second truth: the exact nearest vectors, found by comparing all, and nothing of what people judged.

It says how exact an index is. It cannot compare encoders: against its own neighbours every encoder is perfect.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from constraintsuite.execution.progress import Reporter
from constraintsuite.models.dense import Similarity
from constraintsuite.retrieval.topk import Neighbours, top_k
from constraintsuite.store.artifact import Artifact, Origin, finish, read_manifest
from constraintsuite.store.files import folder_lock
from constraintsuite.vectors.bundle import CODES, TRUTH, Bundle
from constraintsuite.vectors.folder import reading, reopen
from constraintsuite.vectors.matrices import Matrix
from constraintsuite.vectors.tables import NEAREST_COLUMNS, WRITER, read_table, write_table
from constraintsuite.vectors.vectorset import open_vectors

NEIGHBOURS_FILE = "knn.parquet"
_AT_ONCE = 1_024
_BEYOND = 64  # looked at behind the last neighbour for equal scores


class NearestRow(NamedTuple):
    """The neighbours of a query, best first; equal scores in the order of rows."""

    query_row: int
    doc_rows: list[int]
    scores: list[float]
    """In double precision: cosine, product, or the distance with a minus."""
    kth_score: float | None
    tied_beyond_k: int
    """Documents that are exactly as near as the last neighbour and not among them."""


def make_neighbours(
    path: Path, k: int, reporter: Reporter, *, encoder: str | None = None, metric: Similarity | None = None
) -> Artifact:
    """Write the exact neighbours of a bundle's queries, if they are not there yet."""
    with reading(path) as bundle:
        return _make(bundle, k, reporter, encoder, metric)


def _make(bundle: Bundle, k: int, reporter: Reporter, encoder: str | None, metric: Similarity | None) -> Artifact:
    vectors = open_vectors(bundle, encoder)
    similarity: Similarity = metric or vectors.similarity
    name = f"neighbours-{vectors.name}-{similarity}-k{k}"
    inputs = {"texts": bundle.texts.manifest.content, "vectors": vectors.artifact.manifest.content}
    settings = {"encoder": vectors.name, "model": vectors.model, "metric": similarity, "k": k, "writer": WRITER}
    origin = Origin("truth", name, inputs, settings, 0, CODES["truth"])
    out = bundle.path / TRUTH / name
    with folder_lock(out):
        manifest = read_manifest(out)
        if manifest is not None and manifest.fingerprint == origin.fingerprint:
            reporter.note(f"{out} is up to date")
            return Artifact(out, manifest)
        reopen(out)
        start = time.monotonic()
        rows = _search(vectors.queries, vectors.documents, k, similarity, reporter)
        write_table(out / NEIGHBOURS_FILE, NEAREST_COLUMNS, rows)
        return finish(out, origin, count_neighbours(_read(out)), {}, time.monotonic() - start)


def count_neighbours(rows: Iterable[NearestRow]) -> dict[str, int]:
    """What the manifest of this truth counts."""
    counts = {"queries": 0, "neighbours": 0, "queries_tied_beyond_k": 0}
    for row in rows:
        counts["queries"] += 1
        counts["neighbours"] += len(row.doc_rows)
        counts["queries_tied_beyond_k"] += row.tied_beyond_k > 0
    return counts


def _search(
    queries: Matrix, documents: Matrix, k: int, similarity: Similarity, reporter: Reporter
) -> Iterator[NearestRow]:
    with reporter.track("queries", len(queries)) as advance:
        for start in range(0, len(queries), _AT_ONCE):
            block = np.asarray(queries[start : start + _AT_ONCE])
            for number, row in enumerate(nearest(block, documents, k, similarity)):
                yield row._replace(query_row=start + number)
            advance(len(block))


def nearest(queries: Matrix, documents: Matrix, k: int, similarity: Similarity) -> list[NearestRow]:
    """The neighbours of each query, with the documents that tie with the last of them counted."""
    found: dict[int, NearestRow] = {}
    pending = np.arange(len(queries))
    beyond = _BEYOND
    while len(pending):
        wider = top_k(queries[pending], documents, k + beyond, similarity)
        seen = min(k + beyond, len(documents))
        undecided = []
        for i, query in enumerate(pending.tolist()):
            row = _row(query, wider, i, k)
            if k + row.tied_beyond_k == seen < len(documents):
                undecided.append(query)  # all that was looked at is as near: look further
            else:
                found[query] = row
        pending = np.array(undecided, dtype=np.int64)
        beyond *= 8
    return [found[query] for query in range(len(queries))]


def _row(query: int, wider: Neighbours, i: int, k: int) -> NearestRow:
    scores = wider.scores[i]
    kept = scores[:k]
    last = float(kept[-1]) if len(kept) else None
    tied = int((scores[k:] == last).sum()) if last is not None else 0
    return NearestRow(query, wider.rows[i, :k].tolist(), kept.tolist(), last, tied)


def read_neighbours(artifact: Artifact) -> Iterator[NearestRow]:
    """The neighbours of every query, by row."""
    return _read(artifact.path)


def _read(folder: Path) -> Iterator[NearestRow]:
    return (NearestRow(*cast(NearestRow, row)) for row in read_table(folder / NEIGHBOURS_FILE))


def neighbour_truths(bundle: Bundle) -> list[Artifact]:
    """All that were made for a bundle."""
    return [artifact for artifact in bundle.parts(TRUTH) if artifact.manifest.name.startswith("neighbours-")]
