"""Estimate how many more items must be judged until the lower bound of a share reaches a claim."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import Z, wilson_bounds

CLAIM = 0.9
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class ItemsNeeded:
    """How many more items must be judged until the lower bound of a share reaches a claim; 0 if it does already."""

    claim: float
    at_this_rate: int | None
    """If the share stays as it is. None if the share is unknown or not above the claim: then no number is enough."""
    at_best: int | None
    """If all further items are right. None if that would be more than a million."""

    def __str__(self) -> str:
        if self.at_this_rate == 0:
            return f"the lower bound is {percent(self.claim)} or more"
        if self.at_this_rate is None and self.at_best is None:
            return "too little is known to say how many more items it takes"
        if self.at_this_rate is None:
            return (
                f"with the present share, the lower bound cannot reach {percent(self.claim)}; it would after {self.at_best:,} more "
                "items if all of them were right"
            )
        return f"about {self.at_this_rate:,} more items for a lower bound of {percent(self.claim)}"


def items_needed(figure: Interval, claim: float = CLAIM) -> ItemsNeeded:
    """Estimate the items needed from a share and the interval that is shown with it, so that the two never disagree.

    An interval over clustered items is as wide as Wilson's over fewer independent ones. Further items are taken to be as
    clustered as these. Checking the bound after every item (optional stopping) makes it slightly too optimistic.
    """
    if figure.value is None or figure.low is None:
        return ItemsNeeded(claim, None, None)
    if figure.low >= claim:
        return ItemsNeeded(claim, 0, 0)
    independent = _independent(figure.value, figure.low)
    per_item = figure.n / independent
    enough = _independent(figure.value, claim) if figure.value > claim else None
    best = _at_best(figure.value * independent, independent, claim)
    return ItemsNeeded(
        claim,
        None if enough is None else _round_up((enough - independent) * per_item),
        None if best is None else _round_up(best * per_item),
    )


def _round_up(items: float) -> int:
    return max(1, math.ceil(items - 1e-6))  # less what floating point adds to an integer


def _independent(share: float, low: float) -> float:
    """The number of independent items n for which Wilson's lower bound of `share` is `low`.

    Wilson's bounds solve (share - low)^2 n = z^2 low (1 - low).
    """
    if low <= 0:
        return 1.0
    return Z**2 * low * (1 - low) / max((share - low) ** 2, 1e-12)


def _at_best(right: float, n: float, claim: float) -> int | None:
    """The smallest number of further right items that lifts the lower bound to the claim."""

    def reaches(more: int) -> bool:
        return wilson_bounds((right + more) / (n + more), n + more).low >= claim

    found = bisect_left(range(_MOST), x=True, lo=1, key=reaches)
    return found if reaches(found) else None
