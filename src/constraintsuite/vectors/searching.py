"""Exact neighbours shard by shard: each shard finds its own, and what all of them found is merged.

A score is computed from two vectors alone, so it is the same in a shard and in the whole; and a shard tells more than `k` of its
documents, so the best `k` of all are among them. Only how many documents tie with the last may be left open: then the shard is
asked again, for the number of those with just that score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.execution.care import Care
from constraintsuite.execution.engine import Engine
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.spread import WorkCounts, spread
from constraintsuite.models.dense import SIMILARITIES, Similarity
from constraintsuite.retrieval.topk import top_k
from constraintsuite.store.files import atomic_writer
from constraintsuite.vectors.matrices import map_matrix

BEYOND = 64
"""Looked at behind the last neighbour for equal scores."""
_AT_ONCE = 1_024  # queries of a search
_COMPARED = 4_096  # documents that are in double precision at a time
_MERGED = 2_000_000  # candidates that are in memory when shards are merged
_FOUND = np.dtype([("row", "<i8"), ("score", "<f8")])
_TIED = np.dtype([("query", "<i8"), ("score", "<f8")])
NeighbourRows = npt.NDArray[np.void]


class NearestRow(NamedTuple):
    """The neighbours of a query, best first; equal scores in the order of rows."""

    query_row: int
    doc_rows: list[int]
    scores: list[float]
    """In double precision: cosine, product, or the distance with a minus."""
    kth_score: float | None
    tied_beyond_k: int
    """Documents that are exactly as near as the last neighbour and not among them."""


class NeighbourSearch(NamedTuple):
    """What is looked for, and in which files of vectors."""

    queries: Path
    documents: Path
    similarity: Similarity
    k: int


@dataclass(frozen=True)
class SearchTask:
    """Some rows of the documents, in which the neighbours of all queries are looked for."""

    queries: Path
    documents: Path
    similarity: Similarity
    k: int
    start: int
    stop: int
    file: Path
    """What is found: a line a query, best first."""


@dataclass(frozen=True)
class TieTask:
    """Some rows of the documents, of which those are counted that have a certain score for a query."""

    queries: Path
    documents: Path
    similarity: Similarity
    start: int
    stop: int
    asked: Path
    file: Path
    """How many there are of each that is asked."""


def search_shards(
    search: NeighbourSearch, folder: Path, shard_rows: int, engine: Engine, reporter: Reporter
) -> Iterator[NearestRow]:
    """The neighbours of every query, with the documents that tie with the last of them counted."""
    tasks = plan_searches(search, folder, shard_rows)
    spread("shards", search_shard, tasks, folder, engine, reporter)
    more = _count_ties(tasks, folder, engine, reporter)
    for row in _merged(tasks, Counter()):
        yield row._replace(tied_beyond_k=row.tied_beyond_k + more[row.query_row])


def plan_searches(search: NeighbourSearch, folder: Path, shard_rows: int) -> dict[str, SearchTask]:
    """The shards by name; they depend on the vectors alone."""
    rows = len(map_matrix(search.documents))
    starts = range(0, max(1, rows), shard_rows)
    names = [f"documents-{number:05}" for number in range(len(starts))]
    return {
        name: SearchTask(*search, start, min(rows, start + shard_rows), folder / f"{name}.npy")
        for name, start in zip(names, starts, strict=True)
    }


def search_shard(task: SearchTask, care: Care) -> WorkCounts:
    """Find the nearest documents of a shard, and some behind them."""
    queries, documents = map_matrix(task.queries), map_matrix(task.documents)[task.start : task.stop]
    width = min(task.k + BEYOND, len(documents))
    head = {"descr": np.lib.format.dtype_to_descr(_FOUND), "fortran_order": False, "shape": (len(queries), width)}
    with atomic_writer(task.file) as file:
        np.lib.format.write_array_header_1_0(file, head)
        for start in range(0, len(queries), _AT_ONCE):
            near = top_k(np.asarray(queries[start : start + _AT_ONCE]), documents, width, task.similarity)
            found = np.empty(near.rows.shape, dtype=_FOUND)
            found["row"], found["score"] = near.rows + task.start, near.scores
            file.write(found.tobytes())
    return WorkCounts({"documents": len(documents)})


def count_ties(task: TieTask, care: Care) -> WorkCounts:
    """Compare every document of a shard with each query that is asked about."""
    queries, documents = map_matrix(task.queries), map_matrix(task.documents)
    asked = np.load(task.asked, allow_pickle=False)
    counts = np.zeros(len(asked), dtype=np.int64)
    for start in range(task.start, task.stop, _COMPARED):
        block = documents[start : min(task.stop, start + _COMPARED)].astype(np.float64)
        for number, (query, score) in enumerate(asked.tolist()):
            scores = SIMILARITIES[task.similarity](queries[query].astype(np.float64)[np.newaxis], block)
            counts[number] += int((scores == score).sum())
    _save(task.file, counts)
    return WorkCounts({"asked": len(asked)})


def _count_ties(
    searches: Mapping[str, SearchTask], folder: Path, engine: Engine, reporter: Reporter
) -> Mapping[int, int]:
    """By query, how many documents tie with its last neighbour that no shard has told."""
    undecided: Counter[tuple[int, float, str]] = Counter()
    for _ in _merged(searches, undecided):
        pass
    tasks = {}
    for name in sorted({name for _, _, name in undecided}):
        search = searches[name]
        asked, file = (folder / f"{name}.{end}.npy" for end in ("asked", "ties"))
        _save(asked, np.array([(query, score) for query, score, shard in undecided if shard == name], dtype=_TIED))
        vectors = search.queries, search.documents, search.similarity
        tasks[f"{name}.ties"] = TieTask(*vectors, search.start, search.stop, asked, file)
    if tasks:
        spread("ties", count_ties, tasks, folder, engine, reporter)
    more: Counter[int] = Counter()
    for task in tasks.values():
        counts = np.load(task.file, allow_pickle=False).tolist()
        for (query, _), count in zip(np.load(task.asked, allow_pickle=False).tolist(), counts, strict=True):
            more[query] += count
    for (query, _, _), told in undecided.items():
        more[query] -= told
    return more


def _merged(searches: Mapping[str, SearchTask], undecided: Counter[tuple[int, float, str]]) -> Iterator[NearestRow]:
    """The best of what the shards found.

    Where all that a shard has told is as near as the last neighbour, or nearer, there may be more: then query, score and shard
    come to `undecided`, with the number of documents of that score which it has told.
    """
    shards = {name: np.load(task.file, mmap_mode="r", allow_pickle=False) for name, task in searches.items()}
    k = next(iter(searches.values())).k
    queries = len(next(iter(shards.values())))
    at_once = max(1, _MERGED // max(1, sum(shard.shape[1] for shard in shards.values())))
    for start in range(0, queries, at_once):
        parts = {name: np.asarray(shard[start : start + at_once]) for name, shard in shards.items()}
        rows = list(_best(list(parts.values()), start, k))
        yield from rows
        for name, part in parts.items():
            if part.shape[1] == searches[name].stop - searches[name].start:
                continue  # it has told everything
            for row, scores in zip(rows, part["score"], strict=True):
                if scores[-1] == row.kth_score:
                    undecided[row.query_row, scores[-1], name] = int((scores == row.kth_score).sum())


def _best(parts: Sequence[NeighbourRows], start: int, k: int) -> Iterator[NearestRow]:
    """The neighbours of queries among what several shards found of them; ties are counted in that alone."""
    together = np.concatenate(parts, axis=1)
    # The shards stand in the order of their rows, and a shard's equal scores too: so a stable order is that of rows.
    order = np.argsort(-together["score"], axis=1, kind="stable")[:, :k]
    best = np.take_along_axis(together, order, axis=1)
    for number, kept in enumerate(best):
        scores = kept["score"].tolist()
        last = scores[-1] if scores else None
        tied = 0 if last is None else int((together[number]["score"] == last).sum()) - scores.count(last)
        yield NearestRow(start + number, kept["row"].tolist(), scores, last, tied)


def _save(path: Path, array: npt.NDArray[np.generic]) -> None:
    with atomic_writer(path) as file:
        np.save(file, array, allow_pickle=False)
