"""Metrics of pairwise examples; each turns results into one column of values, from which means and intervals are made.

An example is right only if the better document scores above the other; what a tie counts, the rule for ties says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.metrics.ties import Outcome
from constraintsuite.records.examples import QueryRole

PairClass = Literal["correct", "sticks_to_satisfying", "sticks_to_violating", "reversed", "paired_tie"]
PAIR_CLASSES: tuple[PairClass, ...] = get_args(PairClass)
"""Metrics that share out the examples among them: each example with two opposite queries counts in exactly one."""
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairResult:
    """How one example came out, query by query; what is undefined is None."""

    id: str
    slice: str
    couple: str
    outcomes: Mapping[QueryRole, Outcome]
    """Whether the preferences hold, for each query that has any."""
    gaps: Mapping[QueryRole, float]
    """Score of the satisfying document less that of the violating one, for each query that was scored."""
    paired: bool | None
    """Right under the query and its opposite, under which the preference turns round."""
    tie: bool
    """Equal scores under any query that states a preference."""
    invariant: bool | None = None
    """The same outcome as the example that a control was made from."""
    flipped: bool | None = None
    """The opposite outcome; a change from or to a tie is neither."""
    unit: float | None = None
    """Standard deviation of all scores of the run, to measure gaps by; None where all scores are equal."""
    cut: bool | None = None
    """The model reads too little of a text to see what decides; None if it does not say how much it reads."""
    tied: Mapping[QueryRole, float] = field(default_factory=dict)
    """What the tie counts, by query; empty under the strict rule."""


@dataclass(frozen=True)
class Metric:
    """One figure of a set of results: NaN in its column stands for a result that has no value."""

    name: str
    """What a user writes; `str` gives it."""
    title: str
    share: bool
    """A share lies between 0 and 1; the others are differences of scores."""
    chance: float | None
    """What a model with random scores gets."""
    column: Callable[[Sequence[PairResult]], FloatArray] = field(repr=False, compare=False)
    own_unit: bool = False
    """In the unit of the model's scores: never compared between models."""

    def __str__(self) -> str:
        return self.name


def pair_class(result: PairResult) -> PairClass | None:
    """What the model did with two queries that want opposite documents (after the NevIR paper's figure 4).

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


def parse_metric(name: str) -> Metric:
    """The metric of that name."""
    if name not in METRICS:
        near = get_close_matches(name, METRICS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(METRICS)}."
        raise UserError(f"No metric named {name!r}. {hint}")
    return METRICS[name]


def _each(value: Callable[[PairResult], float | None]) -> Callable[[Sequence[PairResult]], FloatArray]:
    def column(results: Sequence[PairResult]) -> FloatArray:
        return np.array([np.nan if (v := value(result)) is None else v for result in results], dtype=np.float64)

    return column


def _couples(results: Sequence[PairResult]) -> FloatArray:
    """One value a couple, on the first of its examples; a couple of which only one example is here has none."""
    sizes = Counter(result.couple for result in results if result.couple)
    worth: dict[str, float] = {}
    for result in results:
        worth[result.couple] = worth.get(result.couple, 1.0) * (_credit(result, "query") or 0.0)
    column = np.full(len(results), np.nan)
    seen = set()
    for row, result in enumerate(results):
        if sizes[result.couple] > 1 and result.couple not in seen:
            seen.add(result.couple)
            column[row] = worth[result.couple]
    return column


def _in_class(name: PairClass) -> Callable[[PairResult], float | None]:
    def value(result: PairResult) -> float | None:
        found = pair_class(result)
        return None if found is None else float(found == name)

    return value


def _credit(result: PairResult, role: QueryRole) -> float | None:
    """1 for right, 0 for wrong, for a tie what the rule says; None where the query states no preference."""
    outcome = result.outcomes.get(role)
    if outcome is None:
        return None
    return result.tied.get(role, 0.0) if outcome == "tie" else float(outcome == "right")


def _under(role: QueryRole) -> Callable[[PairResult], float | None]:
    return lambda result: _credit(result, role)


def _paired(result: PairResult) -> float | None:
    if result.paired is None:
        return None
    under_query, under_opposite = _credit(result, "query"), _credit(result, "opposite")
    return None if under_query is None or under_opposite is None else under_query * under_opposite


def _gap(result: PairResult) -> float:
    return result.gaps["query"]


def _sensitivity(result: PairResult) -> float | None:
    return _less(_gap(result), result.gaps.get("opposite"))


def _less(gap: float, other: float | None) -> float | None:
    return None if other is None else gap - other


def _normalised(number: float | None, unit: float | None) -> float | None:
    return None if number is None or unit is None else number / unit


def _above_zero(number: float | None) -> float | None:
    """1 above, 0 below, one half at zero: the mean is the probability of superiority."""
    return None if number is None else (1.0 if number > 0 else 0.5 if number == 0 else 0.0)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "Accuracy", True, 0.5, _each(_under("query"))),
        Metric("opposite_accuracy", "Accuracy under the opposite", True, 0.5, _each(_under("opposite"))),
        Metric("paired_accuracy", "Paired accuracy", True, 0.25, _each(_paired)),
        Metric("couple_accuracy", "Couple accuracy", True, 0.25, _couples),
        Metric("correct", "Right under both", True, 0.25, _each(_in_class("correct"))),
        Metric("sticks_to_satisfying", "Satisfying for both", True, 0.25, _each(_in_class("sticks_to_satisfying"))),
        Metric("sticks_to_violating", "Violating for both", True, 0.25, _each(_in_class("sticks_to_violating"))),
        Metric("reversed", "Wrong under both", True, 0.25, _each(_in_class("reversed"))),
        Metric("paired_tie", "A tie under either", True, 0.0, _each(_in_class("paired_tie"))),
        Metric("tie_rate", "Ties", True, 0.0, _each(lambda r: r.tie)),
        Metric("superiority", "Gap above zero", True, 0.5, _each(lambda r: _above_zero(_gap(r)))),
        Metric("responsiveness", "Moved the right way", True, 0.5, _each(lambda r: _above_zero(_sensitivity(r)))),
        Metric("gap", "Score gap", False, 0.0, _each(_gap), own_unit=True),
        Metric("sensitivity", "Sensitivity to the constraint", False, 0.0, _each(_sensitivity), own_unit=True),
        Metric(
            "topic_sensitivity",
            "Sensitivity to topic",
            False,
            0.0,
            _each(lambda r: _less(_gap(r), r.gaps.get("topic"))),
            own_unit=True,
        ),
        Metric("normalised_gap", "Gap in deviations", False, 0.0, _each(lambda r: _normalised(_gap(r), r.unit))),
        Metric(
            "normalised_sensitivity",
            "Sensitivity in deviations",
            False,
            0.0,
            _each(lambda r: _normalised(_sensitivity(r), r.unit)),
        ),
        Metric("invariance", "Invariance", True, 0.5, _each(lambda r: r.invariant)),
        Metric("flip_rate", "Flips", True, 0.5, _each(lambda r: r.flipped)),
        Metric("restated_accuracy", "Accuracy when restated", True, 0.5, _each(_under("restated"))),
    )
}
