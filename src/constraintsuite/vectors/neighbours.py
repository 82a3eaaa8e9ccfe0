"""The truth of neighbours: the exact nearest vectors of each query, found by comparing all.

It says how exact an index is. It cannot compare encoders: against its own neighbours every encoder is perfect.

Documents are searched shard by shard, and the neighbours of all shards are merged. A score depends on two vectors only, so
it is the same in a shard and in the whole. A shard returns more than `k` documents. If even the last of them ties with the
k-th neighbour, all documents of the shard with that score are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from constraintsuite.core.execution.engine import Engine, LocalEngine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.record_isolation import RecordIsolation
from constraintsuite.core.execution.shard_runs import WorkCounts, spread
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.models.backends import Similarity
from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.models.retrieval.topk import top_k
from constraintsuite.vectors import files
from constraintsuite.vectors.bundle import Bundle, open_vectors, reading
from constraintsuite.vectors.matrices import Matrix, map_matrix
from constraintsuite.vectors.tables import NEAREST_COLUMNS, WRITER, read_parquet, write_parquet

NEIGHBOURS_FILE = "knn.parquet"
SHARD_ROWS = 100_000
BEYOND = 64
"""Documents beyond `k` that a shard returns, to count equal scores."""
_ALONE = LocalEngine()
_AT_ONCE = 1_024  # queries per search
_COMPARED = 4_096  # documents in double precision at a time
_MERGED = 2_000_000  # candidates in memory while shards are merged
_FOUND = np.dtype([("row", "<i8"), ("score", "<f8")])
NeighbourRows = npt.NDArray[np.void]
"""(queries, neighbours) of rows and scores, best first."""


class NearestRow(NamedTuple):
    """The neighbours of a query, best first; equal scores in the order of rows."""

    query_row: int
    doc_rows: list[int]
    scores: list[float]
    """In double precision: cosine, product, or the negative distance."""
    kth_score: float | None
    tied_beyond_k: int
    """Other documents that are exactly as near as the last neighbour."""


@dataclass(frozen=True)
class SearchTask:
    """A shard: the rows of the documents that are compared with all queries."""

    folder: Path
    """Folder of the vectors."""
    similarity: Similarity
    k: int
    start: int
    stop: int
    file: Path
    """File for the `NeighbourRows` of the shard."""


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
    """Write the exact neighbours of a bundle's queries, if they do not exist yet; they do not depend on the shards."""
    with reading(path) as bundle:
        vectors = open_vectors(bundle, encoder)
        similarity: Similarity = metric or vectors.similarity
        name = f"neighbours-{vectors.name}-{similarity}-k{k}"
        inputs = {"texts": bundle.texts.manifest.content, "vectors": vectors.artifact.manifest.content}
        settings = {"encoder": vectors.name, "model": vectors.model, "metric": similarity, "k": k, "writer": WRITER}
        origin = ArtifactOrigin("truth", name, inputs, settings, 0, REVISIONS["truth"])
        out = bundle.path / files.TRUTH / name
        with claim(
            out, origin, (NEIGHBOURS_FILE,), replace=Replace.SAME_KIND, work=str(shard_rows), note=reporter.note
        ) as space:
            if space.finished is not None:
                return space.finished
            new = space.empty_new()
            search = SearchTask(vectors.artifact.path, similarity, k, 0, len(vectors.documents), space.stages)
            rows = search_shards(search, shard_rows, engine, reporter)
            write_parquet(new / NEIGHBOURS_FILE, NEAREST_COLUMNS, rows)
            return space.finish(count_neighbours(read_neighbours(new)))


def count_neighbours(rows: Iterable[NearestRow]) -> dict[str, int]:
    """The counts in the manifest of this truth."""
    counts = {"queries": 0, "neighbours": 0, "queries_tied_beyond_k": 0}
    for row in rows:
        counts["queries"] += 1
        counts["neighbours"] += len(row.doc_rows)
        counts["queries_tied_beyond_k"] += row.tied_beyond_k > 0
    return counts


def read_neighbours(folder: Path) -> Iterator[NearestRow]:
    """Read the neighbours of every query from the folder of a truth."""
    return (NearestRow(*cast(NearestRow, row)) for row in read_parquet(folder / NEIGHBOURS_FILE))


def neighbour_truths(bundle: Bundle) -> list[Artifact]:
    """All truths of neighbours of a bundle."""
    return [artifact for artifact in bundle.parts(files.TRUTH) if artifact.manifest.name.startswith("neighbours-")]


def search_shards(whole: SearchTask, shard_rows: int, engine: Engine, reporter: Reporter) -> Iterator[NearestRow]:
    """Split a search into shards, whose files go to the folder `whole.file`; gives the neighbours of every query."""
    queries, documents = _vectors(whole)
    tasks = {}
    for number, start in enumerate(range(0, max(1, len(documents)), shard_rows)):
        name, stop = f"documents-{number:05}", min(len(documents), start + shard_rows)
        tasks[name] = replace(whole, start=start, stop=stop, file=whole.file / f"{name}.npy")
    spread("shards", search_shard, tasks, whole.file, engine, reporter)
    found = [np.load(task.file, mmap_mode="r", allow_pickle=False) for task in tasks.values()]
    searched = [documents[task.start : task.stop] for task in tasks.values()]
    at_once = max(1, _MERGED // max(1, sum(shard.shape[1] for shard in found)))
    for start in range(0, len(queries), at_once):
        some = slice(start, start + at_once)
        parts = [np.asarray(shard[some]) for shard in found]
        merged = _merge(queries[some], searched, parts, whole.k, whole.similarity)
        yield from (row._replace(query_row=start + row.query_row) for row in merged)


def search_shard(task: SearchTask, isolation: RecordIsolation) -> WorkCounts:
    """Find the nearest documents of a shard, and some more, for all queries."""
    queries, every = _vectors(task)
    documents = every[task.start : task.stop]
    width = min(task.k + BEYOND, len(documents))
    head = {"descr": np.lib.format.dtype_to_descr(_FOUND), "fortran_order": False, "shape": (len(queries), width)}
    with atomic_writer(task.file) as file:
        np.lib.format.write_array_header_1_0(file, head)
        for start in range(0, len(queries), _AT_ONCE):
            found = _find(queries[start : start + _AT_ONCE], documents, width, task.similarity)
            found["row"] += task.start
            file.write(found.tobytes())
    return WorkCounts({"documents": len(documents)})


def _vectors(task: SearchTask) -> tuple[Matrix, Matrix]:
    return map_matrix(task.folder / files.QUERY_VECTORS), map_matrix(task.folder / files.DOCUMENT_VECTORS)


def nearest(queries: Matrix, documents: Matrix, k: int, similarity: Similarity) -> list[NearestRow]:
    """The neighbours of some queries, without shards."""
    found = _find(queries, documents, min(k + BEYOND, len(documents)), similarity)
    return list(_merge(queries, [documents], [found], k, similarity))


def _find(queries: Matrix, documents: Matrix, width: int, similarity: Similarity) -> NeighbourRows:
    near = top_k(np.asarray(queries), documents, width, similarity)
    found = np.empty(near.rows.shape, dtype=_FOUND)
    found["row"], found["score"] = near.rows, near.scores
    return found


def _merge(
    queries: Matrix, shards: Sequence[Matrix], found: Sequence[NeighbourRows], k: int, similarity: Similarity
) -> Iterator[NearestRow]:
    """Merge what several shards found for some queries."""
    together = np.concatenate(found, axis=1)
    # Shards, and equal scores within a shard, are in the order of rows; a stable sort keeps that order.
    order = np.argsort(-together["score"], axis=1, kind="stable")[:, :k]
    for number, kept in enumerate(np.take_along_axis(together, order, axis=1)):
        scores = kept["score"].tolist()
        last = scores[-1] if scores else None
        tied = 0
        for documents, shard_scores in zip(shards, (part["score"][number] for part in found), strict=True):
            if last is not None and len(shard_scores) < len(documents) and shard_scores[-1] == last:
                tied += _count_ties(queries[number], documents, last, similarity)  # the shard may have more of them
            else:
                tied += int((shard_scores == last).sum())
        yield NearestRow(number, kept["row"].tolist(), scores, last, tied - scores.count(last))


def _count_ties(query: Matrix, documents: Matrix, score: float, similarity: Similarity) -> int:
    """The number of documents with exactly this score."""
    wide, count = query.astype(np.float64)[np.newaxis], 0
    for start in range(0, len(documents), _COMPARED):
        block = documents[start : start + _COMPARED].astype(np.float64)
        count += int((SIMILARITIES[similarity](wide, block) == score).sum())
    return count
