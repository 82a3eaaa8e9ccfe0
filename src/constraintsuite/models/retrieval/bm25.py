"""The retriever `bm25`, over documents in memory or over the parts of a corpus.

The terms of each part are counted, the statistics are merged, each part is searched with the merged statistics, and the hits
are merged. Scores have the same bits as from one index over everything, so hits, order and ties are the same. Only the terms of
the queries are indexed, so the memory for a part grows with its own documents, and that for the statistics with the queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import atomic_writer, sha256_text
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.bm25.formula import Bm25Formula, CorpusStatistics
from constraintsuite.models.bm25.index import Bm25Index
from constraintsuite.models.bm25.postings import Postings, read_postings, write_postings
from constraintsuite.models.model_names import ModelSettings, parse_model
from constraintsuite.models.retrieval.base import Hit, Passages, System
from constraintsuite.text.terms import TermAnalyser


class Bm25Settings(ModelSettings):
    """The options of `bm25` as a retriever."""

    k1: float = Field(0.9, ge=0, description="how slowly repeated terms saturate")
    b: float = Field(0.4, ge=0, le=1, description="how much long texts are held back")
    stop_list: Literal["lucene", "none"] = Field("lucene", description='lucene (deletes "no" and "not") or none')
    stem: bool = Field(True, description="yes or no: whether words are stemmed")


def make_bm25(text: str, passages: Passages, bench: Workbench) -> System:
    """Make the retriever that `bm25` names, with its options."""
    name = parse_model(text)
    if name.argument or name.family != "bm25":  # as in bm25:words, or bm25,k1
        raise UserError(f"Retriever {text!r}: bm25 takes options only, as in bm25,k1=1.2,stop_list=none.")
    settings = name.settings(Bm25Settings)
    analyser = TermAnalyser(settings.stop_list, settings.stem)
    return Bm25Retriever(passages.ids, passages.texts, k1=settings.k1, b=settings.b, analyser=analyser, name=str(name))


@dataclass(frozen=True, slots=True)
class HitColumns:
    """The hits of a query as two columns, best first, which are faster to write and read than `Hit`s."""

    documents: Sequence[str]
    scores: Sequence[float]


class Bm25Search:
    """Searches an index whose documents are in the order of their ids."""

    def __init__(self, ids: Sequence[str], index: Bm25Index[np.float32]) -> None:
        self.ids = ids
        self._index = index

    def rank_terms(self, terms: Sequence[str], k: int) -> HitColumns:
        """At most `k` documents that share a term with the query's terms."""
        scores = self._index.scores(terms)
        candidates = np.flatnonzero(scores > 0)  # the selection below is slow with many equal zeros
        if len(candidates) > k > 0:
            positive = scores[candidates]
            candidates = candidates[positive >= np.partition(positive, len(positive) - k)[len(positive) - k]]
        # The sort is stable, so ties are in the order of the index, which is the order of document ids.
        best = candidates[np.argsort(-scores[candidates], kind="stable")][:k]
        return HitColumns([self.ids[i] for i in best.tolist()], scores[best].tolist())


class Bm25Retriever:
    """Lucene's BM25. Every suite records k1, b and the analyser, which change ranks more than the choice of an engine."""

    def __init__(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        k1: float = 0.9,
        b: float = 0.4,
        analyser: TermAnalyser | None = None,
        name: str = "bm25",
    ) -> None:
        self.name = name
        self._ids, self._texts, self._formula = ids, texts, Bm25Formula(k1, b)
        self._analyser = analyser or TermAnalyser()

    @property
    def fingerprint(self) -> str:
        """Hash of the settings."""
        return sha256_text("bm25", repr(sorted(self.describe().items())))

    @cached_property
    def _search(self) -> Bm25Search:
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        index = Bm25Index(np.float32, self._formula)
        index.add(self._analyser.analyse(self._texts[i] for i in order))
        return Bm25Search([self._ids[i] for i in order], index)

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` documents that share a term with the query; the index is built at the first search."""
        ranking = self._search.rank_terms(self._analyser.terms(query), k)
        found = zip(ranking.documents, ranking.scores, strict=True)
        return [Hit(document, rank, score) for rank, (document, score) in enumerate(found, 1)]

    def describe(self) -> Mapping[str, ModelFact]:
        """The settings."""
        analyser, formula = self._analyser, self._formula
        return {"k1": formula.k1, "b": formula.b, "stop_list": analyser.stop_list, "stem": analyser.stem}


class ShardPostings(NamedTuple):
    """The ids of a part's documents, sorted, and the postings of the queries' terms in them."""

    ids: Sequence[str]
    postings: Postings


def asked_terms(queries: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The distinct terms of all queries, sorted."""
    return tuple(sorted({term for terms in queries for term in terms}))


def collect_postings(documents: Iterable[tuple[str, Sequence[str]]], asked: Sequence[str]) -> ShardPostings:
    """The postings of a part, from the id and the terms (with repetitions) of each document."""
    ids: list[str] = []

    def terms() -> Iterable[Sequence[str]]:
        for document, words in documents:
            ids.append(document)
            yield words

    index = Bm25Index(np.float32, vocabulary=asked)
    slots = index.add(terms())
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return ShardPostings([ids[i] for i in order], index.postings(slots[order]))


def open_shard(shard: ShardPostings, whole: CorpusStatistics, formula: Bm25Formula | None = None) -> Bm25Search:
    """The search over one part; `whole` are the statistics of all parts. Only the terms of the queries are indexed."""
    index = Bm25Index(np.float32, formula, corpus_statistics=whole)
    index.add_postings(shard.postings)
    return Bm25Search(shard.ids, index)


def merge_rankings(parts: Sequence[HitColumns], k: int) -> HitColumns:
    """The best `k` hits of a query, from the best `k` of every part; equal scores in the order of document ids."""
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
