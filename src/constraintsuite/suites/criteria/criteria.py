"""All criteria of the guide, for the card of a suite and for `csuite suite criteria`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.pairwise import PairResult
from constraintsuite.suites.audit.results import Audit, BalanceRow
from constraintsuite.suites.criteria.dataset import judge_people, judge_shortcuts, judge_topic
from constraintsuite.suites.criteria.records import GoldFigures, GuideCriterion
from constraintsuite.suites.criteria.systems import judge_systems

NO_RUNS: Mapping[str, Sequence[PairResult]] = {}


def guide_criteria(
    examples: Sequence[Example],
    audit: Audit,
    balance: Sequence[BalanceRow],
    *,
    suite: str = "SUITE",
    gold: GoldFigures | None = None,
    runs: Mapping[str, Sequence[PairResult]] = NO_RUNS,
) -> tuple[GuideCriterion, ...]:
    """Every criterion; those that need people or systems are not measured without a gold batch or runs.

    `suite` is the name of the suite in the commands that measure what is missing, and `runs` has the results of each system.
    """
    return (
        *judge_people(suite, len(examples), gold),
        *judge_topic(examples, balance),
        *judge_systems(suite, examples, runs, audit.seed),
        *judge_shortcuts(audit),
    )
