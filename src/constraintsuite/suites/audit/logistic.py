"""Logistic regression on sparse counts, in numpy alone: the classifier behind `query_blind`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from constraintsuite.suites.audit.base import FloatArray, IntArray
from constraintsuite.text.terms import words

_MOST_DIRECTIONS = 1_000


class SparseRows(NamedTuple):
    """A sparse matrix as its entries, sorted by row."""

    height: int
    width: int
    rows: IntArray  # (entries,)
    columns: IntArray  # (entries,)
    values: FloatArray  # (entries,)

    def times(self, weights: FloatArray) -> FloatArray:
        """Each row's weighted sum."""
        return _sums(self.rows, self.values * weights[self.columns], self.height)

    def transposed_times(self, weights: FloatArray) -> FloatArray:
        """Each column's weighted sum."""
        return _sums(self.columns, self.values * weights[self.rows], self.width)

    def take(self, rows: IntArray) -> SparseRows:
        """Some of the rows, each at most once, in the order given."""
        place = np.full(self.height, -1)
        place[rows] = np.arange(len(rows))
        kept = np.flatnonzero(place[self.rows] >= 0)
        kept = kept[np.argsort(place[self.rows[kept]], kind="stable")]
        return SparseRows(len(rows), self.width, place[self.rows[kept]], self.columns[kept], self.values[kept])

    def without_rare_columns(self) -> SparseRows:
        """The columns with an entry in at least two rows: nothing learnt from one row alone can help with another."""
        frequent = np.bincount(self.columns, minlength=self.width) > 1
        place = np.cumsum(frequent) - 1
        kept = frequent[self.columns]
        width = int(frequent.sum())
        return SparseRows(self.height, width, self.rows[kept], place[self.columns[kept]], self.values[kept])


def count_differences(pairs: Sequence[tuple[str, str]]) -> SparseRows:
    """For each pair of texts, how much more often each word and pair of neighbouring words stands in the first."""
    counts = {text: _grams(text) for text in dict.fromkeys(text for pair in pairs for text in pair)}
    index: dict[str, int] = {}
    rows, columns, values = [], [], []
    for row, (first, second) in enumerate(pairs):
        difference = counts[first].copy()
        difference.subtract(counts[second])
        for gram, value in difference.items():
            if value:
                rows.append(row)
                columns.append(index.setdefault(gram, len(index)))
                values.append(value)
    return SparseRows(
        len(pairs),
        len(index),
        np.asarray(rows, dtype=np.int64),
        np.asarray(columns, dtype=np.int64),
        np.asarray(values, dtype=np.float64),
    )


def fit_logistic(x: SparseRows, *, penalty: float = 10.0, tolerance: float = 0.1, steps: int = 100) -> FloatArray:
    """The weights w that make every row of x w positive: the minimum of sum(log(1 + exp(-x w))) + penalty / 2 |w|^2.

    Rows are differences (better minus worse), so there is neither an intercept nor a second class: a row turned round
    and labelled worse would add the same loss again. Newton's method; each step is found by conjugate gradients, and
    halved until the loss falls.
    """
    weights = np.zeros(x.width)
    loss = _loss(x, weights, penalty)
    for _ in range(steps):
        doubt = _logistic(-x.times(weights))
        downhill = x.transposed_times(doubt) - penalty * weights
        if np.abs(downhill).max(initial=0.0) < tolerance:
            break
        step = _newton_step(x, doubt * (1 - doubt), downhill, penalty)
        while (lower := _loss(x, weights + step, penalty)) > loss:
            if np.abs(step).max() < 1e-12:
                return weights  # as near as rounding allows
            step = step / 2
        weights, loss = weights + step, lower
    return weights


def _newton_step(x: SparseRows, curvature: FloatArray, downhill: FloatArray, penalty: float) -> FloatArray:
    """Conjugate gradients for (X' C X + penalty) step = downhill, as exact as the distance to the minimum deserves."""
    step = np.zeros_like(downhill)
    residual, direction = downhill, downhill
    square = float(residual @ residual)
    goal = square * max(1e-8, min(0.25, square**0.5)) ** 2
    for _ in range(_MOST_DIRECTIONS):
        if square <= goal:
            break
        bent = x.transposed_times(curvature * x.times(direction)) + penalty * direction
        length = square / float(direction @ bent)
        step = step + length * direction
        residual = residual - length * bent
        square, before = float(residual @ residual), square
        direction = residual + square / before * direction
    return step


def _loss(x: SparseRows, weights: FloatArray, penalty: float) -> float:
    return float(np.logaddexp(0, -x.times(weights)).sum() + penalty / 2 * (weights @ weights))


def _logistic(values: FloatArray) -> FloatArray:
    return np.exp(-np.logaddexp(0, -values))


def _sums(places: IntArray, values: FloatArray, size: int) -> FloatArray:
    return np.bincount(places, values, minlength=size).astype(np.float64, copy=False)


def _grams(text: str) -> Counter[str]:
    found = words(text)
    return Counter(found + [f"{first} {second}" for first, second in pairwise(found)])
