"""Tests of paired differences between two systems on the same items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from constraintsuite.core.statistics.intervals import FloatArray, IntArray
from constraintsuite.core.statistics.resampling import all_signs, draw_signs, sum_by_cluster

EXACT_CLUSTERS = 15
"""Up to this number of clusters that differ, all 2^15 exchanges of the two systems are tried."""
PERMUTATIONS = 10_000
_ROUNDING = 1e-9  # relative; sums that differ by less are equal but were added in another order


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test, a binomial test of the discordant items (no mid-p, no chi-square).

    It treats items as independent. If they share documents, use `sign_flip`.
    """
    tosses = only_first + only_second
    tail = sum(math.comb(tosses, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**tosses)))


def sign_flip(
    differences: FloatArray,  # (items,)
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = PERMUTATIONS,
) -> float:
    """The two-sided p of the mean difference, if the two systems can be exchanged at random in each cluster.

    It is exact, by enumeration, if few clusters differ. Otherwise it is estimated from random draws, among which the observed
    one is counted, so that p is never 0 and never too small (Phipson & Smyth 2010).
    """
    return float(max_t(differences[:, np.newaxis], clusters, rng=rng, draws=draws).p[0])


class MaxT(NamedTuple):
    """A test of each column, corrected for the number of columns."""

    t: FloatArray
    """The sum over clusters divided by the root of the sum of squares."""
    p: FloatArray
    """Two-sided: the share of draws in which the largest |t| of any column is as large (Westfall & Young 1993)."""


def max_t(
    differences: FloatArray,  # (items, columns), without gaps
    clusters: IntArray,  # (items,)
    *,
    rng: np.random.Generator,
    draws: int = PERMUTATIONS,
) -> MaxT:
    """The sign-flip test of many columns at once; a cluster exchanges the two systems in all columns together."""
    scaled = _scaled_sums(differences, clusters)
    scaled = scaled[(np.abs(scaled) > _ROUNDING).any(axis=1)]  # exchanges in other clusters have no effect
    groups, columns = scaled.shape
    t = scaled.sum(axis=0)
    if not groups:
        return MaxT(t, np.ones(columns))
    exact = groups <= EXACT_CLUSTERS
    rows = [all_signs(groups)] if exact else draw_signs(groups, rng, draws)
    largest = np.sort(np.concatenate([np.abs(signs @ scaled).max(axis=1) for signs in rows]))
    beyond = len(largest) - np.searchsorted(largest, np.abs(t) - _ROUNDING, side="left")
    p = beyond / len(largest) if exact else (1 + beyond) / (1 + len(largest))
    return MaxT(t, np.where((scaled != 0).any(axis=0), p, 1.0))


def cluster_t(differences: FloatArray, clusters: IntArray) -> FloatArray:
    """The t of each column, as in `MaxT`."""
    t: FloatArray = _scaled_sums(differences, clusters).sum(axis=0)
    return t


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p corrected for the number of tests (Holm 1979), in the given order."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def _scaled_sums(differences: FloatArray, clusters: IntArray) -> FloatArray:
    """Sums over clusters, (clusters, columns), divided by the root of their sum of squares, which signs do not change."""
    sums = sum_by_cluster(differences, clusters)
    norms = np.sqrt((sums * sums).sum(axis=0))
    scaled: FloatArray = sums / np.where(norms > 0, norms, 1.0)
    return scaled
