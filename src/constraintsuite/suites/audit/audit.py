"""Every solver on every slice, with an interval and a verdict, and plain sentences about what stands out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.figures import percent, say
from constraintsuite.suites.audit.blind import query_blind
from constraintsuite.suites.audit.groups import group_examples, split_by_slice
from constraintsuite.suites.audit.results import ALL_MAIN, QUERY_BLIND, Audit, AuditRow
from constraintsuite.suites.audit.solvers import FloatArray, IntArray, SolverTrial
from constraintsuite.suites.audit.verdicts import LEAK_ABOVE, SolverJudge
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


def about_row(row: AuditRow, trial: SolverTrial, judge: SolverJudge) -> Iterator[str]:
    """What one result means, where it means something: a leak, a leak in part, or too little to tell."""
    forward = bool(trial.wins.sum() >= trial.losses.sum())
    winning = trial if forward else trial.reversed()
    what = _what(row.solver, forward)
    if row.verdict == "leak" and what:
        yield f"{_where(row.slice)}, {what} is right in {say(judge.shares(winning).accuracy, 'share')}: no query need be understood."
    elif row.verdict == "leak_in_part" and what:
        decided = winning.wins.sum() + winning.losses.sum()
        yield (
            f"{_where(row.slice)}, {what} decides only {percent(decided / len(trial.units))} of the examples, but is "
            f"right in {percent(winning.wins.sum() / decided)} of those; with a coin for the rest it reaches "
            f"{say(judge.shares(winning.with_coin()).accuracy, 'share')}."
        )
    elif row.solver == QUERY_BLIND:
        yield from _about_doubt(row)


def about_couples(part: str, members: Sequence[Example]) -> Iterator[str]:
    """A couple that lost one of its examples lets a preference for one document win."""
    sizes = Counter(example.couple for example in members if example.couple)
    lone = sum(1 for size in sizes.values() if size == 1)
    if lone and part != ALL_MAIN:
        yield f"{_where(part)}, {lone:,} of {len(sizes):,} couples have one example only; keep both, or neither."


def _what(solver: str, forward: bool) -> str:
    """The shortcut as the subject of a sentence; empty where another row says the same."""
    if solver == QUERY_BLIND:
        return "a classifier that never sees the query"
    own = load_solver(solver)
    if forward:
        return f"picking {own.says} (`{solver}`)"
    return "" if own.opposite else f"avoiding {own.says} (`{solver}`)"


def _about_doubt(row: AuditRow) -> Iterator[str]:
    high = row.accuracy.high
    if row.verdict == "undefined":
        yield f"{_where(row.slice)}, there are too few unrelated examples to train a query-blind classifier."
    elif row.verdict in ("ok", "too_few_to_tell") and high is not None and high > LEAK_ABOVE:
        yield f"{_where(row.slice)}, a query-blind leak cannot be ruled out: {say(row.accuracy, 'share')}. More examples would tell."


def _where(part: str) -> str:
    return "Over all main slices" if part == ALL_MAIN else f"In {part}"
