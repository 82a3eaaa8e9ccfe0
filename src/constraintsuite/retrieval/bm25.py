"""BM25 over documents in memory, through bm25s; with numba installed, large collections use its compiled search."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

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
        self._index = bm25s.BM25(k1=k1, b=b, method="lucene", backend="numba" if _compiled(len(ids)) else "numpy")
        self._index.index(corpus, show_progress=False)

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` documents that share a term with the query."""
        scores = self._scores(query)
        k = min(k, len(scores))
        if k == 0:
            return []
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        candidates = np.flatnonzero((scores >= threshold) & (scores > 0))
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


def _compiled(documents: int) -> bool:
    # Compilation costs some five seconds once, which only a large collection gives back.
    return documents > 50_000 and find_spec("numba") is not None
