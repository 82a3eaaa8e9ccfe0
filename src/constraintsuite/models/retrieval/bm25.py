"""The retriever `bm25`, over documents in memory or over the parts of a corpus.

Each part is counted, the statistics are merged, each part is searched with the merged ones, and the hits are merged. Every
score has the bits that one index over everything gives, so that hits, order and ties are the same. Only terms that are asked
for are counted and indexed: what a part takes in memory grows with its own documents, and the statistics with the queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer, sha256_text
from constraintsuite.models.base import Workbench
from constraintsuite.models.bm25.formula import Bm25Formula, CorpusStatistics
from constraintsuite.models.bm25.index import Bm25Index
from constraintsuite.models.bm25.postings import Postings, read_postings, write_postings
from constraintsuite.models.model_names import ModelSettings, parse_model
from constraintsuite.models.retrieval.base import Deferred, Hit, Passages, System
from constraintsuite.text.terms import TermAnalyser


class Bm25Settings(ModelSettings):
    """The options of `bm25` as a retriever."""

    k1: float = Field(0.9, ge=0, allow_inf_nan=False, description="how slowly repeated terms saturate")
    b: float = Field(0.4, ge=0, le=1, description="how much long texts are held back")
    stop_list: Literal["lucene", "none"] = Field("lucene", description='lucene (deletes "no" and "not") or none')
    stem: bool = Field(True, description="yes or no: whether words are stemmed")


def make_bm25(text: str, passages: Passages, bench: Workbench) -> System:
    """Make the retriever that `bm25` names, with its options; the index is built at the first search."""
    name = parse_model(text)
    if name.argument or name.family != "bm25":  # as in bm25:words, or bm25,k1
        raise UserError(f"Retriever {text!r}: bm25 takes options only, as in bm25,k1=1.2,stop_list=none.")
    settings = name.settings(Bm25Settings)

    def build() -> Bm25Retriever:
        analyser = TermAnalyser(settings.stop_list, settings.stem)
        return Bm25Retriever(passages.ids, passages.texts, k1=settings.k1, b=settings.b, analyser=analyser)

    facts = settings.model_dump()
    return Deferred(str(name), sha256_text("bm25", repr(sorted(facts.items()))), facts, build)


@dataclass(frozen=True, slots=True)
class HitColumns:
    """The hits of a query in two rows, best first: many of them are written and read sooner than as `Hit`s."""

    documents: Sequence[str]
    scores: Sequence[float]


class Bm25Search:
    """Searches an index whose documents stand in the order of their ids."""

    def __init__(self, ids: Sequence[str], index: Bm25Index[np.float32]) -> None:
        self.ids = ids
        self._index = index

    def rank_terms(self, terms: Sequence[str], k: int) -> HitColumns:
        """At most `k` documents that share a term with a query, which is given by its terms."""
        scores = self._index.scores(terms)
        candidates = np.flatnonzero(scores > 0)  # selecting among all would drown in equal zeros
        if len(candidates) > k > 0:
            held = scores[candidates]
            candidates = candidates[held >= np.partition(held, len(held) - k)[len(held) - k]]
        # Ties are broken by document id: the index is laid out in that order, and this sort is stable.
        best = candidates[np.argsort(-scores[candidates], kind="stable")][:k]
        return HitColumns([self.ids[i] for i in best.tolist()], scores[best].tolist())


class Bm25Retriever(Bm25Search):
    """Lucene's BM25; k1, b and the analyser are recorded with every suite, since they move ranks more than an engine does."""

    def __init__(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        k1: float = 0.9,
        b: float = 0.4,
        analyser: TermAnalyser | None = None,
    ) -> None:
        self.name = "bm25"
        self.analyser = analyser or TermAnalyser()
        order = sorted(range(len(ids)), key=ids.__getitem__)
        index = Bm25Index(np.float32, Bm25Formula(k1, b))
        index.add(self.analyser.analyse(texts[i] for i in order))
        super().__init__([ids[i] for i in order], index)

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` documents that share a term with the query."""
        ranking = self.rank(query, k)
        found = zip(ranking.documents, ranking.scores, strict=True)
        return [Hit(document, rank, score) for rank, (document, score) in enumerate(found, 1)]

    def rank(self, query: str, k: int) -> HitColumns:
        """What `search` finds, as columns."""
        return self.rank_terms(self.analyser.terms(query), k)


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
    """Read a part that `write_shard` wrote: its ids and postings."""
    with path.open("rb") as file:
        return ShardPostings(json.loads(file.readline()), read_postings(file))
