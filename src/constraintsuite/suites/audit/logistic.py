"""A linear classifier of texts in numpy: counts of words and of neighbouring words, and logistic regression with held-out folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.statistics.intervals import FloatArray, IntArray
from constraintsuite.text.terms import words

_MOST_DIRECTIONS = 1_000
FOLDS = 5


class SparseRows(NamedTuple):
    """A sparse matrix as its entries, sorted by row."""

    height: int
    width: int
    rows: IntArray  # (entries,)
    columns: IntArray  # (entries,)
    values: FloatArray  # (entries,)

    @staticmethod
    def of_counts(counts: Sequence[Mapping[str, float]]) -> SparseRows:
        """One row for each mapping from features to values; values of 0 are left out."""
        index: dict[str, int] = {}
        rows, columns, values = [], [], []
        for row, features in enumerate(counts):
            for feature, value in features.items():
                if value:
                    rows.append(row)
                    columns.append(index.setdefault(feature, len(index)))
                    values.append(value)
        return SparseRows(
            len(counts),
            len(index),
            np.asarray(rows, dtype=np.int64),
            np.asarray(columns, dtype=np.int64),
            np.asarray(values, dtype=np.float64),
        )

    def times(self, weights: FloatArray) -> FloatArray:
        """The matrix times a vector: one weighted sum for each row."""
        return _sums(self.rows, self.values * weights[self.columns], self.height)

    def transposed_times(self, weights: FloatArray) -> FloatArray:
        """The transposed matrix times a vector: one weighted sum for each column."""
        return _sums(self.columns, self.values * weights[self.rows], self.width)

    def take(self, rows: IntArray) -> SparseRows:
        """The matrix of some rows, in the order given; no row may be given twice."""
        place = np.full(self.height, -1)
        place[rows] = np.arange(len(rows))
        kept = np.flatnonzero(place[self.rows] >= 0)
        kept = kept[np.argsort(place[self.rows[kept]], kind="stable")]
        return SparseRows(len(rows), self.width, place[self.rows[kept]], self.columns[kept], self.values[kept])

    def without_rare_columns(self) -> SparseRows:
        """The matrix of the columns that have entries in two rows or more: what only one row has cannot help with another."""
        frequent = np.bincount(self.columns, minlength=self.width) > 1
        place = np.cumsum(frequent) - 1
        kept = frequent[self.columns]
        width = int(frequent.sum())
        return SparseRows(self.height, width, self.rows[kept], place[self.columns[kept]], self.values[kept])

    def scaled(self, factors: FloatArray) -> SparseRows:
        """The matrix with each row multiplied by its factor."""
        return self._replace(values=self.values * factors[self.rows])


def count_grams(text: str) -> Counter[str]:
    """How often each word, and each pair of neighbouring words, occurs in a text."""
    found = words(text)
    return Counter(found + [f"{first} {second}" for first, second in pairwise(found)])


def count_differences(pairs: Sequence[tuple[str, str]]) -> SparseRows:
    """One row per pair of texts: how much more often each word, and each pair of neighbours, occurs in the first text."""
    counts = {text: count_grams(text) for text in dict.fromkeys(text for pair in pairs for text in pair)}
    differences = []
    for first, second in pairs:
        difference = counts[first].copy()
        difference.subtract(counts[second])
        differences.append(difference)
    return SparseRows.of_counts(differences)


def fit_logistic(x: SparseRows, *, penalty: float = 10.0, tolerance: float = 0.1, steps: int = 100) -> FloatArray:
    """The weights w that make every row of x w positive: the minimum of sum(log(1 + exp(-x w))) + penalty / 2 |w|^2.

    Rows are differences (better minus worse), or rows of the second class with their signs reversed, so there is no label.
    Newton's method; each step is halved until the loss falls. At the minimum w is x' a for some vector a, so that all
    but the products with x is done with one number per row: there are far fewer rows than columns.
    """
    shares = np.zeros(x.height)  # the vector a
    margins = np.zeros(x.height)  # x w
    loss = _loss(margins, shares, penalty)
    for _ in range(steps):
        doubt = _logistic(-margins)
        residual = doubt - penalty * shares
        downhill = x.transposed_times(residual)
        if np.abs(downhill).max(initial=0.0) < tolerance:
            break
        step = _newton_step(x, doubt * (1 - doubt), residual, x.times(downhill), penalty)
        ahead = x.times(x.transposed_times(step))
        while (lower := _loss(margins + ahead, shares + step, penalty)) > loss:
            if np.abs(step).max() < 1e-12:
                return x.transposed_times(shares)  # as near as rounding allows
            step, ahead = step / 2, ahead / 2
        shares, margins, loss = shares + step, margins + ahead, lower
    return x.transposed_times(shares)


def _newton_step(
    x: SparseRows, curvature: FloatArray, residual: FloatArray, downhill: FloatArray, penalty: float
) -> FloatArray:
    """The step of the vector a: b with (C X X' + penalty) b = residual; `downhill` is X X' residual.

    With b = (residual - R y) / penalty and R the root of C, y solves the symmetric equations (R X X' R + penalty) y = R downhill.
    Conjugate gradients find it; the nearer to the minimum, the more exactly.
    """
    root = np.sqrt(curvature)
    found, rest = np.zeros_like(residual), root * downhill
    direction = rest
    square = float(rest @ rest)
    exactness = max(1e-8, min(0.25, float(residual @ downhill) ** 0.5))
    goal = (exactness * penalty) ** 2 * float(residual @ residual)
    for _ in range(_MOST_DIRECTIONS):
        if square <= goal:
            break
        bent = root * x.times(x.transposed_times(root * direction)) + penalty * direction
        length = square / float(direction @ bent)
        found = found + length * direction
        rest = rest - length * bent
        square, before = float(rest @ rest), square
        direction = rest + square / before * direction
    return (residual - root * found) / penalty


def _loss(margins: FloatArray, shares: FloatArray, penalty: float) -> float:
    return float(np.logaddexp(0, -margins).sum() + penalty / 2 * (shares @ margins))


def _logistic(values: FloatArray) -> FloatArray:
    return np.exp(-np.logaddexp(0, -values))


def _sums(places: IntArray, values: FloatArray, size: int) -> FloatArray:
    return np.bincount(places, values, minlength=size).astype(np.float64, copy=False)


def held_out_weights(
    x: SparseRows, groups: IntArray, key: tuple[str, ...], *, penalty: float = 10.0
) -> list[tuple[IntArray, FloatArray]]:
    """For each fold, its rows and the weights that were fitted on all other rows; groups stay whole."""
    fold = deal(groups, FOLDS, key)
    return [
        (np.flatnonzero(fold == held_out), fit_logistic(x.take(np.flatnonzero(fold != held_out)), penalty=penalty))
        for held_out in np.unique(fold)
    ]


def held_out_scores(x: SparseRows, groups: IntArray, key: tuple[str, ...]) -> FloatArray:
    """What the weights fitted on the other folds give for each row."""
    scores = np.zeros(x.height)
    for rows, weights in held_out_weights(x, groups, key):
        scores[rows] = x.take(rows).times(weights)
    return scores


def deal(groups: IntArray, folds: int, key: tuple[str, ...]) -> IntArray:
    """The fold of each item: groups stay whole, and the largest come first, each into the fold with the fewest items."""
    labels, item_group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = sorted(range(len(labels)), key=lambda i: (-sizes[i], stable_hash(*key, str(labels[i]))))
    filled = np.zeros(min(folds, len(labels)), dtype=np.int64)
    fold_of = np.zeros(len(labels), dtype=np.int64)
    for group in order:
        fold_of[group] = np.argmin(filled)
        filled[fold_of[group]] += sizes[group]
    return fold_of[item_group]
