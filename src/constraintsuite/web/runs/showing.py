"""What a model made of an example, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.metrics.pairwise import PairResult
from constraintsuite.metrics.ties import Outcome
from constraintsuite.records.examples import CONTROL_SLICES


class ShownOutcome(NamedTuple):
    """Under one query."""

    query: str
    """Which it is."""
    outcome: Outcome
    gap: str
    """In standard deviations of the model's scores."""


@dataclass(frozen=True)
class ShownResult:
    """Under each query that states a preference, and what else is to be known."""

    outcomes: tuple[ShownOutcome, ...]
    remarks: tuple[str, ...]


def show_result(result: PairResult) -> ShownResult:
    """The result of one example."""
    own = "own query" if result.slice in CONTROL_SLICES else "negated"
    found = (
        (own, result.neg, result.gap_neg),
        ("affirmative", result.base, result.gap_base),
        ("twin", result.twin, result.gap_twin),
    )
    outcomes = tuple(
        ShownOutcome(words, outcome, _in_deviations(gap, result.unit))
        for words, outcome, gap in found
        if outcome is not None and gap is not None
    )
    remarks = {
        "cut": result.cut,
        "opposite of its original": result.flipped,
        "as its original": result.invariant,
    }
    return ShownResult(outcomes, tuple(words for words, holds in remarks.items() if holds))


def _in_deviations(gap: float, unit: float | None) -> str:
    """With its sign, and never rounded to nothing; where all scores are equal there is no deviation, and no gap."""
    size = gap / (unit or 1.0)
    text = f"{size:+.2f}" if abs(size) >= 0.005 else f"{size:+.0e}"
    return text.replace("-", "−") if gap else "0"
