"""How much of the gold a ranking holds within a budget: the measures that every benchmark shares."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from constraintsuite.memory.public.base import MetricValues


class SetScores(NamedTuple):
    """A set of predicted things against the gold ones."""

    em: float
    """1 if the two are the same set."""
    precision: float
    recall: float
    f1: float


def compare_sets(predicted: Collection[str], gold: Collection[str]) -> SetScores:
    """Scores of two sets, as HotpotQA's evaluation has them: what cannot be divided is 0."""
    mine, theirs = set(predicted), set(gold)
    shared = len(mine & theirs)
    precision = shared / len(mine) if mine else 0.0
    recall = shared / len(theirs) if theirs else 0.0
    return SetScores(float(mine == theirs), precision, recall, harmonic(precision, recall))


def harmonic(precision: float, recall: float) -> float:
    """F1; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def cutoffs_of(cutoffs: Sequence[int], budget: int) -> list[int]:
    """The cut-offs that a ranking of `budget` places can answer for, and the budget itself."""
    return sorted({k for k in cutoffs if k < budget} | {budget})


def ranking_values(gold: Collection[str], ranking: Sequence[str], cutoffs: Sequence[int]) -> MetricValues:
    """`hit`, `recall`, `all_gold` and `ndcg` at each cut-off, and `mrr`; None for an item without gold."""
    wanted = set(gold)
    values: MetricValues = {}
    for k in cutoffs:
        found = len(wanted.intersection(ranking[:k]))
        values[f"hit@{k}"] = float(found > 0) if wanted else None
        values[f"recall@{k}"] = found / len(wanted) if wanted else None
        values[f"all_gold@{k}"] = float(found == len(wanted)) if wanted else None
        values[f"ndcg@{k}"] = _ndcg(wanted, ranking[:k], k) if wanted else None
    first = next((place for place, name in enumerate(ranking, 1) if name in wanted), None)
    values["mrr"] = (1 / first if first else 0.0) if wanted else None
    return values


def _ndcg(wanted: Collection[str], ranking: Sequence[str], k: int) -> float:
    """With the usual discount log2(rank + 1), which is not LongMemEval's."""
    gained = sum(1 / math.log2(place + 1) for place, name in enumerate(ranking, 1) if name in wanted)
    return gained / sum(1 / math.log2(place + 1) for place in range(1, min(len(wanted), k) + 1))
