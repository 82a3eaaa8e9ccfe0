"""From the scores of a model to the result of each pairwise example, and from results to the values of each metric.

An example is right under a query if the better document scores above the other. A rule for ties says what equal scores count.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from constraintsuite.core.records.examples import NONFLIP, Example, QueryRole
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.metric import Metric, find_metric
from constraintsuite.core.statistics.ties import STRICT, Outcome, TieRule

PairClass = Literal["correct", "sticks_to_satisfying", "sticks_to_violating", "reversed", "paired_tie"]
PAIR_CLASSES: tuple[PairClass, ...] = get_args(PairClass)
"""Five classes: each example with two opposite queries is in exactly one, so their shares add up to 1."""
Scores = Mapping[tuple[str, str], float]
"""Scores by query and text of the document."""
Visible = Mapping[tuple[str, str], int]
"""How many characters of the text a model reads, by query and text."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """The outcome of one example under each query; undefined values are None."""

    id: str
    slice: str
    couple: str
    outcomes: Mapping[QueryRole, Outcome]
    """Whether the preferences hold, for each query that has any."""
    gaps: Mapping[QueryRole, float]
    """Score of the satisfying document minus that of the violating one, for each query that was scored."""
    paired: bool | None
    """Right under the query and under its opposite, which prefers the other document."""
    tie: bool
    """Equal scores under any query that states a preference."""
    invariant: bool | None = None
    """The same outcome as the example that a control was made from."""
    flipped: bool | None = None
    """The opposite outcome; a change from or to a tie is neither."""
    unit: float | None = None
    """Standard deviation of all scores of the run, the unit of normalised gaps; None if all scores are equal."""
    cut: bool | None = None
    """The model does not read the deciding words of a text; None if it does not say how much it reads."""
    tied: Mapping[QueryRole, float] = field(default_factory=dict)
    """Credit between 0 and 1 for each tied query; a query that is not here has none."""
    ordered: float | None = None
    """Share of the pairs of documents that are in the right order under the query; None without graded preferences."""


def keep_queries(example: Example, roles: Collection[QueryRole]) -> Example:
    """The example with its query and the queries of these roles only, and with the preferences that they state."""
    kept = {"query", *roles}
    return replace(
        example,
        opposite=example.opposite if "opposite" in kept else None,
        topic=example.topic if "topic" in kept else None,
        restated=example.restated if "restated" in kept else None,
        preferences=tuple(preference for preference in example.preferences if preference.query in kept),
    )


def judge(example: Example, scores: Scores, rule: TieRule = STRICT, unit: float | None = None) -> PairResult:
    """The result of one example; `unit` is the standard deviation of all scores."""
    queries = example.queries
    by_query: dict[QueryRole, list[Outcome]] = {}
    tied: dict[QueryRole, float] = {}
    ordered: list[float] = []
    for preference in example.preferences:
        query = queries[preference.query]
        better, worse = example.document(preference.better), example.document(preference.worse)
        outcome = rule.outcome(scores[query, better.text], scores[query, worse.text])
        credit = rule.credit(query, better, worse) if outcome == "tie" else float(outcome == "right")
        if preference.query == "query":
            ordered.append(credit)
        if preference.is_graded:
            continue
        by_query.setdefault(preference.query, []).append(outcome)
        if outcome == "tie":
            tied[preference.query] = tied.get(preference.query, 1.0) * credit
    outcomes = {role: _worst(found) for role, found in by_query.items()}
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
        ordered=math.fsum(ordered) / len(ordered) if any(one.is_graded for one in example.preferences) else None,
    )


def _worst(outcomes: Sequence[Outcome]) -> Outcome:
    return next(outcome for outcome in ("wrong", "tie", "right") if outcome in outcomes)


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
    """The standard deviation of scores, the same on every processor; None if they are all equal."""
    numbers = list(scores)
    if not numbers or min(numbers) == max(numbers):
        return None
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / len(numbers)) or None


@dataclass(frozen=True, kw_only=True)
class PairMetric(Metric):
    """A metric that is computed from the results of pairwise examples."""

    column: Callable[[Sequence[PairResult]], FloatArray] = field(repr=False, compare=False)
    """One value for each result, NaN for a result that has none."""


def pair_class(result: PairResult) -> PairClass | None:
    """What the model did with two queries that want opposite documents (after figure 4 of the NevIR paper).

    A tie is a class of its own, whatever it counts.
    """
    if result.paired is None:
        return None
    under_query, under_opposite = result.outcomes["query"], result.outcomes["opposite"]
    if "tie" in (under_query, under_opposite):
        return "paired_tie"
    if under_query == under_opposite:
        return "correct" if result.paired else "reversed"
    return "sticks_to_satisfying" if under_query == "right" else "sticks_to_violating"


def parse_metric(name: str) -> PairMetric:
    """The metric that a user named. Raises UserError if the name is unknown."""
    return find_metric(METRICS, name)


def _couples(results: Sequence[PairResult]) -> FloatArray:
    """One value per couple, on its first example; NaN for a couple with only one example among the results."""
    couples = defaultdict(list)
    for row, result in enumerate(results):
        if result.couple:
            couples[result.couple].append(row)
    column = np.full(len(results), np.nan)
    for rows in couples.values():
        if len(rows) > 1:
            column[rows[0]] = math.prod(_credit(results[row], "query") or 0.0 for row in rows)
    return column


Value = Callable[[PairResult], float | None]


def _in_class(name: PairClass) -> Value:
    return lambda result: None if result.paired is None else float(pair_class(result) == name)


def _credit(result: PairResult, role: QueryRole) -> float | None:
    """1 for right, 0 for wrong, for a tie what the rule says; None if the query states no preference."""
    outcome = result.outcomes.get(role)
    if outcome is None:
        return None
    return result.tied.get(role, 0.0) if outcome == "tie" else float(outcome == "right")


def _under(role: QueryRole) -> Value:
    return lambda result: _credit(result, role)


def _paired(result: PairResult) -> float | None:
    if result.paired is None:
        return None
    return (_credit(result, "query") or 0.0) * (_credit(result, "opposite") or 0.0)


def _agreement(result: PairResult) -> float | None:
    """Whether both wordings of the query have the same outcome; None if only one states a preference."""
    return float(result.outcomes["query"] == result.outcomes["restated"]) if "restated" in result.outcomes else None


def _gap(result: PairResult) -> float:
    return result.gaps["query"]


def _gap_minus(role: QueryRole) -> Value:
    return lambda result: _gap(result) - result.gaps[role] if role in result.gaps else None


def _normalised(value: Value) -> Value:
    return lambda result: None if (number := value(result)) is None or result.unit is None else number / result.unit


def _above_zero(value: Value) -> Value:
    """1 above, 0 below, one half at zero: the mean is the probability of superiority."""
    return lambda result: None if (number := value(result)) is None else (1 + (number > 0) - (number < 0)) / 2


def _share(name: str, title: str, chance: float, value: Value, *, lower_is_better: bool = False) -> PairMetric:
    return PairMetric(name=name, title=title, chance=chance, column=_column(value), lower_is_better=lower_is_better)


def _difference(name: str, title: str, value: Value, *, own_unit: bool = True) -> PairMetric:
    return PairMetric(name=name, title=title, share=False, chance=0.0, column=_column(value), own_unit=own_unit)


def _column(value: Value) -> Callable[[Sequence[PairResult]], FloatArray]:
    return lambda results: np.array([np.nan if (v := value(one)) is None else v for one in results], dtype=np.float64)


_SATISFYING, _VIOLATING = _in_class("sticks_to_satisfying"), _in_class("sticks_to_violating")
_SENSITIVITY = _gap_minus("opposite")
METRICS: dict[str, PairMetric] = {
    metric.name: metric
    for metric in (
        _share("accuracy", "Accuracy", 0.5, _under("query")),
        _share("opposite_accuracy", "Accuracy under the opposite", 0.5, _under("opposite")),
        _share("paired_accuracy", "Paired accuracy", 0.25, _paired),
        PairMetric(name="couple_accuracy", title="Couple accuracy", chance=0.25, column=_couples),
        _share("correct", "Right under both", 0.25, _in_class("correct")),
        _share("sticks_to_satisfying", "Satisfying for both", 0.25, _SATISFYING, lower_is_better=True),
        _share("sticks_to_violating", "Violating for both", 0.25, _VIOLATING, lower_is_better=True),
        _share("reversed", "Wrong under both", 0.25, _in_class("reversed"), lower_is_better=True),
        _share("paired_tie", "A tie under either", 0.0, _in_class("paired_tie"), lower_is_better=True),
        _share("tie_rate", "Ties", 0.0, lambda r: r.tie, lower_is_better=True),
        _share("superiority", "Gap above zero", 0.5, _above_zero(_gap)),
        _share("responsiveness", "Moved the right way", 0.5, _above_zero(_SENSITIVITY)),
        _difference("gap", "Score gap", _gap),
        _difference("sensitivity", "Sensitivity to the constraint", _SENSITIVITY),
        _difference("topic_sensitivity", "Sensitivity to topic", _gap_minus("topic")),
        _difference("normalised_gap", "Gap in deviations", _normalised(_gap), own_unit=False),
        _difference("normalised_sensitivity", "Sensitivity in deviations", _normalised(_SENSITIVITY), own_unit=False),
        _share("invariance", "Invariance", 0.5, lambda r: r.invariant),
        _share("flip_rate", "Flips", 0.5, lambda r: r.flipped, lower_is_better=True),
        _share("restated_accuracy", "Accuracy when restated", 0.5, _under("restated")),
        _share("restated_agreement", "Same when restated", 0.5, _agreement),
        _share("monotonicity", "Monotonicity", 0.5, lambda r: r.ordered),
    )
}
