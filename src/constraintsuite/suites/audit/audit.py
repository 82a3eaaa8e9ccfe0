"""Runs every solver on every slice and says whether it meets the target: it does not understand the query, so it is at chance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray, wilson_bounds
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.suites.audit.blind import blind_trials
from constraintsuite.suites.audit.conclusion import conclude, name_slice, warn
from constraintsuite.suites.audit.groups import group_examples, split_by_part
from constraintsuite.suites.audit.overlaps import corpus_overlaps, split_overlaps
from constraintsuite.suites.audit.results import (
    ALL_MAIN,
    NO_INTERACTION,
    QUERY_ONLY,
    TEMPLATE,
    TRAINED,
    Audit,
    AuditRow,
    GroupKind,
)
from constraintsuite.suites.audit.solvers import FIRST_ID, SolverTrial
from constraintsuite.suites.audit.target import CHANCE, judge_paired, judge_share
from constraintsuite.suites.audit.template import SolverPicks, template_trial
from constraintsuite.suites.constraints.base import load_solver, load_type, solvers_for


def audit_examples(
    examples: Sequence[Example], *, seed: int, elsewhere: Mapping[str, Iterable[str]] | None = None
) -> Audit:
    """Try each solver on each slice and on the main slices together; the order of the examples does not matter.

    Texts from `elsewhere`, by the name of their suite or corpus, are searched for texts of the examples.
    """
    ordered = sorted(examples, key=lambda example: example.id)
    picks = _collect_picks(ordered)
    rows: list[AuditRow] = []
    for part, places in split_by_part(ordered).items():
        members = [ordered[place] for place in places]
        kind, groups = group_examples(members)
        own = {name: SolverPicks(*(each[places] for each in found)) for name, found in picks.items()}
        for solver, trial in _trials(members, groups, own, seed):
            rows.append(_make_row(part, solver, trial, kind, stable_hash(str(seed), part, solver)))
    overlaps = (*split_overlaps(ordered, seed), *corpus_overlaps(ordered, elsewhere or {}, seed))
    warnings = (*warn(rows, overlaps), *_warn_of_couples(ordered))
    return Audit(seed, tuple(rows), overlaps, warnings, conclude(rows, overlaps))


def _collect_picks(examples: Sequence[Example]) -> dict[str, SolverPicks]:
    """What each solver picks in each example; NaN for examples of another constraint type than the solver's."""
    tried: dict[str, list[int]] = defaultdict(list)
    for place, example in enumerate(examples):
        for name in solvers_for(example):
            tried[name].append(place)
    picks = {}
    for name, places in tried.items():
        own, solver = [examples[place] for place in places], load_solver(name)
        picks[name] = SolverPicks(np.full(len(examples), np.nan), np.full(len(examples), np.nan))
        picks[name].query[places] = solver.picks(own)
        picks[name].opposite[places] = solver.picks_for_opposite(own, picks[name].query[places])
    return picks


def _trials(
    members: Sequence[Example], groups: IntArray, picks: Mapping[str, SolverPicks], seed: int
) -> Iterator[tuple[str, SolverTrial]]:
    yield from blind_trials(members, groups, seed=seed)
    yield TEMPLATE, template_trial(members, groups, _without_defined(members, picks), seed=seed)
    for name, own in picks.items():
        trial = SolverTrial.of_picks(members, groups, own.query, own.opposite)
        if trial.units:
            yield name, trial


def _without_defined(members: Sequence[Example], picks: Mapping[str, SolverPicks]) -> dict[str, SolverPicks]:
    """The picks without those that the constraint type of an example decides, or that no system can see."""
    found = {}
    for name, own in picks.items():
        if name == FIRST_ID:
            continue
        free = [one.constraint is None or not _decided_by(one, name) for one in members]
        found[name] = SolverPicks(*(np.where(free, each, np.nan) for each in own))
    return found


def _make_row(part: str, solver: str, trial: SolverTrial, groups: GroupKind, seed: int) -> AuditRow:
    """The row of one slice. If a definition decides all its examples, paired accuracy is judged, else the other examples."""
    reasons = [_decided_by(unit, solver) for unit in trial.units]
    reason = "; ".join(dict.fromkeys(reasons)) if all(reasons) else ""
    free = trial if reason else trial.keep(np.array([not each for each in reasons], dtype=bool))
    accuracy = _share(free, seed)
    paired = mean_figures([free.paired], free.groups, seed)[0] if reason else None
    verdict = judge_share(accuracy, is_trained=solver in TRAINED) if paired is None else judge_paired(paired)
    ties = float(free.ties.mean()) if free.units else None
    return AuditRow(part, solver, accuracy, ties, verdict, reason, paired, groups)


def _share(trial: SolverTrial, seed: int) -> Interval:
    """How often the solver is right. If all are ties, the interval says how often it may decide in others."""
    (share,) = mean_figures([trial.right], trial.groups, seed)
    if share.value is None or not trial.ties.all():
        return share
    reach = wilson_bounds(0.0, len(np.unique(trial.groups))).high / 2
    return Interval(CHANCE, CHANCE - reach, CHANCE + reach, share.n)


def _decided_by(example: Example, solver: str) -> str:
    """The definition that decides what a solver picks: that of the constraint type, or of a pair of two queries."""
    if example.constraint is not None:
        return load_type(example.constraint.type).by_construction(example, solver)
    return _PAIR if example.is_paired and solver not in (QUERY_ONLY, NO_INTERACTION) else ""


_PAIR = (
    "each of the two queries wants another document, and which of them is called the query means nothing, so only both "
    "together count"
)


def _warn_of_couples(examples: Sequence[Example]) -> Iterator[str]:
    """In a couple that lost one of its examples, a preference for one document can win."""
    for part, places in split_by_part(examples).items():
        sizes = Counter(examples[place].couple for place in places if examples[place].couple)
        lone = sum(1 for size in sizes.values() if size == 1)
        if lone and part != ALL_MAIN:
            yield (
                f"{name_slice(part)}, {lone:,} of {len(sizes):,} couples have one example only; keep both, or neither."
            )
