"""Lexical scorers: BM25 and tf-idf with the statistics of the suite's texts, and the tf-idf of the NevIR paper."""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.models.base import Pair, Scorer, Workbench
from constraintsuite.models.bm25.formula import Bm25Formula, CorpusStatistics
from constraintsuite.models.model_names import ModelName
from constraintsuite.text.terms import TermAnalyser
from constraintsuite.text.wordlists import WordSet


def make_bm25(name: ModelName, bench: Workbench) -> Scorer:
    """`bm25` uses the terms of our retriever; `bm25:nostop` keeps "no" and "not"; `bm25:words` also does not stem."""
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

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The BM25 score of each pair; 0 if query and text share no term."""
        terms = {query: self._collection.analyser.terms(query) for query in {query for query, _ in pairs}}
        return np.array([self._score(terms[query], text) for query, text in pairs], dtype=np.float64)

    def _score(self, query: Sequence[str], text: str) -> float:
        counts, formula = self._collection.counts(text), self._formula
        norm = formula.norm(float(counts.total()), self._collection.statistics.mean_length)
        # fsum is exact in any order, so equal evidence gives an exact tie.
        return math.fsum(formula.weight(self._idf(term), float(counts[term]), norm) for term in query if term in counts)

    def _idf(self, term: str) -> float:
        statistics = self._collection.statistics
        return self._formula.idf(statistics.holding.get(term, 0), statistics.documents)


def make_tfidf(name: ModelName, bench: Workbench) -> Scorer:
    """`tfidf`, or `tfidf:nevir` for the protocol of the NevIR paper."""
    variants: dict[str, Callable[[], Scorer]] = {"": lambda: TfidfScorer(bench.documents), "nevir": NevirTfidfScorer}
    name.refuse_options()
    if name.argument not in variants:
        raise UserError(f"Model {str(name)!r}: there are only tfidf and tfidf:nevir.")
    return variants[name.argument]()


class TfidfScorer:
    """Cosine of (1 + ln tf) x idf vectors, without a stop list, so that a negation counts like any other word."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.name = "tfidf"
        self._collection = TextCollection(documents, TermAnalyser(stop_list="none", stem=True))
        self.fingerprint = sha256_text("tfidf", self._collection.fingerprint)
        self._norms: dict[str, float] = {}

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The cosine of each pair, from 0 (no common term) to 1."""
        queries = {query: self._collection.counts(query) for query in {query for query, _ in pairs}}
        return np.array([self._cosine(queries[query], text) for query, text in pairs], dtype=np.float64)

    def _cosine(self, query: Mapping[str, int], text: str) -> float:
        counts = self._collection.counts(text)
        if text not in self._norms:
            self._norms[text] = self._norm(counts)
        shared = math.fsum(self._weight(t, query[t]) * self._weight(t, counts[t]) for t in query if t in counts)
        return shared / (self._norm(query) * self._norms[text]) if shared else 0.0

    def _norm(self, counts: Mapping[str, int]) -> float:
        return math.sqrt(math.fsum(self._weight(term, count) ** 2 for term, count in counts.items()))

    def _weight(self, term: str, count: int) -> float:
        statistics = self._collection.statistics
        holding = statistics.holding.get(term, 0)
        return (1 + math.log(count)) * (1 + math.log((1 + statistics.documents) / (1 + holding)))


class NevirTfidfScorer:
    """The NevIR paper's baseline (`NevIR:src/negations/tfidf.py`): a vectoriser fitted on the query and the text alone.

    Lower case, ASCII punctuation deleted, scikit-learn's English stop list (which deletes most negation words), its
    smooth idf and l2 norm. Terms are added in scikit-learn's order (the query's terms come first), since which pairs
    tie depends on the last bit. Where the paper's code calls NLTK's tokeniser, after deleting punctuation, we split at
    white space: on NevIR's test set that changes the outcome of one pair in 1,383.
    """

    _NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
    _IDF_IN_ONE, _IDF_IN_BOTH = 1 + math.log(3 / 2), 1.0

    def __init__(self) -> None:
        self.name = "tfidf:nevir"
        self.fingerprint = sha256_text("tfidf:nevir", *sorted(scikit_learn_stopwords()))

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """The cosine of each pair, from 0 (no common term) to 1."""
        counts = {text: self._counts(text) for text in {text for pair in pairs for text in pair}}
        return np.array([self._cosine(counts[query], counts[text]) for query, text in pairs], dtype=np.float64)

    def _counts(self, text: str) -> Counter[str]:
        words = text.lower().translate(self._NO_PUNCTUATION).split()
        return Counter(word for word in words if word not in scikit_learn_stopwords())

    def _cosine(self, query: Counter[str], text: Counter[str]) -> float:
        shared = [term for term in query if term in text]
        query_norm = self._norm(query, query, text)
        text_norm = self._norm(shared + [term for term in text if term not in query], text, query)
        return _sum_in_order(query[term] / query_norm * (text[term] / text_norm) for term in shared)

    def _norm(self, terms: Iterable[str], own: Counter[str], other: Counter[str]) -> float:
        weights = (own[term] * (self._IDF_IN_BOTH if term in other else self._IDF_IN_ONE) for term in terms)
        return math.sqrt(_sum_in_order(weight * weight for weight in weights))


def _sum_in_order(numbers: Iterable[float]) -> float:
    # Not `sum`, which adds floats with compensation from Python 3.12 on.
    total = 0.0
    for number in numbers:
        total += number
    return total


@cache
def scikit_learn_stopwords() -> frozenset[str]:
    """The English stop list of scikit-learn, which the NevIR paper used."""
    lists = read_package_yaml(dict[str, WordSet], "constraintsuite.models", "data", "stopwords.yaml")
    return lists["scikit-learn"]


class TextCollection:
    """Distinct texts with the counts of their terms, which are computed at first use."""

    def __init__(self, documents: Sequence[str], analyser: TermAnalyser) -> None:
        self.documents = sorted(set(documents))
        self.analyser = analyser

    @property
    def fingerprint(self) -> str:
        """Hash of the texts and of the analyser."""
        return sha256_text(repr(self.analyser), *self.documents)

    @cached_property
    def _counts(self) -> dict[str, Counter[str]]:
        return {document: Counter(self.analyser.terms(document)) for document in self.documents}

    @cached_property
    def statistics(self) -> CorpusStatistics:
        """The number of texts, their total length, and how many texts contain each term."""
        length = sum(counts.total() for counts in self._counts.values())
        holding = Counter(term for counts in self._counts.values() for term in counts)
        return CorpusStatistics(len(self.documents), length, holding)

    def counts(self, text: str) -> Counter[str]:
        """The count of each term in a text, of this collection or any other."""
        known = self._counts.get(text)
        return Counter(self.analyser.terms(text)) if known is None else known
