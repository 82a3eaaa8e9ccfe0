"""How alike two rankings of the same sites are, and what chance would share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.metrics.intervals import IntArray


def order_of(importance: FloatArray) -> IntArray:
    """Places of the sites, the most important first; of equal ones, in the order given."""
    order: IntArray = np.argsort(-importance, kind="stable").astype(np.int64)
    return order


def top_sites(importance: FloatArray, count: int) -> frozenset[int]:
    """Places of the most important sites."""
    return frozenset(order_of(importance)[:count].tolist())


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
