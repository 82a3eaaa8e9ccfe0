"""An inverted index of rare terms: which units may be about the same thing, without comparing all with all."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log

_RAREST = 5
"""Terms of a query that are looked up."""
_LONGEST_POSTING = 60
"""Units that a term leads to at most: the nearest ones."""
_CANDIDATES = 24


class TermIndex:
    """Units by the terms they hold; units are numbered in the order of their document."""

    def __init__(self, terms: Sequence[frozenset[str]]) -> None:
        self._units = len(terms)
        self._postings: dict[str, list[int]] = defaultdict(list)
        for unit, held in enumerate(terms):
            for term in held:
                self._postings[term].append(unit)

    def weight(self, terms: Iterable[str]) -> float:
        """How telling some terms are together: the sum of their inverse document frequencies."""
        return sum(log(1 + self._units / len(self._postings.get(term, (0,)))) for term in sorted(terms))

    def frequency(self, term: str) -> int:
        """How many units hold a term."""
        return len(self._postings.get(term, ()))

    def candidates(self, terms: Iterable[str], unit: int) -> list[int]:
        """Units that share the most of the rarest terms; the nearer first where equally many."""
        known = sorted(
            (term for term in terms if term in self._postings), key=lambda term: (self.frequency(term), term)
        )
        shared: Counter[int] = Counter()
        for term in known[:_RAREST]:
            shared.update(_nearest(self._postings[term], unit))
        shared.pop(unit, None)
        return sorted(shared, key=lambda other: (-shared[other], abs(other - unit), other))[:_CANDIDATES]


def _nearest(posting: Sequence[int], unit: int) -> Sequence[int]:
    if len(posting) <= _LONGEST_POSTING:
        return posting
    start = max(0, min(bisect_left(posting, unit) - _LONGEST_POSTING // 2, len(posting) - _LONGEST_POSTING))
    return posting[start : start + _LONGEST_POSTING]
