"""The figures of a run, overall and by group, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.experiments.figures import GroupFigures, group_figures
from constraintsuite.experiments.pairs import PairTable
from constraintsuite.experiments.truncation import TruncationAudit
from constraintsuite.metrics.resampling import DRAWS
from constraintsuite.metrics.ties import STRICT, TieRule
from constraintsuite.records.scores import Interval


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The figures of a run. Controls stand only under `by.slice` and `by.control`, never among the main examples."""

    suite: str
    system: str
    """What was measured: the name of the model, or of the people."""
    seed: int
    draws: int
    headline_metric: str
    """The metric by which systems are put in order on this suite."""
    headline: GroupFigures
    """The main examples of all slices but Omission, which stands beside them under `by.slice`."""
    overall: GroupFigures
    """All main examples, Omission included."""
    by: dict[str, dict[str, GroupFigures]]
    rule: TieRule = STRICT
    """What a tie counts in `overall` and `by`."""
    ties: Mapping[str, Mapping[str, Interval]] | None = None
    """For comparison: metric by metric, the main examples under every policy for ties, whatever the rule is."""
    truncation: TruncationAudit | None = None
    """None if the model does not say how much of a text it reads."""


def summarise(suite: str, table: PairTable, *, seed: int, draws: int = DRAWS, rule: TieRule = STRICT) -> RunSummary:
    """All figures of a run; the draws of a group depend on the seed and its examples alone."""
    (system,) = table.systems

    def figures(members: Sequence[int]) -> GroupFigures:
        return group_figures(table, system, members, seed=seed, draws=draws)

    return RunSummary(
        suite,
        system,
        seed,
        draws,
        headline_metric=table.headline_metric,
        headline=figures(table.headline),
        overall=figures(table.main),
        by={
            name: {group: figures(members) for group, members in groups.items()}
            for name, groups in table.groups.items()
        },
        rule=rule,
    )
