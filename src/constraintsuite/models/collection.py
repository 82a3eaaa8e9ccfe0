"""What the lexical scorers know of a collection: how many texts hold a term, and how long texts are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from constraintsuite.store.files import sha256_text
from constraintsuite.text.terms import TermAnalyser


class CollectionStatistics:
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
    def document_frequency(self) -> Counter[str]:
        """In how many of the texts a term stands; 0 for a term of none."""
        return Counter(term for counts in self._counts.values() for term in counts)

    @cached_property
    def mean_length(self) -> float:
        """Terms per text, repetitions included; 1 where there are none, so that it can be divided by."""
        terms = sum(counts.total() for counts in self._counts.values())
        return terms / len(self.documents) if terms else 1.0

    def counts(self, text: str) -> Counter[str]:
        """How often each term stands in a text, be it of the collection or not."""
        known = self._counts.get(text)
        return Counter(self.analyser.terms(text)) if known is None else known
