"""BM25 over documents in memory, through bm25s."""

from __future__ import annotations

from collections.abc import Sequence

import bm25s
import numpy as np
import numpy.typing as npt

from constraintsuite.retrieval.base import Hit
from constraintsuite.text.terms import TermAnalyser


class Bm25Retriever:
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
        # Ties are broken by document id: the index is laid out in id order and sorting below is stable.
        order = sorted(range(len(ids)), key=lambda i: ids[i])
        self.ids = [ids[i] for i in order]
        self._position = {document: i for i, document in enumerate(self.ids)}
        corpus = [self.analyser.terms(texts[i]) for i in order]
        self._index = bm25s.BM25(k1=k1, b=b, method="lucene")
        self._index.index(corpus, show_progress=False)

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` documents that share a term with the query."""
        scores = self._scores(query)
        candidates = np.flatnonzero(scores > 0)  # selecting among all would drown in equal zeros
        if len(candidates) > k > 0:
            held = scores[candidates]
            candidates = candidates[held >= np.partition(held, len(held) - k)[len(held) - k]]
        best = candidates[np.argsort(-scores[candidates], kind="stable")][:k]
        return [Hit(self.ids[i], rank, float(scores[i])) for rank, i in enumerate(best.tolist(), 1)]

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """The scores of given documents, also beyond any pool."""
        scores = self._scores(query)
        return [float(scores[self._position[document]]) for document in documents]

    def _scores(self, query: str) -> npt.NDArray[np.float32]:
        known = [term for term in self.analyser.terms(query) if term in self._index.vocab_dict]
        if not known:
            return np.zeros(len(self.ids), dtype=np.float32)
        scores: npt.NDArray[np.float32] = self._index.get_scores(known)
        return scores
