"""BM25 over the parts of a corpus, with the statistics of all of it.

Each part is counted, the counts are added up, each part is searched with the sum, and what they find is merged. Every score
has the bits that one index over everything gives, so that hits, order and ties are the same. Only terms that are asked for
are counted and indexed: what a part takes in memory grows with its own documents, and the sum with the queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.retrieval.bm25 import Bm25Search, HitColumns
from constraintsuite.retrieval.hiding import hidden
from constraintsuite.retrieval.postings import CorpusStatistics, Postings
from constraintsuite.text.terms import TermAnalyser

with hidden("jax", "jax.lax"):  # see bm25.py
    import bm25s


def asked_terms(queries: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """All terms of all queries, which are given by theirs, each once, in order."""
    return tuple(sorted({term for terms in queries for term in terms}))


class Bm25Shard(Bm25Search):
    """Finds the documents of one part; `whole` counts all parts, and terms that are not `asked` for are not found."""

    def __init__(
        self,
        postings: Postings,
        asked: Sequence[str],
        whole: CorpusStatistics,
        *,
        k1: float = 0.9,
        b: float = 0.4,
        analyser: TermAnalyser | None = None,
    ) -> None:
        index = bm25s.BM25(k1=k1, b=b, method="lucene")
        index.nonoccurrence_array = None  # of other methods than Lucene's
        index.vocab_dict = {term: number for number, term in enumerate(asked)}
        index.scores = _matrix(postings, asked, whole, k1, b)
        super().__init__(sorted(postings.ids), index, analyser or TermAnalyser())


def merge_rankings(parts: Sequence[HitColumns], k: int) -> HitColumns:
    """The best `k` of a query from the best `k` of every part; equal scores in the order of document ids."""
    documents = [document for part in parts for document in part.documents]
    scores = np.array([score for part in parts for score in part.scores])
    kept = np.arange(len(scores))
    if len(scores) > k > 0:
        kept = np.flatnonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
    best = sorted((-score, documents[i]) for i, score in zip(kept.tolist(), scores[kept].tolist(), strict=True))[:k]
    return HitColumns([document for _, document in best], [-score for score, _ in best])


def _matrix(
    postings: Postings, asked: Sequence[str], whole: CorpusStatistics, k1: float, b: float
) -> Mapping[str, object]:
    """The score of every posting, as bm25s keeps them: by term, and then by document, in the order of ids."""
    size = len(postings.ids)
    order = np.argsort(postings.terms, kind="stable")
    terms, times = postings.terms[order], postings.times[order]
    documents = np.repeat(np.arange(size, dtype=np.int32), postings.held)[order]
    places = np.empty(size, np.int32)
    places[sorted(range(size), key=postings.ids.__getitem__)] = np.arange(size, dtype=np.int32)
    idf = np.array([_idf(whole.holding.get(term, 0), whole.documents) for term in asked], np.float32)
    mean = np.float64(whole.length) / max(whole.documents, 1)
    ends = np.cumsum(np.bincount(terms, minlength=len(asked)))
    return {
        "data": (idf[terms] * _saturation(times, postings.lengths[documents], mean, k1, b)).astype(np.float32),
        "indices": places[documents],
        "indptr": np.concatenate([np.zeros(1, np.int64), ends]),
        "num_docs": size,
    }


# Lucene's BM25 is idf(t) · tf / (tf + k1 · (1 − b + b · length / mean length)), with idf(t) = ln(1 + (N − n + ½) / (n + ½)) for a
# term that n of N documents hold. Types and order are those of bm25s, else the last bit is another one: times and idf in 32
# bits, the mean length in 64, and so the quotient; the product is rounded to 32 at last.


def _idf(holding: int, documents: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def _saturation(
    times: npt.NDArray[np.integer], lengths: npt.NDArray[np.integer], mean: np.float64, k1: float, b: float
) -> npt.NDArray[np.float64]:
    frequency = times.astype(np.float32)
    share: npt.NDArray[np.float64] = b * lengths.astype(np.int64) / mean
    result: npt.NDArray[np.float64] = frequency / (k1 * ((1 - b) + share) + frequency)
    return result
