"""What a model made of an example, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.metrics.pairwise import PairResult
from constraintsuite.metrics.ties import Outcome
from constraintsuite.records.examples import QUERY_ROLES


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
    outcomes = tuple(
        ShownOutcome(role, result.outcomes[role], _in_deviations(result.gaps[role], result.unit))
        for role in QUERY_ROLES
        if role in result.outcomes
    )
    remarks = {
        "cut": result.cut,
        "turned round from its original": result.flipped,
        "as its original": result.invariant,
    }
    return ShownResult(outcomes, tuple(words for words, holds in remarks.items() if holds))


def _in_deviations(gap: float, unit: float | None) -> str:
    """With its sign, and never rounded to nothing; where all scores are equal there is no deviation, and no gap."""
    size = gap / (unit or 1.0)
    text = f"{size:+.2f}" if abs(size) >= 0.005 else f"{size:+.0e}"
    return text.replace("-", "−") if gap else "0"
