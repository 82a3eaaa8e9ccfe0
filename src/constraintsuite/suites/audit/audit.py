"""Runs every solver on every slice, and says in a verdict and in plain sentences whether it can win without understanding.

A result is a leak if its interval is entirely above 0.6, for the solver or for the opposite choice. A wide interval that
reaches beyond 0.6 settles nothing: there are too few examples to tell.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.figures import percent, say
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.suites.audit.blind import query_blind
from constraintsuite.suites.audit.groups import group_examples, split_by_slice
from constraintsuite.suites.audit.results import ALL_MAIN, QUERY_BLIND, Audit, AuditRow, GroupKind, LeakVerdict
from constraintsuite.suites.audit.solvers import FloatArray, IntArray, SolverTrial
from constraintsuite.suites.constraints.base import load_solver, load_type, solvers_for

LEAK_ABOVE = 0.6
TOO_WIDE = 0.2
"""An interval of this width that reaches beyond 0.6, such as 0.4 to 0.6, contains both chance and a leak."""


def audit_examples(examples: Sequence[Example], *, seed: int) -> Audit:
    """Try each solver on each slice and on the main slices together; the order of the examples does not matter."""
    ordered = sorted(examples, key=lambda example: example.id)
    picks = _collect_picks(ordered)
    rows: list[AuditRow] = []
    warnings: list[str] = []
    for part, places in split_by_slice(ordered).items():
        members = [ordered[place] for place in places]
        kind, groups = group_examples(members)
        own = {name: found[places] for name, found in picks.items() if not np.isnan(found[places]).all()}
        for solver, trial in _trials(members, groups, own, seed):
            judge = _Judge(solver, stable_hash(str(seed), part, solver))
            row = judge.make_row(part, trial, kind)
            rows.append(row)
            warnings += _row_warnings(row, trial, judge)
        warnings += _couple_warnings(part, members)
    return Audit(seed, tuple(rows), tuple(warnings))


def _collect_picks(examples: Sequence[Example]) -> dict[str, FloatArray]:
    """What each solver picks in each example; NaN for examples of another constraint type than the solver's."""
    tried: dict[str, list[int]] = defaultdict(list)
    for place, example in enumerate(examples):
        for name in solvers_for(example):
            tried[name].append(place)
    picks = {name: np.full(len(examples), np.nan) for name in tried}
    for name, places in tried.items():
        picks[name][places] = load_solver(name).picks([examples[place] for place in places])
    return picks


def _trials(
    members: Sequence[Example], groups: IntArray, picks: Mapping[str, FloatArray], seed: int
) -> Iterator[tuple[str, SolverTrial]]:
    yield QUERY_BLIND, query_blind(members, groups, seed=seed)
    for name, own in picks.items():
        yield name, SolverTrial.of_picks(members, groups, own).keep(~np.isnan(own))


@dataclass(frozen=True, slots=True)
class _Judge:
    """Turns trials of one solver into rows; `seed` decides the resampling."""

    solver: str
    seed: int

    def make_row(self, part: str, trial: SolverTrial, groups: GroupKind) -> AuditRow:
        """The row of one slice; a solver that leaks once a coin decides its ties leaks in part."""
        verdict, reason = self._judge(trial)
        if verdict in ("ok", "too_few_to_tell") and self._judge(trial.with_coin())[0] == "leak":
            verdict = "leak_in_part"
        accuracy, reverse = self.shares(trial)
        ties = float(trial.ties.mean()) if trial.units else None
        return AuditRow(part, self.solver, accuracy, reverse, ties, verdict, reason, groups)

    def shares(self, trial: SolverTrial) -> list[Interval]:
        """How often the solver is right, and how often the opposite choice would be."""
        return mean_figures([trial.wins, trial.losses], trial.groups, self.seed)

    def _judge(self, trial: SolverTrial) -> tuple[LeakVerdict, str]:
        """The verdict, and the reason where the definition of a slice implies the leak: without its examples there is none."""
        if not trial.units:
            return "undefined", ""
        if not self._leaks(trial):
            return "too_few_to_tell" if self._is_unclear(trial) else "ok", ""
        reasons = [_by_construction(unit, self.solver) for unit in trial.units]
        rest = trial.keep(np.array([not reason for reason in reasons]))
        if len(rest.units) < len(trial.units) and not self._leaks(rest):
            return "by_construction", "; ".join(dict.fromkeys(reason for reason in reasons if reason))
        return "leak", ""

    def _leaks(self, trial: SolverTrial) -> bool:
        if max(trial.wins.sum(), trial.losses.sum()) <= LEAK_ABOVE * len(trial.units):
            return False  # a lower bound is never above its value: no need to resample
        return any(share.low is not None and share.low > LEAK_ABOVE for share in self._shortcuts(trial))

    def _is_unclear(self, trial: SolverTrial) -> bool:
        """Whether the interval is too wide to rule out that the choice, or its opposite, is a leak."""
        accuracy = self.shares(trial)[0]
        if accuracy.low is None or accuracy.high is None:
            return True
        may_leak = any(share.high is not None and share.high > LEAK_ABOVE for share in self._shortcuts(trial))
        return may_leak and accuracy.high - accuracy.low > TOO_WIDE

    def _shortcuts(self, trial: SolverTrial) -> list[Interval]:
        """The choice of a rule and the opposite choice.

        A trained classifier has chosen its direction already. It falls below chance only where its training folds lean the
        other way from the fold that was held out.
        """
        return self.shares(trial)[:1] if self.solver == QUERY_BLIND else self.shares(trial)


def _by_construction(example: Example, solver: str) -> str:
    constraint = example.constraint
    return load_type(constraint.type).by_construction(example, solver) if constraint else ""


def _row_warnings(row: AuditRow, trial: SolverTrial, judge: _Judge) -> Iterator[str]:
    """A sentence about a leak, about a leak in part, or about too few examples to rule out a query-blind leak."""
    forward = bool(trial.wins.sum() >= trial.losses.sum())
    winning = trial if forward else trial.reversed()
    shortcut = _name_shortcut(row.solver, forward)
    where, high = _where(row.slice), row.accuracy.high
    if row.verdict == "leak" and shortcut:
        yield f"{where}, {shortcut} is right in {say(judge.shares(winning)[0], 'share')}: no query need be understood."
    elif row.verdict == "leak_in_part" and shortcut:
        decided = winning.wins.sum() + winning.losses.sum()
        yield (
            f"{where}, {shortcut} decides only {percent(decided / len(trial.units))} of the examples, but is "
            f"right in {percent(winning.wins.sum() / decided)} of those; with a coin for the rest it reaches "
            f"{say(judge.shares(winning.with_coin())[0], 'share')}."
        )
    elif row.solver == QUERY_BLIND and row.verdict == "undefined":
        yield f"{where}, there are too few unrelated examples to train a query-blind classifier."
    elif row.solver == QUERY_BLIND and row.verdict != "by_construction" and high is not None and high > LEAK_ABOVE:
        yield f"{where}, a query-blind leak cannot be ruled out: {say(row.accuracy, 'share')}. More examples would tell."


def _couple_warnings(part: str, members: Sequence[Example]) -> Iterator[str]:
    """In a couple that lost one of its examples, a preference for one document can win."""
    sizes = Counter(example.couple for example in members if example.couple)
    lone = sum(1 for size in sizes.values() if size == 1)
    if lone and part != ALL_MAIN:
        yield f"{_where(part)}, {lone:,} of {len(sizes):,} couples have one example only; keep both, or neither."


def _name_shortcut(solver: str, forward: bool) -> str:
    """The shortcut as the subject of a sentence; empty where the row of the opposite solver says the same."""
    if solver == QUERY_BLIND:
        return "a classifier that never sees the query"
    own = load_solver(solver)
    if forward:
        return f"picking {own.description} (`{solver}`)"
    return "" if own.opposite else f"avoiding {own.description} (`{solver}`)"


def _where(part: str) -> str:
    return "Over all main slices" if part == ALL_MAIN else f"In {part}"
