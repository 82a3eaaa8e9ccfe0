"""What a comparison can find at all: the smallest difference that it would notice in four of five repetitions.

Two things set that limit. The spread: a difference must stand out from how much clusters of items differ among themselves
(mean / standard error, Student's t). And the number of clusters: with the two-sided sign-flip test on m clusters that differ, no p is
smaller than 2 / 2^m, so that at a level of 5 % at least six of them must change, whatever they show.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from constraintsuite.core.statistics.intervals import FloatArray, IntArray

POWER = 0.8


class Assumption(NamedTuple):
    """What two systems are taken to do, before there is any run."""

    disagreement: float
    """The share of items on which they come out differently."""
    correlation: float
    """How alike the differences of two items of one cluster are (intraclass correlation)."""


TYPICAL, CAUTIOUS = Assumption(0.075, 0.02), Assumption(0.2, 0.1)
"""The medians, and beyond the largest, of what we saw for the 18 pairs of four systems (BM25, tf-idf, a bi-encoder, a small
cross-encoder) on the bundled suite, an encyclopedic one and NevIR: disagreement 0.02 to 0.18, correlation -0.05 to 0.09."""


class Detection(NamedTuple):
    """What some items can show."""

    items: int
    clusters: int
    smallest: float | None
    """The smallest difference of a share that is found with a probability of 80 %; None where no difference can be."""


def detect_after(differences: FloatArray, clusters: IntArray, *, alpha: float, bounded: bool) -> Detection:
    """What a comparison that was made could have found, from the spread of its differences between clusters."""
    if not len(differences):
        return Detection(0, 0, None)
    _, members = np.unique(clusters, return_inverse=True)
    residuals = np.bincount(members, weights=differences - differences.mean())
    count = len(residuals)
    error = math.sqrt(count / max(count - 1, 1) * float(residuals @ residuals)) / len(differences)
    # Six clusters have changed when one item of each has.
    return Detection(len(differences), count, _smallest(error, count, alpha, len(differences) if bounded else None))


def detect_before(clusters: IntArray, *, alpha: float, assumed: Assumption = CAUTIOUS) -> Detection:
    """What a comparison of two systems on such items would find, if they do as is assumed.

    Clusters cost precision: with an intraclass correlation r, the variance of a mean over clusters of m items is 1 + (m - 1) r times
    that of independent items, where m is the mean size of the cluster that an item is in (Kish's design effect).
    """
    if not len(clusters):
        return Detection(0, 0, None)
    sizes = np.bincount(np.unique(clusters, return_inverse=True)[1])
    size = float((sizes**2).sum()) / len(clusters)
    error = math.sqrt(assumed.disagreement * (1 + (size - 1) * assumed.correlation) / len(clusters))
    return Detection(len(clusters), len(sizes), _smallest(error, len(sizes), alpha, len(clusters)))


def _smallest(error: float, clusters: int, alpha: float, units: int | None) -> float | None:
    """`units` is the number of items of which one must change in each of as many clusters as the test needs."""
    changed = math.floor(1 - math.log2(alpha)) + 1  # p must be below alpha, and not equal to it
    if clusters < changed:
        return None
    needed = (_student(1 - alpha / 2, clusters - 1) + _student(POWER, clusters - 1)) * error
    if units is None:
        return needed or None
    found = max(needed, changed / units)
    return found if found <= 1 else None


def _student(level: float, freedom: int) -> float:
    """A quantile of Student's t, by the expansion of Fisher and Cornish around that of the normal distribution."""
    z = NormalDist().inv_cdf(level)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
