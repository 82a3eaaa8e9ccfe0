"""BM25 over the parts of a corpus, with the statistics of all of it.

Each part is counted, the statistics are merged, each part is searched with the merged ones, and the hits are merged. Every
score has the bits that one index over everything gives, so that hits, order and ties are the same. Only terms that are asked
for are counted and indexed: what a part takes in memory grows with its own documents, and the statistics with the queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.models.bm25.formula import Bm25Formula, CorpusStatistics
from constraintsuite.models.bm25.index import Bm25Index
from constraintsuite.models.bm25.postings import Postings, read_postings, write_postings
from constraintsuite.retrieval.bm25 import Bm25Search, HitColumns
from constraintsuite.store.files import atomic_writer


class ShardPostings(NamedTuple):
    """The documents of a part, in the order of their ids, and what they hold of the terms that are asked for."""

    ids: Sequence[str]
    postings: Postings


def asked_terms(queries: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """All terms of all queries, which are given by theirs, each once, in order."""
    return tuple(sorted({term for terms in queries for term in terms}))


def collect_postings(documents: Iterable[tuple[str, Sequence[str]]], asked: Sequence[str]) -> ShardPostings:
    """Count the documents of a part, which are given by their ids and all their terms, with repetitions."""
    ids: list[str] = []

    def terms() -> Iterable[Sequence[str]]:
        for document, held in documents:
            ids.append(document)
            yield held

    index = Bm25Index(np.float32, asked=asked)
    slots = index.add(terms())
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return ShardPostings([ids[i] for i in order], index.postings(slots[order]))


def open_shard(shard: ShardPostings, whole: CorpusStatistics, formula: Bm25Formula | None = None) -> Bm25Search:
    """The search of one part; `whole` are the statistics of all parts, and only terms that were asked for are found."""
    index = Bm25Index(np.float32, formula, whole=whole)
    index.take(shard.postings)
    return Bm25Search(shard.ids, index)


def merge_rankings(parts: Sequence[HitColumns], k: int) -> HitColumns:
    """The best `k` of a query from the best `k` of every part; equal scores in the order of document ids."""
    documents = [document for part in parts for document in part.documents]
    scores = np.array([score for part in parts for score in part.scores])
    kept = np.arange(len(scores))
    if len(scores) > k > 0:
        kept = np.flatnonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
    best = sorted((-score, documents[i]) for i, score in zip(kept.tolist(), scores[kept].tolist(), strict=True))[:k]
    return HitColumns([document for _, document in best], [-score for score, _ in best])


def write_shard(path: Path, shard: ShardPostings) -> None:
    """Write a part: a line of ids as JSON, then its postings."""
    with atomic_writer(path) as file:
        file.write(json.dumps(list(shard.ids)).encode() + b"\n")
        write_postings(file, shard.postings)


def read_shard(path: Path) -> ShardPostings:
    """Read what `write_shard` wrote."""
    with path.open("rb") as file:
        return ShardPostings(json.loads(file.readline()), read_postings(file))
