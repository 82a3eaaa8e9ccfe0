"""From scores to results: which document each query should prefer, and which it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from constraintsuite.evaluate.scoring import Scores, queries_of
from constraintsuite.metrics.pairwise import PairResult, outcome_of
from constraintsuite.records.examples import Example
from constraintsuite.records.scores import Preference

_BETTER_UNDER_BASE = {"neg_over_pos": "neg", "pos_over_neg": "pos"}


def preferences_of(example: Example) -> dict[str, Preference]:
    """What a right ranking of the example's two texts is, by the role of the query; `topic` states nothing."""
    better = {
        "neg": "pos",
        "base": _BETTER_UNDER_BASE.get(example.labels.pairwise_preference_for_query_base),
        "twin": "neg",
    }
    pos, neg = example.docs.pos.text, example.docs.neg.text
    return {
        role: Preference(example.id, role, query, *((pos, neg) if better[role] == "pos" else (neg, pos)))
        for role, query in queries_of(example).items()
        if better.get(role)
    }


def judge(example: Example, scores: Scores) -> PairResult:
    """The result of one example, for itself."""
    preferences = preferences_of(example)
    outcomes = {
        role: outcome_of(scores[p.query, p.better], scores[p.query, p.worse]) for role, p in preferences.items()
    }
    pos, neg = example.docs.pos.text, example.docs.neg.text
    gaps = {role: scores[query, pos] - scores[query, neg] for role, query in queries_of(example).items()}
    opposite = "base" in outcomes and example.labels.pairwise_preference_for_query_base == "neg_over_pos"
    return PairResult(
        id=example.id,
        slice=example.suite,
        couple=example.couple,
        neg=outcomes["neg"],
        base=outcomes.get("base"),
        twin=outcomes.get("twin"),
        paired=outcomes["neg"] == outcomes["base"] == "right" if opposite else None,
        tie="tie" in outcomes.values(),
        gap_neg=gaps["neg"],
        gap_base=gaps.get("base"),
        gap_topic=gaps.get("topic"),
        gap_twin=gaps.get("twin"),
        invariant=None,
    )


def judge_all(examples: Sequence[Example], controls: Sequence[Example], scores: Scores) -> list[PairResult]:
    """The results of all examples, then of all controls; a non-flip control is compared with its original."""
    results = {example.id: judge(example, scores) for example in examples}
    for control in controls:
        result = judge(control, scores)
        original = results.get(control.control.of) if control.control else None
        if control.suite == "controls_nonflip" and original is not None:
            result = replace(result, invariant=result.neg == original.neg)
        results[control.id] = result
    return list(results.values())
