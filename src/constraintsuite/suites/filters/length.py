"""Neither document can be told by its length."""

from __future__ import annotations

from constraintsuite.suites.filters.base import CheckedPair
from constraintsuite.suites.pairs.couples import length_ratio


def check(pair: CheckedPair) -> str | None:
    """Reject pairs of very unlike lengths."""
    ratio = length_ratio(len(pair.satisfying.text.split()), len(pair.violating.text.split()))
    return "length_ratio" if ratio > pair.pairs.max_length_ratio else None
