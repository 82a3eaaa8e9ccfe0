"""The common parts of two texts, found in bounded time, since the texts may be hostile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate, takewhile

MOST_STEPS = 10_000_000
"""Comparisons of equal words per diff, about one second; texts of 200 words never need as many."""


class BoundedMatcher(SequenceMatcher[str]):
    """A SequenceMatcher with a limited number of steps; beyond it, only common beginnings and ends are found.

    Common ends are not cut off first: next to a repeated word, the wrong one of the two would then count as new.
    """

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        super().__init__(None, first, second, autojunk=False)
        self._first, self._second = first, second
        counts = Counter(second)
        self._steps = list(accumulate((1 + counts[word] for word in first), initial=0))
        self._left = MOST_STEPS

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """The longest common block of two parts; if that takes too many steps, their common beginning, or else end."""
        ahi = len(self._first) if ahi is None else ahi
        bhi = len(self._second) if bhi is None else bhi
        steps = self._steps[ahi] - self._steps[alo]
        if steps <= self._left:
            self._left -= steps
            return super().find_longest_match(alo, ahi, blo, bhi)
        first, second = self._first[alo:ahi], self._second[blo:bhi]
        if size := _shared(first, second):
            return Match(alo, blo, size)
        size = _shared(reversed(first), reversed(second))
        return Match(ahi - size, bhi - size, size)


def _shared(first: Iterable[str], second: Iterable[str]) -> int:
    """The number of words in the common beginning of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
