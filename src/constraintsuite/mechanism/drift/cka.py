"""Linear CKA: do two checkpoints place the same rows alike? Rotation and scale do not matter (Kornblith et al. 2019).

With fewer rows than dimensions, CKA by its first definition is near 1 for anything. The inner products are therefore taken
by the unbiased estimate of Song et al. (2012, equation 5).
"""

from __future__ import annotations

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.metrics.intervals import IntArray, clipped
from constraintsuite.metrics.resampling import jackknife
from constraintsuite.records.scores import Interval

FEWEST = 8
"""Rows below which nothing is said."""
_MOST_PARTS = 40  # left out in turn: of more clusters, several at once


def cka_interval(one: FloatArray, other: FloatArray, clusters: IntArray, rng: np.random.Generator) -> Interval:
    """CKA of rows (n, width) and (n, other width); without a value where one of the two does not vary.

    Its bounds are from the jackknife over clusters: rows that are drawn twice would be alike by themselves.
    """
    count = len(one)
    missing = Interval(None, None, None, count)
    if count < FEWEST:
        return missing
    a, b = _gram(one), _gram(other)
    value = _cka(a, b)
    if value is None:
        return missing
    without = [_cka(a[np.ix_(kept, kept)], b[np.ix_(kept, kept)]) for kept in _complements(_parts(clusters))]
    found = np.array([np.nan if each is None else each for each in without])
    return clipped(jackknife(value, found, count, rng=rng), -1.0, 1.0)


def _gram(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=0)  # changes no estimate, and keeps large means from eating digits
    gram: FloatArray = centred @ centred.T
    return gram


def _cka(one: FloatArray, other: FloatArray) -> float | None:
    if len(one) < 4:
        return None
    scale = _hsic(one, one) * _hsic(other, other)
    return float(_hsic(one, other) / np.sqrt(scale)) if scale > 0 else None


def _hsic(one: FloatArray, other: FloatArray) -> float:
    """Unbiased, up to the factor that all three of a CKA share; the diagonals are left out."""
    n = len(one)
    product = float((one * other).sum() - np.diag(one) @ np.diag(other))
    sums, other_sums = (gram.sum(axis=1) - np.diag(gram) for gram in (one, other))
    whole = float(sums.sum() * other_sums.sum()) / ((n - 1) * (n - 2))
    return product + whole - 2 * float(sums @ other_sums) / (n - 2)


def _parts(clusters: IntArray) -> IntArray:
    """Clusters dealt out to at most so many parts."""
    names, members = np.unique(clusters, return_inverse=True)
    if len(names) <= _MOST_PARTS:
        return members.astype(np.int64)
    order = sorted(range(len(names)), key=lambda number: stable_hash("jackknife", str(names[number])))
    part = np.empty(len(names), dtype=np.int64)
    part[order] = np.arange(len(names)) % _MOST_PARTS
    found: IntArray = part[members]
    return found


def _complements(parts: IntArray) -> list[IntArray]:
    return [np.flatnonzero(parts != part).astype(np.int64) for part in np.unique(parts)]
