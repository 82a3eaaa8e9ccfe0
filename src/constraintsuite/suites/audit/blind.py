"""`query_blind`: a classifier that sees only the two documents. It should be at chance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example
from constraintsuite.suites.audit.solvers import FloatArray, IntArray, SolverTrial
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


def count_differences(pairs: Sequence[tuple[str, str]]) -> SparseRows:
    """One row per pair of texts: how much more often each word, and each pair of neighbours, occurs in the first text."""
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

    Rows are differences (better minus worse), so there is no intercept and no second class: a reversed row with the label
    "worse" would add the same loss again. Newton's method; conjugate gradients find each step, which is halved until the
    loss falls.
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
    """Solves (X' C X + penalty) step = downhill by conjugate gradients; the nearer to the minimum, the more exactly."""
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


def query_blind(
    examples: Sequence[Example], groups: IntArray, *, seed: int, repeats: int = 5, folds: int = 5
) -> SolverTrial:
    """How often a classifier that sees only the documents picks the satisfying one; whole groups are held out.

    Only one example of each couple takes part, drawn again in each repeat: with both, every row has its mirror image and
    training cancels out exactly. With fewer than two groups nothing can be held out, and the trial has no units.
    """
    couples = _couples(examples)
    wins, losses = np.zeros(len(couples)), np.zeros(len(couples))
    if len(np.unique(groups)) < 2:
        return SolverTrial((), groups[:0], wins[:0], losses[:0])
    differences = count_differences([(example.satisfying.text, example.violating.text) for example in examples])
    for repeat in range(repeats):
        key = (str(seed), "query_blind", str(repeat))
        drawn = np.array([members[stable_hash(*key, examples[members[0]].id) % len(members)] for members in couples])
        scores = _held_out_scores(differences.take(drawn).without_rare_columns(), deal(groups[drawn], folds, key))
        wins += scores > 0
        losses += scores < 0
    first = [members[0] for members in couples]
    return SolverTrial(tuple(examples[i] for i in first), groups[first], wins / repeats, losses / repeats)


def deal(groups: IntArray, folds: int, key: tuple[str, ...]) -> IntArray:
    """The fold of each item: groups are not split, and the largest come first, each into the fold with the fewest items."""
    labels, item_group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = sorted(range(len(labels)), key=lambda i: (-sizes[i], stable_hash(*key, str(labels[i]))))
    filled = np.zeros(min(folds, len(labels)), dtype=np.int64)
    fold_of = np.zeros(len(labels), dtype=np.int64)
    for group in order:
        fold_of[group] = np.argmin(filled)
        filled[fold_of[group]] += sizes[group]
    return fold_of[item_group]


def _held_out_scores(x: SparseRows, fold: IntArray) -> FloatArray:
    scores = np.zeros(x.height)
    for held_out in np.unique(fold):
        weights = fit_logistic(x.take(np.flatnonzero(fold != held_out)))
        test = np.flatnonzero(fold == held_out)
        scores[test] = x.take(test).times(weights)
    return scores


def _couples(examples: Sequence[Example]) -> list[list[int]]:
    """The places of the examples of each couple; an example without a couple is a couple by itself."""
    members: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, example in enumerate(examples):
        members[example.couple, "" if example.couple else example.id].append(place)
    return list(members.values())
