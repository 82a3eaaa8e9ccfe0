"""How alike two rankings of the same sites are, and what chance would share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.metrics.intervals import IntArray

PERSISTENCE = 0.9
"""Of a reader who goes from one rank to the next, in rank-biased overlap: the first ten ranks have 86 % of the weight."""


def order_of(importance: FloatArray) -> IntArray:
    """Places of the sites, the most important first; of equal ones, in the order given."""
    order: IntArray = np.argsort(-importance, kind="stable").astype(np.int64)
    return order


def top_sites(importance: FloatArray, count: int) -> frozenset[int]:
    """Places of the most important sites."""
    return frozenset(order_of(importance)[:count].tolist())


def rank_biased_overlap(one: FloatArray, other: FloatArray, persistence: float = PERSISTENCE) -> float:
    """Extrapolated RBO of two complete rankings (Webber, Moffat & Zobel 2010, equation 23 at full depth)."""
    # A site is shared from the depth on at which the later of the two rankings has come to it.
    later = np.maximum(_places(one), _places(other))
    return _biased(np.bincount(later, minlength=len(one)).cumsum() / np.arange(1, len(one) + 1), persistence)


def chance_overlap(sites: int) -> float:
    """The mean of that over rankings by chance: to depth d they share d of every `sites` on average."""
    return _biased(np.arange(1, sites + 1) / sites, PERSISTENCE)


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Members of both by members of either."""
    return len(one & other) / len(one | other)


def chance_jaccard(sites: int, count: int) -> float:
    """The mean over two circuits of `count` out of `sites`, both drawn by chance."""
    return float(sum(chance * Fraction(k, 2 * count - k) for k, chance in enumerate(_shared(sites, count))))


def chance_of_sharing(sites: int, count: int, shared: int) -> float:
    """That two circuits drawn by chance share so many sites or more."""
    return float(sum(_shared(sites, count)[shared:], Fraction(0)))


def weighted_overlap(one: FloatArray, other: FloatArray) -> float:
    """What two distributions of importance have at the same sites, by what either has (Ruzicka)."""
    a, b = _mass(one), _mass(other)
    return float(np.minimum(a, b).sum() / np.maximum(a, b).sum())


def moved_mass(one: FloatArray, other: FloatArray, layers: IntArray) -> float:
    """How far importance must be carried from layer to layer to make one distribution the other, in layers."""
    count = int(layers.max()) + 1
    a, b = (np.bincount(layers, weights=_mass(values), minlength=count) for values in (one, other))
    return float(np.abs(np.cumsum(a - b)).sum())


def _biased(shared: FloatArray, persistence: float) -> float:
    """Shares of common sites at each depth, weighted by who still reads there; what lies deeper is as the deepest."""
    weights = persistence ** np.arange(1, len(shared) + 1)
    return float(shared[-1] * weights[-1] + (1 - persistence) / persistence * (shared @ weights))


def _places(importance: FloatArray) -> IntArray:
    places = np.empty(len(importance), dtype=np.int64)
    places[order_of(importance)] = np.arange(len(importance))
    return places


def _mass(importance: FloatArray) -> FloatArray:
    total = importance.sum()
    return importance / total if total > 0 else np.full(len(importance), 1 / len(importance))


def _shared(sites: int, count: int) -> Sequence[Fraction]:
    """The chance of sharing 0, 1, ... `count` sites, exactly."""
    ways = math.comb(sites, count)
    return [
        Fraction(math.comb(count, k) * math.comb(sites - count, count - k), ways)
        if count - k <= sites - count
        else Fraction(0)
        for k in range(count + 1)
    ]
