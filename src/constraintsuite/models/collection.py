"""The texts of a suite as the lexical scorers see them: their terms, counted, and the statistics of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from constraintsuite.models.bm25.formula import CorpusStatistics
from constraintsuite.store.files import sha256_text
from constraintsuite.text.terms import TermAnalyser


class TextCollection:
    """Distinct texts and their terms, counted when first asked for."""

    def __init__(self, documents: Sequence[str], analyser: TermAnalyser) -> None:
        self.documents = sorted(set(documents))
        self.analyser = analyser

    @property
    def fingerprint(self) -> str:
        """Hash of the texts and of the way they are cut into terms."""
        return sha256_text(repr(self.analyser), *self.documents)

    @cached_property
    def _counts(self) -> dict[str, Counter[str]]:
        return {document: Counter(self.analyser.terms(document)) for document in self.documents}

    @cached_property
    def statistics(self) -> CorpusStatistics:
        """The numbers of texts, of their terms, and of the texts that hold each term."""
        length = sum(counts.total() for counts in self._counts.values())
        holding = Counter(term for counts in self._counts.values() for term in counts)
        return CorpusStatistics(len(self.documents), length, holding)

    def counts(self, text: str) -> Counter[str]:
        """How often each term stands in a text, be it of the collection or not."""
        known = self._counts.get(text)
        return Counter(self.analyser.terms(text)) if known is None else known
