"""The second truth: the exact nearest vectors, found by comparing all, and nothing of what people judged.

It says how exact an index is. It cannot compare encoders: against its own neighbours every encoder is perfect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import numpy as np

from constraintsuite.execution.engine import Engine, LocalEngine
from constraintsuite.execution.progress import Reporter
from constraintsuite.models.dense import Similarity
from constraintsuite.retrieval.topk import Neighbours, top_k
from constraintsuite.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.store.workspace import Replace, claim
from constraintsuite.vectors.bundle import TRUTH, Bundle
from constraintsuite.vectors.folder import reading
from constraintsuite.vectors.matrices import Matrix
from constraintsuite.vectors.searching import BEYOND, NearestRow, NeighbourSearch, search_shards
from constraintsuite.vectors.tables import NEAREST_COLUMNS, WRITER, read_table, write_table
from constraintsuite.vectors.vectorset import DOCUMENTS_FILE, QUERIES_FILE, VectorSet, open_vectors

NEIGHBOURS_FILE = "knn.parquet"
SHARD_ROWS = 100_000
_ALONE = LocalEngine()


def make_neighbours(
    path: Path,
    k: int,
    reporter: Reporter,
    *,
    encoder: str | None = None,
    metric: Similarity | None = None,
    engine: Engine = _ALONE,
    shard_rows: int = SHARD_ROWS,
) -> Artifact:
    """Write the exact neighbours of a bundle's queries, if they are not there yet; they do not depend on the shards."""
    with reading(path) as bundle:
        return _make(bundle, open_vectors(bundle, encoder), k, metric, engine, shard_rows, reporter)


def _make(
    bundle: Bundle,
    vectors: VectorSet,
    k: int,
    metric: Similarity | None,
    engine: Engine,
    shard_rows: int,
    reporter: Reporter,
) -> Artifact:
    similarity: Similarity = metric or vectors.similarity
    name = f"neighbours-{vectors.name}-{similarity}-k{k}"
    inputs = {"texts": bundle.texts.manifest.content, "vectors": vectors.artifact.manifest.content}
    settings = {"encoder": vectors.name, "model": vectors.model, "metric": similarity, "k": k, "writer": WRITER}
    origin = ArtifactOrigin("truth", name, inputs, settings, 0, REVISIONS["truth"])
    out = bundle.path / TRUTH / name
    with claim(
        out, origin, (NEIGHBOURS_FILE,), replace=Replace.SAME_KIND, work=str(shard_rows), note=reporter.note
    ) as space:
        if space.finished is not None:
            return space.finished
        files = vectors.artifact.path / QUERIES_FILE, vectors.artifact.path / DOCUMENTS_FILE
        new = space.empty_new()
        rows = search_shards(NeighbourSearch(*files, similarity, k), space.stages, shard_rows, engine, reporter)
        write_table(new / NEIGHBOURS_FILE, NEAREST_COLUMNS, rows)
        return space.finish(count_neighbours(_read(new)))


def count_neighbours(rows: Iterable[NearestRow]) -> dict[str, int]:
    """What the manifest of this truth counts."""
    counts = {"queries": 0, "neighbours": 0, "queries_tied_beyond_k": 0}
    for row in rows:
        counts["queries"] += 1
        counts["neighbours"] += len(row.doc_rows)
        counts["queries_tied_beyond_k"] += row.tied_beyond_k > 0
    return counts


def nearest(queries: Matrix, documents: Matrix, k: int, similarity: Similarity) -> list[NearestRow]:
    """The neighbours of each query, with the documents that tie with the last of them counted."""
    found: dict[int, NearestRow] = {}
    pending = np.arange(len(queries))
    beyond = BEYOND
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
