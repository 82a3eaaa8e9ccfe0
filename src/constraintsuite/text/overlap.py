"""What two texts have in common, found in bounded time: both may be hostile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate, takewhile

MOST_STEPS = 10_000_000
"""Pairs of the same word that may be looked at for one edit, about a second's worth; texts of 200 words never need so many."""


class BoundedMatcher(SequenceMatcher[str]):
    """Matches as its parent does while its steps last; a stretch that would take more is only compared from its ends.

    Shared ends are not cut off before that: beside a doubled word it would be the other one that counts as new.
    """

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        super().__init__(None, first, second, autojunk=False)
        self._first, self._second = first, second
        held = Counter(second)
        self._steps = list(accumulate((1 + held[word] for word in first), initial=0))
        self._left = MOST_STEPS

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """The longest block that two stretches share; of costly ones that at their beginning, or else at their end."""
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
    """How many words two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
