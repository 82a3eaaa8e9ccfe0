"""Every solver on every slice, with an interval and a verdict, and plain sentences about what stands out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from constraintsuite.records.examples import Example
from constraintsuite.suites.audit.base import FloatArray, IntArray, SolverTrial
from constraintsuite.suites.audit.blind import query_blind
from constraintsuite.suites.audit.callouts import about_couples, about_row
from constraintsuite.suites.audit.groups import group_examples
from constraintsuite.suites.audit.results import QUERY_BLIND, Audit, AuditRow
from constraintsuite.suites.audit.slices import split_by_slice
from constraintsuite.suites.audit.verdicts import SolverJudge
from constraintsuite.suites.constraints.base import load_solver, solvers_for


def audit_examples(examples: Sequence[Example], *, seed: int) -> Audit:
    """What each solver scores on each slice and on the main slices together; the order of the examples is no matter."""
    ordered = sorted(examples, key=lambda example: example.id)
    picks = _picks(ordered)
    rows: list[AuditRow] = []
    warnings: list[str] = []
    for part, places in split_by_slice(ordered).items():
        members = [ordered[place] for place in places]
        grouping = group_examples(members)
        own = {name: found[places] for name, found in picks.items() if not np.isnan(found[places]).all()}
        for solver, trial in _trials(members, grouping.groups, own, seed):
            judge = SolverJudge(solver, reversible=solver != QUERY_BLIND, key=(str(seed), part))
            row = judge.row(part, trial, grouping.kind)
            rows.append(row)
            warnings += about_row(row, trial, judge)
        warnings += about_couples(part, members)
    return Audit(seed, tuple(rows), tuple(warnings))


def _picks(examples: Sequence[Example]) -> dict[str, FloatArray]:
    """What each solver picks of each example; NaN where it is a solver of another constraint type."""
    tried: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        for name in solvers_for(example):
            tried.setdefault(name, []).append(place)
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
