"""When a solver's result is a leak: an interval wholly above 0.6, for the solver or for its opposite.

An interval that is wide and reaches beyond 0.6 is no acquittal: there are too few examples to tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.suites.audit.results import AuditRow, GroupKind, LeakVerdict
from constraintsuite.suites.audit.solvers import SolverTrial
from constraintsuite.suites.constraints.base import load_type

LEAK_ABOVE = 0.6
TOO_WIDE = 0.2
"""An interval as wide as from 0.4 to 0.6 that reaches beyond 0.6 holds chance and leak alike."""


class Shares(NamedTuple):
    """Two intervals of one trial."""

    accuracy: Interval
    reverse: Interval


class SolverFinding(NamedTuple):
    """A verdict, and where the slice implies the result, why."""

    verdict: LeakVerdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SolverJudge:
    """Turns trials of one solver into rows."""

    solver: str
    reversible: bool
    """Whether the opposite choice is a shortcut too; a trained classifier has already chosen its direction, and falls
    below chance only where its training folds happen to lean the other way from the one held out."""
    key: tuple[str, ...]
    """What the resampling is seeded by, beside the solver's name."""

    def row(self, part: str, trial: SolverTrial, groups: GroupKind) -> AuditRow:
        """The numbers and the verdict."""
        accuracy, reverse = self.shares(trial)
        ties = float(trial.ties.mean()) if trial.units else None
        return AuditRow(part, self.solver, accuracy, reverse, ties, *self._finding(trial), groups)

    def _finding(self, trial: SolverTrial) -> SolverFinding:
        """The verdict; a solver that leaks once a coin decides its ties is not acquitted."""
        found = self.verdict(trial)
        in_part = found.verdict in ("ok", "too_few_to_tell") and self.verdict(trial.with_coin()).verdict == "leak"
        return SolverFinding("leak_in_part") if in_part else found

    def verdict(self, trial: SolverTrial) -> SolverFinding:
        """A leak, unless it vanishes without the examples that the solver decides by construction."""
        if not trial.units:
            return SolverFinding("undefined")
        if not self._leaks(trial):
            return SolverFinding("too_few_to_tell" if self._in_doubt(trial) else "ok")
        reasons = [_by_construction(unit, self.solver) for unit in trial.units]
        rest = trial.keep(np.array([not one for one in reasons]))
        if len(rest.units) < len(trial.units) and not self._leaks(rest):
            return SolverFinding("by_construction", "; ".join(dict.fromkeys(one for one in reasons if one)))
        return SolverFinding("leak")

    def shares(self, trial: SolverTrial) -> Shares:
        """How often the solver is right, and how often its opposite would be."""
        return Shares(*mean_figures([trial.wins, trial.losses], trial.groups, stable_hash(*self.key, self.solver)))

    def _leaks(self, trial: SolverTrial) -> bool:
        if max(trial.wins.sum(), trial.losses.sum()) <= LEAK_ABOVE * len(trial.units):
            return False  # a lower bound is never above its value: no need to draw
        accuracy, reverse = self.shares(trial)
        return _wins(accuracy) or (self.reversible and _wins(reverse))

    def _in_doubt(self, trial: SolverTrial) -> bool:
        """Whether the interval is too wide, and the choice or its opposite may be a leak all the same."""
        accuracy, reverse = self.shares(trial)
        if accuracy.low is None or accuracy.high is None:
            return True
        may_leak = _reaches(accuracy) or (self.reversible and _reaches(reverse))
        return may_leak and accuracy.high - accuracy.low > TOO_WIDE


def _by_construction(example: Example, solver: str) -> str:
    """Why the solver decides this example by the definition of its slice; empty if it should not."""
    constraint = example.constraint
    return load_type(constraint.type).by_construction(example, solver) if constraint else ""


def _reaches(accuracy: Interval) -> bool:
    return accuracy.high is not None and accuracy.high > LEAK_ABOVE


def _wins(accuracy: Interval) -> bool:
    return accuracy.low is not None and accuracy.low > LEAK_ABOVE
