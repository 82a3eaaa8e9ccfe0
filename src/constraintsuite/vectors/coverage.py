"""How many of the queries of a subset still have their positive documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from constraintsuite.errors import UserError
from constraintsuite.metrics.intervals import wilson
from constraintsuite.records.figures import percent
from constraintsuite.records.scores import Interval
from constraintsuite.vectors.forecast import LEAST_COVERAGE
from constraintsuite.vectors.settings import KEEPING, SamplingMode

CoverageState = Literal["full", "partial", "none", "unjudged"]


@dataclass(frozen=True, slots=True)
class QueryCoverage:
    """Counts of queries and of positive documents."""

    queries: int
    full: int
    partial: int
    none: int
    unjudged: int
    positives: int
    """Distinct positive documents of the selected queries."""
    positives_in_subset: int
    kept: Interval
    """Share of the judged queries with at least one positive in the subset."""

    @property
    def judged(self) -> int:
        """Queries with a positive, in the subset or not."""
        return self.queries - self.unjudged


def state_of(positives: Set[str], there: Set[str]) -> CoverageState:
    """What is left of a query's positives."""
    if not positives:
        return "unjudged"
    left = len(positives & there)
    return "full" if left == len(positives) else "partial" if left else "none"


def measure_coverage(
    states: Sequence[CoverageState], positives: Mapping[str, Set[str]], there: Set[str]
) -> QueryCoverage:
    """Count the states of all queries, and the positives of those that are judged."""
    counts = Counter(states)
    judged = len(states) - counts["unjudged"]
    wanted: set[str] = set().union(*positives.values())
    return QueryCoverage(
        queries=len(states),
        full=counts["full"],
        partial=counts["partial"],
        none=counts["none"],
        unjudged=counts["unjudged"],
        positives=len(wanted),
        positives_in_subset=len(wanted & there),
        kept=wilson(judged - counts["none"], judged),
    )


def refuse_poor(kept: float, judged: int, mode: SamplingMode, *, accepted: bool) -> None:
    """A UserError with numbers if most judged queries would lose all their positives and nobody accepted that."""
    if judged and kept / judged < LEAST_COVERAGE and not accepted:
        advice = (
            "The source lacks the others: are these the judgments of this corpus?"
            if mode in KEEPING
            else "Take the mode keep_positives, or a larger subset."
        )
        raise UserError(
            f"Only {kept:,.0f} of {judged:,} judged queries ({percent(kept / judged)}) would keep a positive document. {advice} "
            "--accept-coverage goes on all the same."
        )
