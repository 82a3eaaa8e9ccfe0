"""One sequence against another: does it match, and how far is it off?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from constraintsuite.memory.cases.vocabulary import MatchMode

A = TypeVar("A")
B = TypeVar("B")


def matches(expected: Sequence[A], found: Sequence[B], fits: Callable[[A, B], bool], mode: MatchMode) -> bool:
    """`exact`: as long, and each fits its place; `prefix`: the first ones do; `subsequence`: in order, gaps allowed."""
    if mode == "subsequence":
        rest = iter(found)
        return all(any(fits(want, have) for have in rest) for want in expected)
    if len(expected) > len(found) or (mode == "exact" and len(expected) < len(found)):
        return False
    return all(fits(want, have) for want, have in zip(expected, found, strict=False))


def longest_common(expected: Sequence[str], found: Sequence[str]) -> int:
    """The length of the longest sequence that is a subsequence of both."""
    best = [0] * (len(found) + 1)
    for want in expected:
        before = best
        best = [0]
        for place, have in enumerate(found, 1):
            best.append(before[place - 1] + 1 if want == have else max(before[place], best[-1]))
    return best[-1]


def edit_distance(expected: Sequence[str], found: Sequence[str]) -> int:
    """How many nodes must be put in, taken out or exchanged to make one of the other (Levenshtein 1966)."""
    row = list(range(len(found) + 1))
    for number, want in enumerate(expected, 1):
        before, row = row, [number]
        for place, have in enumerate(found, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (want != have)))
    return row[-1]
