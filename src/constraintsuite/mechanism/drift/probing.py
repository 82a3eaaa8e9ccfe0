"""A straight line along which "Y is excluded" can be read off, drawn in one checkpoint and held against others."""

from __future__ import annotations

import numpy as np

from constraintsuite.mechanism.effects.records import BoolArray, FloatArray
from constraintsuite.metrics.intervals import IntArray
from constraintsuite.metrics.resampling import estimate
from constraintsuite.records.scores import Interval

PENALTY = 0.1
"""Of the line's length, as a share of the differences' mean square: there are often fewer of them than dimensions."""


def fit_line(differences: FloatArray) -> FloatArray:
    """The direction along which all differences (clean less corrupt, a row each) are as near to 1 as a penalty lets them."""
    gram = differences @ differences.T
    scale = float(np.trace(gram)) / len(gram)
    weights = np.linalg.solve(gram + PENALTY * (scale or 1.0) * np.eye(len(gram)), np.ones(len(gram)))
    line: FloatArray = differences.T @ weights
    return line


def told_apart(line: FloatArray, differences: FloatArray, clusters: IntArray, rng: np.random.Generator) -> Interval:
    """Share of differences that point along the line; one that lies across it counts one half."""
    along = differences @ line
    right = np.where(along > 0, 1.0, np.where(along < 0, 0.0, 0.5))
    (found,) = estimate(right[:, np.newaxis], [True], clusters, rng=rng)
    return found


def usable(differences: FloatArray) -> BoolArray:
    """Rows without gaps: a contrast may lack a role."""
    whole: BoolArray = np.logical_and.reduce(np.isfinite(differences), axis=1)
    return whole
