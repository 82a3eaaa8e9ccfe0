"""Tests of paired differences: are two models really different on the same items?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from constraintsuite.metrics.intervals import FloatArray, IntArray

EXACT_CLUSTERS = 15
"""Up to this many clusters that differ, every way to exchange the two models is looked at: 2^15 of them."""
PERMUTATIONS = 10_000
_CELLS = 4_000_000  # of the matrix of signs that is in memory at a time
_ROUNDING = 1e-9  # relative; sums that differ by less are the same sum added in another order


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test: the discordant items are tosses of a fair coin (no mid-p, no chi-square).

    It takes items as independent; where they share documents, `sign_flip` is the test to trust.
    """
    tosses, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(tosses, k) for k in range(fewer + 1))
    return min(1.0, float(Fraction(2 * tail, 2**tosses)))


def sign_flip(
    differences: FloatArray,  # (items,)
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = PERMUTATIONS,
) -> float:
    """The two-sided p of the mean difference when in each cluster the two models may as well have been exchanged.

    Exact by enumeration for few clusters that differ; else from random draws, the observed one counted among them, so
    that p is never 0 and never too small (Phipson & Smyth 2010).
    """
    _, members = np.unique(clusters, return_inverse=True)
    sums = np.bincount(members, weights=differences) if len(differences) else np.empty(0)
    scale = float(np.abs(sums).sum())
    sums = sums[np.abs(sums) > _ROUNDING * scale]  # an exchange in the others changes nothing
    if not len(sums):
        return 1.0
    reached = abs(float(sums.sum())) - _ROUNDING * scale
    if len(sums) <= EXACT_CLUSTERS:
        return float((np.abs(_all_signs(len(sums)) @ sums) >= reached).mean())
    beyond = sum(int((np.abs(signs @ sums) >= reached).sum()) for signs in _random_signs(len(sums), rng, draws))
    return (1 + beyond) / (1 + draws)


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p corrected for having made all these tests (Holm 1979), in the given order."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def _all_signs(clusters: int) -> FloatArray:
    """Every row of signs; by symmetry those with a plus in the first place are enough."""
    rows = np.arange(2 ** (clusters - 1))[:, np.newaxis] >> np.arange(clusters) & 1
    return (1 - 2 * rows[:, ::-1]).astype(np.float64)


def _random_signs(clusters: int, rng: np.random.Generator, draws: int) -> Iterator[FloatArray]:
    block = max(1, _CELLS // clusters)
    for start in range(0, draws, block):
        shape = (min(block, draws - start), clusters)
        yield (1 - 2 * rng.integers(2, size=shape, dtype=np.int8)).astype(np.float64)
