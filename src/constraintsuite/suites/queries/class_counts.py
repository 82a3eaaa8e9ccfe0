"""Counts which class nouns a corpus uses, and decides which of them count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.records import ClassReading
from constraintsuite.suites.reading.signs import BY_SIGNS

MIN_DEFINING = 5
MIN_DEFINING_KNOWN = 3
NEEDED = 0.5
"""Signs show a class only where at least this share of the documents that have them are not said to be anything known."""


class ClassCounts:
    """The number of documents that each class noun defines, and that have the signs of a class."""

    def __init__(self) -> None:
        self._defining: Counter[str] = Counter()
        self._by_signs: Counter[str] = Counter()
        self._by_signs_alone: Counter[str] = Counter()

    def add(self, found: Sequence[ClassReading]) -> None:
        """Count the classes of one document."""
        defining = {reading.head for reading in found if reading.strength >= 2}
        shown = [reading.head for reading in found if reading.strength == BY_SIGNS]
        self._defining.update(defining)
        self._by_signs.update(shown)
        if not any(reading.strength >= 2 and reading.kind for reading in found):
            self._by_signs_alone.update(shown)

    def established(self, knowledge: Knowledge) -> frozenset[str]:
        """Class nouns of enough documents; nouns in domain files need fewer."""
        defined = (
            head
            for head, count in self._defining.items()
            if count >= (MIN_DEFINING_KNOWN if head in knowledge.heads else MIN_DEFINING)
        )
        shown = (
            head
            for head, count in self._by_signs.items()
            if count >= MIN_DEFINING_KNOWN and self._by_signs_alone[head] >= NEEDED * count
        )
        return frozenset((*defined, *shown))
