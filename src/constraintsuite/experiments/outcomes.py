"""From scores to results: which document each query should prefer, and which it did."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from constraintsuite.experiments.scoring import Scores, queries_of
from constraintsuite.metrics.pairwise import PairResult
from constraintsuite.metrics.ties import STRICT, Candidate, TieRule
from constraintsuite.records.examples import Example, ExampleDocument
from constraintsuite.records.scores import Preference

_BETTER_UNDER_BASE = {"neg_over_pos": "neg", "pos_over_neg": "pos"}


def preferences_of(example: Example) -> dict[str, Preference]:
    """What a right ranking of the example's two texts is, by the role of the query; `topic` states nothing."""
    return {
        role: Preference(example.id, role, queries_of(example)[role], better.text, worse.text)
        for role, (better, worse) in _sides(example).items()
    }


def keep_queries(example: Example, roles: Collection[str]) -> Example:
    """The example with the queries of these roles only; `neg` it always has."""
    query, control = example.query, example.control
    query = replace(query, base=query.base if "base" in roles else "", topic=query.topic if "topic" in roles else "")
    if control is not None and "twin" not in roles:
        control = replace(control, twin_query="")
    return replace(example, query=query, control=control)


def judge(example: Example, scores: Scores, rule: TieRule = STRICT, unit: float | None = None) -> PairResult:
    """The result of one example, for itself."""
    queries, sides = queries_of(example), _sides(example)
    outcomes = {
        role: rule.outcome(scores[queries[role], better.text], scores[queries[role], worse.text])
        for role, (better, worse) in sides.items()
    }
    pos, neg = example.docs.pos.text, example.docs.neg.text
    scored = {role: query for role, query in queries.items() if role in sides or (query, pos) in scores}
    gaps = {role: scores[query, pos] - scores[query, neg] for role, query in scored.items()}
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
        unit=unit,
        tied={
            role: credit
            for role, outcome in outcomes.items()
            if outcome == "tie" and (credit := rule.credit(queries[role], *map(_candidate, sides[role])))
        },
    )


def gaps_of(result: PairResult) -> dict[str, float]:
    """The gaps of a result by the role of the query, of those that were scored."""
    gaps = {
        "neg": result.gap_neg,
        "base": result.gap_base,
        "topic": result.gap_topic,
        "twin": result.gap_twin,
    }
    return {role: gap for role, gap in gaps.items() if gap is not None}


def judge_all(
    examples: Sequence[Example], controls: Sequence[Example], scores: Scores, rule: TieRule = STRICT
) -> list[PairResult]:
    """The results of all examples, then of all controls; a non-flip control is compared with its original."""
    unit = deviation(scores.values())
    results = {example.id: judge(example, scores, rule, unit) for example in examples}
    for control in controls:
        result = judge(control, scores, rule, unit)
        original = results.get(control.control.of) if control.control else None
        if control.suite == "controls_nonflip" and original is not None:
            both = {result.neg, original.neg}
            result = replace(result, invariant=len(both) == 1, flipped=both == {"right", "wrong"})
        results[control.id] = result
    return list(results.values())


def deviation(scores: Iterable[float]) -> float | None:
    """The standard deviation of scores, None where they are all equal; the same on every processor."""
    numbers = list(scores)
    if not numbers or min(numbers) == max(numbers):
        return None
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / len(numbers)) or None


def _sides(example: Example) -> dict[str, tuple[ExampleDocument, ExampleDocument]]:
    """The better document and the worse one, by the role of the query."""
    better = {
        "neg": "pos",
        "base": _BETTER_UNDER_BASE.get(example.labels.pairwise_preference_for_query_base),
        "twin": "neg",
    }
    pos, neg = example.docs.pos, example.docs.neg
    return {
        role: (pos, neg) if better[role] == "pos" else (neg, pos) for role in queries_of(example) if better.get(role)
    }


def _candidate(document: ExampleDocument) -> Candidate:
    return Candidate(document.id, document.text)
