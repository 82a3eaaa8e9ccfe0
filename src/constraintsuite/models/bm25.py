"""BM25 as Lucene computes it, with document frequencies and lengths from the suite's own texts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.collection import CollectionStatistics
from constraintsuite.models.naming import ModelName
from constraintsuite.store.files import sha256_text
from constraintsuite.text.terms import TermAnalyser


def make_bm25(name: ModelName, bench: Workbench) -> Scorer:
    """`bm25` reads terms as the product's own retriever does; `bm25:nostop` keeps "no" and "not"; `bm25:words` neither stems."""
    analysers = {
        "": TermAnalyser(),
        "nostop": TermAnalyser(stop_list="none"),
        "words": TermAnalyser(stop_list="none", stem=False),
    }
    name.refuse_options()
    if name.argument not in analysers:
        raise UserError(f"Model {str(name)!r}: there are only bm25, bm25:nostop and bm25:words.")
    return Bm25Scorer(bench.documents, analysers[name.argument], name=str(name))


class Bm25Scorer:
    """The sum over the query's terms of idf x saturated term frequency; repeated query terms count again."""

    def __init__(
        self, documents: Sequence[str], analyser: TermAnalyser, *, k1: float = 0.9, b: float = 0.4, name: str = "bm25"
    ) -> None:
        self.name = name
        self.k1, self.b = k1, b
        self._collection = CollectionStatistics(documents, analyser)
        self.fingerprint = sha256_text("bm25", f"k1={k1}", f"b={b}", self._collection.fingerprint)

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Zero for a text that shares no term with its query."""
        terms = {query: self._collection.analyser.terms(query) for query in {query for query, _ in pairs}}
        return np.array([self._score(terms[query], text) for query, text in pairs], dtype=np.float64)

    def _score(self, query: Sequence[str], text: str) -> float:
        counts = self._collection.counts(text)
        damping = self.k1 * (1 - self.b + self.b * counts.total() / self._collection.mean_length)
        # fsum is exact whatever the order, so that equal evidence is an exact tie.
        return math.fsum(self._idf(term) * counts[term] / (counts[term] + damping) for term in query if term in counts)

    def _idf(self, term: str) -> float:
        holding = self._collection.document_frequency[term]
        return math.log1p((len(self._collection.documents) - holding + 0.5) / (holding + 0.5))
