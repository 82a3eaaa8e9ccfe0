"""Is the evidence there, within the budget, and before what is tempting and wrong?"""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.memory.cases.model import BenchmarkCase
from constraintsuite.memory.public.evidence import compare_sets, ranking_values

TOP = 3
"""So many places are looked at by `top3_recall`, whatever the budget."""
MetricValues = dict[str, float | None]


def evidence_values(case: BenchmarkCase, ranking: Sequence[str], budget: int) -> MetricValues:
    """Of the gold in the ranking: all at the budget, but for `top3_recall`."""
    gold = case.expectation.evidence_node_ids
    sets = compare_sets(ranking, gold)
    values = ranking_values(gold, ranking, [budget])
    found = len(set(gold).intersection(ranking))
    return {
        "evidence_hit": float(found >= case.expectation.minimum_evidence_matches),
        "hit": values[f"hit@{budget}"],
        "all_gold": values[f"all_gold@{budget}"],
        "evidence_recall": sets.recall,
        "evidence_precision": sets.precision if ranking else None,
        "evidence_f1": sets.f1,
        "top3_recall": len(set(gold).intersection(ranking[:TOP])) / len(gold),
        "mrr": values["mrr"],
        "ndcg": values[f"ndcg@{budget}"],
    }


def negatives_values(case: BenchmarkCase, ranking: Sequence[str]) -> MetricValues:
    """`hard_negatives_hit`: whether no hard negative ranks above the best placed evidence; a negative that was returned where
    no evidence was fails, and where neither was there is nothing to compare. `negative_order`: of the pairs of evidence
    and negative of which one was returned, the share in which the evidence is first."""
    places = {node: place for place, node in enumerate(ranking)}
    gold = [places.get(node) for node in case.expectation.evidence_node_ids]
    wrong = [places.get(node) for node in case.hard_negatives]
    first, tempting = (min((place for place in some if place is not None), default=None) for some in (gold, wrong))
    pairs = [_first(a, b) for a in gold for b in wrong if a is not None or b is not None]
    hit = None if not wrong or first is tempting is None else float(_first(first, tempting))
    return {"hard_negatives_hit": hit, "negative_order": sum(pairs) / len(pairs) if pairs else None}


def _first(right: int | None, wrong: int | None) -> bool:
    return right is not None and (wrong is None or right < wrong)
