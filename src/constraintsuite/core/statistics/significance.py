"""Tests of paired differences between two systems on the same items, and the smallest difference that they detect.

Two things limit what a comparison detects with a probability of 80 %. A difference must stand out from the spread between clusters
(Student's t on mean / standard error). And enough clusters must change: with the two-sided sign-flip test on m clusters that
differ, no p is smaller than 2 / 2^m, so at a level of 5 % at least six clusters must change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from constraintsuite.core.statistics.intervals import FloatArray, IntArray
from constraintsuite.core.statistics.resampling import all_signs, draw_signs, sum_by_cluster

EXACT_CLUSTERS = 15
"""Up to this number of clusters that differ, all 2^15 exchanges of the two systems are tried."""
PERMUTATIONS = 10_000
POWER = 0.8
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
    one is counted, so p is never 0 and never too small (Phipson & Smyth 2010).
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


class Assumption(NamedTuple):
    """What is assumed about two systems before there is a run."""

    disagreement: float
    """The share of items on which their outcomes differ."""
    correlation: float
    """The correlation of the differences of two items of one cluster (intraclass correlation)."""


TYPICAL, PESSIMISTIC = Assumption(0.075, 0.02), Assumption(0.2, 0.1)
"""The medians, and values above the largest, of 18 pairs of systems (BM25, tf-idf, a bi-encoder, a small cross-encoder) on the
bundled suite, an encyclopedic one and NevIR: disagreement 0.02 to 0.18, correlation -0.05 to 0.09."""


def detect_after(differences: FloatArray, clusters: IntArray, *, alpha: float, bounded: bool) -> float | None:
    """What a finished comparison could detect, from the spread of its differences between clusters.

    None if its items cannot show any difference.
    """
    if not len(differences):
        return None
    _, members = np.unique(clusters, return_inverse=True)
    residuals = np.bincount(members, weights=differences - differences.mean())
    count = len(residuals)
    error = math.sqrt(count / max(count - 1, 1) * float(residuals @ residuals)) / len(differences)
    # A cluster has changed if one of its items has.
    return _smallest(error, count, alpha, len(differences) if bounded else None)


def detect_before(clusters: IntArray, *, alpha: float, assumed: Assumption = PESSIMISTIC) -> float | None:
    """What a comparison on these items will detect, under an assumption about the two systems.

    With an intraclass correlation r, the variance of a mean over clusters of m items is 1 + (m - 1) r times that of independent
    items, where m is the mean size of the cluster of an item (Kish's design effect).
    """
    if not len(clusters):
        return None
    sizes = np.bincount(np.unique(clusters, return_inverse=True)[1])
    size = float((sizes**2).sum()) / len(clusters)
    error = math.sqrt(assumed.disagreement * (1 + (size - 1) * assumed.correlation) / len(clusters))
    return _smallest(error, len(sizes), alpha, len(clusters))


def _smallest(error: float, clusters: int, alpha: float, units: int | None) -> float | None:
    """`units` is the number of items of a bounded metric: one item must change in each cluster that the test needs."""
    changed = math.floor(1 - math.log2(alpha)) + 1  # p must be below alpha, and not equal to it
    if clusters < changed:
        return None
    needed = (_student(1 - alpha / 2, clusters - 1) + _student(POWER, clusters - 1)) * error
    if units is None:
        return needed or None
    found = max(needed, changed / units)
    return found if found <= 1 else None


def _student(level: float, freedom: int) -> float:
    """A quantile of Student's t, by the Cornish-Fisher expansion around the normal distribution."""
    z = NormalDist().inv_cdf(level)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
