"""Metrics of pairwise examples; each turns results into one column of values, from which means and intervals are made.

Strict: an example is right only if the better document scores above the other; equal scores fail and count as a tie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError

Outcome = Literal["right", "wrong", "tie"]
PairClass = Literal["paired_accuracy", "sticks_to_satisfying", "sticks_to_violating", "reversed", "paired_tie"]
PAIR_CLASSES: tuple[PairClass, ...] = get_args(PairClass)
"""Metrics that share out the examples among them: each example with two opposite queries counts in exactly one."""
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairResult:
    """How one example came out. A gap is the score of `docs.pos` less that of `docs.neg`; what is undefined is None."""

    id: str
    slice: str
    couple: str
    neg: Outcome
    """Under the negated query (for a control, under its own query)."""
    base: Outcome | None
    """Under the affirmative query."""
    twin: Outcome | None
    """Under a control's twin query, where the preference is reversed."""
    paired: bool | None
    """Right under both `neg` and `base`, where these want opposite documents."""
    tie: bool
    """Equal scores under any query that states a preference."""
    gap_neg: float
    gap_base: float | None
    gap_topic: float | None
    gap_twin: float | None
    invariant: bool | None
    """The same outcome as the example that a control was made from."""


@dataclass(frozen=True)
class Metric:
    """One figure of a set of results: NaN in its column stands for a result that has no value."""

    name: str
    """What a user writes; `str` gives it."""
    title: str
    share: bool
    """A share lies between 0 and 1; the others are differences of scores, in the model's own unit."""
    chance: float | None
    """What a model with random scores gets."""
    column: Callable[[Sequence[PairResult]], FloatArray] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.name


def outcome_of(better: float, worse: float) -> Outcome:
    """Whether `better` really is above `worse`."""
    if better == worse:
        return "tie"
    return "right" if better > worse else "wrong"


def pair_class(result: PairResult) -> PairClass | None:
    """What the model did with two queries that want opposite documents (after the NevIR paper's figure 4)."""
    if result.paired is None:
        return None
    if "tie" in (result.neg, result.base):
        return "paired_tie"
    if result.neg == result.base:
        return "paired_accuracy" if result.paired else "reversed"
    return "sticks_to_satisfying" if result.neg == "right" else "sticks_to_violating"


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
    failed = {result.couple for result in results if result.neg != "right"}
    column = np.full(len(results), np.nan)
    seen = set()
    for row, result in enumerate(results):
        if sizes[result.couple] > 1 and result.couple not in seen:
            seen.add(result.couple)
            column[row] = result.couple not in failed
    return column


def _in_class(name: PairClass) -> Callable[[PairResult], float | None]:
    def value(result: PairResult) -> float | None:
        found = pair_class(result)
        return None if found is None else float(found == name)

    return value


def _right(outcome: Outcome | None) -> float | None:
    return None if outcome is None else float(outcome == "right")


def _less(gap: float, other: float | None) -> float | None:
    return None if other is None else gap - other


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "Accuracy", True, 0.5, _each(lambda r: _right(r.neg))),
        Metric("base_accuracy", "Affirmative accuracy", True, 0.5, _each(lambda r: _right(r.base))),
        Metric("paired_accuracy", "Paired accuracy", True, 0.25, _each(_in_class("paired_accuracy"))),
        Metric("couple_accuracy", "Couple accuracy", True, 0.25, _couples),
        Metric("sticks_to_satisfying", "Satisfying for both", True, 0.25, _each(_in_class("sticks_to_satisfying"))),
        Metric("sticks_to_violating", "Violating for both", True, 0.25, _each(_in_class("sticks_to_violating"))),
        Metric("reversed", "Wrong under both", True, 0.25, _each(_in_class("reversed"))),
        Metric("paired_tie", "A tie under either", True, 0.0, _each(_in_class("paired_tie"))),
        Metric("tie_rate", "Ties", True, 0.0, _each(lambda r: r.tie)),
        Metric("gap", "Score gap", False, 0.0, _each(lambda r: r.gap_neg)),
        Metric("sensitivity", "Sensitivity to the negation", False, 0.0, _each(lambda r: _less(r.gap_neg, r.gap_base))),
        Metric("topic_sensitivity", "Sensitivity to topic", False, 0.0, _each(lambda r: _less(r.gap_neg, r.gap_topic))),
        Metric("invariance", "Invariance", True, 0.5, _each(lambda r: r.invariant)),
        Metric("twin_accuracy", "Twin accuracy", True, 0.5, _each(lambda r: _right(r.twin))),
        Metric(
            "twin_paired_accuracy",
            "Idiom and twin",
            True,
            0.25,
            _each(lambda r: None if r.twin is None else r.neg == r.twin == "right"),
        ),
    )
}
