"""The smallest difference that a comparison detects with a probability of 80 %.

Two things limit it. A difference must stand out from the spread between clusters (Student's t on mean / standard error). And
enough clusters must change: with the two-sided sign-flip test on m clusters that differ, no p is smaller than 2 / 2^m, so that at
a level of 5 % at least six clusters must change.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from constraintsuite.core.statistics.intervals import FloatArray, IntArray

POWER = 0.8


class Assumption(NamedTuple):
    """What is assumed about two systems before there is a run."""

    disagreement: float
    """The share of items on which their outcomes differ."""
    correlation: float
    """The correlation of the differences of two items of one cluster (intraclass correlation)."""


TYPICAL, CAUTIOUS = Assumption(0.075, 0.02), Assumption(0.2, 0.1)
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


def detect_before(clusters: IntArray, *, alpha: float, assumed: Assumption = CAUTIOUS) -> float | None:
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
