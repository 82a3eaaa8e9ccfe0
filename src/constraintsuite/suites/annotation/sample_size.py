"""When are there enough items? How many more it takes until the lower bound of a share reaches what one wants to claim."""

from __future__ import annotations

import math
from dataclasses import dataclass

from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import Z, wilson_bounds

CLAIM = 0.9
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class ItemsNeeded:
    """How many more items; 0 when the claim holds already."""

    claim: float
    at_this_rate: int | None
    """If the share stays what it is; None if it is not above the claim, so that no number of items will do, or unknown."""
    at_best: int | None
    """If all further items are right; None past a million."""

    def __str__(self) -> str:
        if self.at_this_rate == 0:
            return f"the lower bound is {percent(self.claim)} or more"
        if self.at_this_rate is None and self.at_best is None:
            return "too little is known to say how many more items it takes"
        if self.at_this_rate is None:
            return f"at this rate never a lower bound of {percent(self.claim)}; after {self.at_best:,} more if all were right"
        return f"about {self.at_this_rate:,} more items for a lower bound of {percent(self.claim)}"


def items_needed(figure: Interval, claim: float = CLAIM) -> ItemsNeeded:
    """From a share and the interval that is shown with it, so that the two never contradict each other.

    An interval of clustered items is as wide as Wilson's of fewer independent ones; further items are taken to be as
    clustered as these. Looking again and again makes the bound a little too hopeful.
    """
    if figure.value is None or figure.low is None:
        return ItemsNeeded(claim, None, None)
    if figure.low >= claim:
        return ItemsNeeded(claim, 0, 0)
    worth = _independent(figure.value, figure.low)
    clustering = figure.n / worth
    whole = _independent(figure.value, claim) if figure.value > claim else None
    best = _at_best(figure.value * worth, worth, claim)
    return ItemsNeeded(
        claim,
        None if whole is None else _rounded_up((whole - worth) * clustering),
        None if best is None else _rounded_up(best * clustering),
    )


def _rounded_up(items: float) -> int:
    return max(1, math.ceil(items - 1e-6))  # what is a whole number but for rounding stays one


def _independent(share: float, low: float) -> float:
    """Items of which Wilson's lower bound of a share is `low`: where (share - low)^2 n = z^2 low (1 - low)."""
    if low <= 0:
        return 1.0
    return Z**2 * low * (1 - low) / max((share - low) ** 2, 1e-12)


def _at_best(right: float, n: float, claim: float) -> int | None:
    low, high = 1, _MOST
    if wilson_bounds((right + high) / (n + high), n + high).low < claim:
        return None
    while low < high:
        middle = (low + high) // 2
        if wilson_bounds((right + middle) / (n + middle), n + middle).low >= claim:
            high = middle
        else:
            low = middle + 1
    return low
