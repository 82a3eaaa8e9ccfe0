"""From scores to results: which document each query should prefer, and which it did."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from constraintsuite.experiments.scoring import Scores
from constraintsuite.metrics.pairwise import PairResult
from constraintsuite.metrics.ties import STRICT, Candidate, Outcome, TieRule
from constraintsuite.records.examples import NONFLIP, Example, ExampleDocument, QueryRole


def keep_queries(example: Example, roles: Collection[QueryRole]) -> Example:
    """The example with the queries of these roles only, and the preferences that they state; `query` it always has."""
    kept = {"query", *roles}
    return replace(
        example,
        opposite=example.opposite if "opposite" in kept else None,
        topic=example.topic if "topic" in kept else None,
        restated=example.restated if "restated" in kept else None,
        preferences=tuple(preference for preference in example.preferences if preference.query in kept),
    )


def judge(example: Example, scores: Scores, rule: TieRule = STRICT, unit: float | None = None) -> PairResult:
    """The result of one example, for itself."""
    queries = example.queries
    by_query: dict[QueryRole, list[Outcome]] = {}
    tied: dict[QueryRole, float] = {}
    for preference in example.preferences:
        query = queries[preference.query]
        better, worse = example.document(preference.better), example.document(preference.worse)
        outcome = rule.outcome(scores[query, better.text], scores[query, worse.text])
        by_query.setdefault(preference.query, []).append(outcome)
        if outcome == "tie":
            credit = rule.credit(query, _candidate(better), _candidate(worse))
            tied[preference.query] = tied.get(preference.query, 1.0) * credit
    outcomes = {role: _all_of(found) for role, found in by_query.items()}
    satisfying, violating = example.satisfying.text, example.violating.text
    scored = {role: query for role, query in queries.items() if role in outcomes or (query, satisfying) in scores}
    return PairResult(
        id=example.id,
        slice=example.slice,
        couple=example.couple,
        outcomes=outcomes,
        gaps={role: scores[query, satisfying] - scores[query, violating] for role, query in scored.items()},
        paired=outcomes["query"] == outcomes["opposite"] == "right" if example.is_paired else None,
        tie="tie" in outcomes.values(),
        unit=unit,
        tied={role: credit for role, credit in tied.items() if credit},
    )


def _all_of(outcomes: Sequence[Outcome]) -> Outcome:
    """Right if all preferences of a query hold, wrong if one is turned round, a tie otherwise."""
    return "wrong" if "wrong" in outcomes else "tie" if "tie" in outcomes else "right"


def judge_all(
    examples: Sequence[Example], controls: Sequence[Example], scores: Scores, rule: TieRule = STRICT
) -> list[PairResult]:
    """The results of all examples, then of all controls; a non-flip control is compared with its original."""
    unit = deviation(scores.values())
    results = {example.id: judge(example, scores, rule, unit) for example in examples}
    for control in controls:
        result = judge(control, scores, rule, unit)
        original = results.get(control.control.original) if control.control else None
        if control.slice == NONFLIP and original is not None:
            both = {result.outcomes["query"], original.outcomes["query"]}
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


def _candidate(document: ExampleDocument) -> Candidate:
    return Candidate(document.id, document.text)
