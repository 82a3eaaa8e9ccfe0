"""BM25 over the parts of a corpus, with the statistics of all of it.

Each part is counted, the counts are added up, each part is searched with the sum, and what they find is merged. Every score
has the bits that one index over everything gives, so that hits, order and ties are the same. Only terms that are asked for
are counted and indexed: what a part takes in memory grows with its own documents, and the sum with the queries.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.retrieval.bm25 import Bm25Search, Ranking
from constraintsuite.retrieval.hiding import hidden
from constraintsuite.text.terms import TermAnalyser

with hidden("jax", "jax.lax"):  # see bm25.py
    import bm25s
    from bm25s import scoring


@dataclass(frozen=True, slots=True)
class TermCounts:
    """What BM25 has to know of a corpus, or of a part of it."""

    documents: int
    length: int
    """Terms of all documents together."""
    holding: Mapping[str, int]
    """How many documents hold a term, for each that is asked for and found."""

    @staticmethod
    def merged(parts: Iterable[TermCounts]) -> TermCounts:
        """The counts of all parts together."""
        documents, length, holding = 0, 0, Counter[str]()
        for part in parts:
            documents += part.documents
            length += part.length
            holding.update(part.holding)
        return TermCounts(documents, length, dict(sorted(holding.items())))


def asked_terms(queries: Iterable[str], analyser: TermAnalyser) -> frozenset[str]:
    """All terms of all queries."""
    return frozenset(term for query in queries for term in analyser.terms(query))


def count_terms(documents: Iterable[Sequence[str]], asked: frozenset[str]) -> TermCounts:
    """The counts of a part, whose documents are given by their terms."""
    number, length, holding = 0, 0, Counter[str]()
    for terms in documents:
        number += 1
        length += len(terms)
        holding.update(asked.intersection(terms))
    return TermCounts(number, length, dict(sorted(holding.items())))


class Bm25Shard(Bm25Search):
    """Finds the documents of one part; `whole` counts all parts, and terms that it does not know are not found."""

    def __init__(
        self,
        documents: Iterable[tuple[str, Sequence[str]]],
        whole: TermCounts,
        *,
        k1: float = 0.9,
        b: float = 0.4,
        analyser: TermAnalyser | None = None,
    ) -> None:
        postings = _Postings(whole.holding)
        for document, terms in documents:
            postings.add(document, terms)
        index = bm25s.BM25(k1=k1, b=b, method="lucene")
        index.nonoccurrence_array = None  # of other methods than Lucene's
        index.vocab_dict = postings.numbers
        index.scores = postings.matrix(whole, k1, b)
        super().__init__(sorted(postings.ids), index, analyser or TermAnalyser())


def merge_rankings(parts: Sequence[Ranking], k: int) -> Ranking:
    """The best `k` of a query from the best `k` of every part; equal scores in the order of document ids."""
    documents = [document for part in parts for document in part.documents]
    scores = np.array([score for part in parts for score in part.scores])
    kept = np.arange(len(scores))
    if len(scores) > k > 0:
        kept = np.flatnonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
    best = sorted((-score, documents[i]) for i, score in zip(kept.tolist(), scores[kept].tolist(), strict=True))[:k]
    return Ranking([document for _, document in best], [-score for score, _ in best])


class _Postings:
    """Which document holds which term how often, as documents come."""

    def __init__(self, terms: Iterable[str]) -> None:
        self.numbers = {term: number for number, term in enumerate(terms)}
        self.ids: list[str] = []
        self._lengths = array("q")
        self._terms, self._documents, self._times = array("i"), array("i"), array("i")

    def add(self, document: str, terms: Sequence[str]) -> None:
        """A document, given by all its terms, with repetitions."""
        held = Counter(self.numbers[term] for term in terms if term in self.numbers)
        self._terms.extend(held.keys())
        self._times.extend(held.values())
        self._documents.extend([len(self.ids)] * len(held))
        self._lengths.append(len(terms))
        self.ids.append(document)

    def matrix(self, whole: TermCounts, k1: float, b: float) -> Mapping[str, object]:
        """The score of every posting, as bm25s keeps them: by term, and then by document, in the order of ids."""
        order = np.argsort(np.frombuffer(self._terms, np.int32), kind="stable")
        terms, documents, times = (
            np.frombuffer(part, np.int32)[order] for part in (self._terms, self._documents, self._times)
        )
        places = np.empty(len(self.ids), np.int32)
        places[sorted(range(len(self.ids)), key=self.ids.__getitem__)] = np.arange(len(self.ids), dtype=np.int32)
        # The types are those that bm25s has when it goes from document to document, else the last bit is another one:
        # times and idf in 32 bits, the mean length in 64, and so the quotient; the product is rounded to 32 at last.
        saturation = scoring._score_tfc_lucene(
            tf_array=times.astype(np.float32),
            l_d=np.frombuffer(self._lengths, np.int64)[documents],
            l_avg=np.float64(whole.length) / max(whole.documents, 1),
            k1=k1,
            b=b,
        )
        idf = [scoring._score_idf_lucene(holding, N=whole.documents) for holding in whole.holding.values()]
        ends = np.cumsum(np.bincount(terms, minlength=len(self.numbers)))
        return {
            "data": (np.array(idf, np.float32)[terms] * saturation).astype(np.float32),
            "indices": places[documents],
            "indptr": np.concatenate([np.zeros(1, np.int64), ends]),
            "num_docs": len(self.ids),
        }
