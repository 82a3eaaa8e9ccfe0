"""Metrics of pairwise examples; each turns results into one column of values, from which means and intervals are made.

An example is right only if the better document scores above the other; what a tie counts, the rule for ties says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from constraintsuite.core.records.examples import QueryRole
from constraintsuite.core.statistics.metric import Metric, find_metric
from constraintsuite.core.statistics.ties import Outcome

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


@dataclass(frozen=True, kw_only=True)
class PairMetric(Metric):
    """A metric that is computed from the results of pairwise examples."""

    column: Callable[[Sequence[PairResult]], FloatArray] = field(repr=False, compare=False)
    """One value for each result, NaN for a result that has none."""


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


def parse_metric(name: str) -> PairMetric:
    """The metric that a user named."""
    return find_metric(METRICS, name)


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


def _share(
    name: str,
    title: str,
    chance: float,
    value: Callable[[PairResult], float | None],
    *,
    lower_is_better: bool = False,
) -> PairMetric:
    return PairMetric(name=name, title=title, chance=chance, column=_each(value), lower_is_better=lower_is_better)


def _difference(
    name: str, title: str, value: Callable[[PairResult], float | None], *, own_unit: bool = False
) -> PairMetric:
    return PairMetric(name=name, title=title, share=False, chance=0.0, column=_each(value), own_unit=own_unit)


METRICS: dict[str, PairMetric] = {
    metric.name: metric
    for metric in (
        _share("accuracy", "Accuracy", 0.5, _under("query")),
        _share("opposite_accuracy", "Accuracy under the opposite", 0.5, _under("opposite")),
        _share("paired_accuracy", "Paired accuracy", 0.25, _paired),
        PairMetric(name="couple_accuracy", title="Couple accuracy", chance=0.25, column=_couples),
        _share("correct", "Right under both", 0.25, _in_class("correct")),
        _share(
            "sticks_to_satisfying", "Satisfying for both", 0.25, _in_class("sticks_to_satisfying"), lower_is_better=True
        ),
        _share(
            "sticks_to_violating", "Violating for both", 0.25, _in_class("sticks_to_violating"), lower_is_better=True
        ),
        _share("reversed", "Wrong under both", 0.25, _in_class("reversed"), lower_is_better=True),
        _share("paired_tie", "A tie under either", 0.0, _in_class("paired_tie"), lower_is_better=True),
        _share("tie_rate", "Ties", 0.0, lambda r: r.tie, lower_is_better=True),
        _share("superiority", "Gap above zero", 0.5, lambda r: _above_zero(_gap(r))),
        _share("responsiveness", "Moved the right way", 0.5, lambda r: _above_zero(_sensitivity(r))),
        _difference("gap", "Score gap", _gap, own_unit=True),
        _difference("sensitivity", "Sensitivity to the constraint", _sensitivity, own_unit=True),
        _difference(
            "topic_sensitivity", "Sensitivity to topic", lambda r: _less(_gap(r), r.gaps.get("topic")), own_unit=True
        ),
        _difference("normalised_gap", "Gap in deviations", lambda r: _normalised(_gap(r), r.unit)),
        _difference(
            "normalised_sensitivity", "Sensitivity in deviations", lambda r: _normalised(_sensitivity(r), r.unit)
        ),
        _share("invariance", "Invariance", 0.5, lambda r: r.invariant),
        _share("flip_rate", "Flips", 0.5, lambda r: r.flipped, lower_is_better=True),
        _share("restated_accuracy", "Accuracy when restated", 0.5, _under("restated")),
    )
}
