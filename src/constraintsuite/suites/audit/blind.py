"""`query_blind`: a classifier that sees only the two documents, and should therefore be at chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import Example
from constraintsuite.suites.audit.base import FloatArray, IntArray, SolverTrial
from constraintsuite.suites.audit.logistic import SparseRows, count_differences, fit_logistic


def query_blind(
    examples: Sequence[Example], groups: IntArray, *, seed: int, repeats: int = 5, folds: int = 5
) -> SolverTrial:
    """How often the documents alone tell the satisfying one from the violating one, by cross-validation with whole groups held out.

    Only one example of each couple takes part, drawn anew in each repeat: with both, every row has its mirror and
    training cancels exactly. With fewer than two groups nothing can be held out, and there are no units.
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
    """The fold of each item: groups stay whole, the largest are dealt first, each to the fold with fewest items."""
    labels, item_group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = sorted(range(len(labels)), key=lambda i: (-sizes[i], stable_hash(*key, str(labels[i]))))
    held = np.zeros(min(folds, len(labels)), dtype=np.int64)
    fold_of = np.zeros(len(labels), dtype=np.int64)
    for group in order:
        fold_of[group] = np.argmin(held)
        held[fold_of[group]] += sizes[group]
    return fold_of[item_group]


def _held_out_scores(x: SparseRows, fold: IntArray) -> FloatArray:
    scores = np.zeros(x.height)
    for held_out in np.unique(fold):
        weights = fit_logistic(x.take(np.flatnonzero(fold != held_out)))
        test = np.flatnonzero(fold == held_out)
        scores[test] = x.take(test).times(weights)
    return scores


def _couples(examples: Sequence[Example]) -> list[list[int]]:
    """The places of the examples of each couple; an example without one is a couple by itself."""
    members: dict[tuple[str, str], list[int]] = {}
    for place, example in enumerate(examples):
        key = ("couple", example.couple) if example.couple else ("single", example.id)
        members.setdefault(key, []).append(place)
    return list(members.values())
