"""The model `bm25`: scores pairs of a query and a text, with the statistics of the suite's own texts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.bm25.formula import Bm25Formula
from constraintsuite.models.collection import TextCollection
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
        self._formula = Bm25Formula(k1, b)
        self._collection = TextCollection(documents, analyser)
        self.fingerprint = sha256_text("bm25", f"k1={k1}", f"b={b}", self._collection.fingerprint)

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Zero for a text that shares no term with its query."""
        terms = {query: self._collection.analyser.terms(query) for query in {query for query, _ in pairs}}
        return np.array([self._score(terms[query], text) for query, text in pairs], dtype=np.float64)

    def _score(self, query: Sequence[str], text: str) -> float:
        counts, formula = self._collection.counts(text), self._formula
        norm = formula.norm(float(counts.total()), self._collection.statistics.mean_length)
        # fsum is exact whatever the order, so that equal evidence is an exact tie.
        return math.fsum(formula.weight(self._idf(term), float(counts[term]), norm) for term in query if term in counts)

    def _idf(self, term: str) -> float:
        statistics = self._collection.statistics
        return self._formula.idf(statistics.holding.get(term, 0), statistics.documents)
