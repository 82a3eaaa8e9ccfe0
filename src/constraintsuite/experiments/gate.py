"""Whether a run passes a policy: for each rule, whether it passes, fails, or is inconclusive, and why.

A rule is inconclusive where a limit is broken but chance could have done it, or where the value keeps the limit and its interval,
which must keep it too, does not. A run with an inconclusive rule does not pass unless the policy allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import NamedTuple

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.experiments.compare import (
    SystemPair,
    corrected,
    paired_test,
    refuse_incomparable,
    same_test,
)
from constraintsuite.experiments.experiment import Experiment, differing_options, refuse_unlike
from constraintsuite.experiments.gate_notes import refuse_waivers, stale_waivers, unjudged, unwatched, waive
from constraintsuite.experiments.gate_verdicts import (
    GateOutcome,
    GateVerdict,
    judge_change,
    judge_speed,
    judge_value,
)
from constraintsuite.experiments.groupings import OVERALL
from constraintsuite.experiments.outcome_table import JoinedTable, OutcomeTable
from constraintsuite.experiments.policy import LatencyRule, Policy, PolicyRule, Waiver
from constraintsuite.experiments.power import rule_groups
from constraintsuite.metrics.metric import Metric

MAX_DROP = 0.02
"""What the policy lets the headline lose where no policy is given."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """The verdict on a run."""

    run: str
    """What it is called: its system, or its benchmark."""
    baseline: str | None
    data: str
    outcome: GateOutcome
    """The worst of its verdicts."""
    passed: bool
    """Whether it may go on: nothing fails, and nothing is inconclusive unless the policy allows that."""
    allow_inconclusive: bool
    """What the policy says."""
    verdicts: tuple[GateVerdict, ...]
    notes: tuple[str, ...] = ()


class _Cell(NamedTuple):
    """A rule that compares, and what it is applied to."""

    rule: PolicyRule
    system: str
    group: str


def default_policy(baseline: Experiment) -> Policy:
    """What is demanded where no policy is given, by what the baseline has.

    No watched metric may get worse by more than two points, and answers that were timed may take at most 20 % longer.
    """
    if not baseline.watched:
        raise UserError(
            f"{baseline.path}: a {baseline.kind} has no figure that must not drop whatever is asked. Write a policy; "
            "`csuite gate --example` prints one to start from."
        )
    return Policy(
        rules=tuple(_default_rule(baseline.table.metric(name)) for name in baseline.watched),
        latency=LatencyRule() if baseline.timing is not None else None,
    )


def _name(one: Experiment) -> str:
    """What a person calls it: its system, or its folder where it is only named by its data."""
    return one.path.resolve().name if one.name == one.data else one.name


def _default_rule(metric: Metric) -> PolicyRule:
    """No change for the worse beyond two points."""
    if metric.lower_is_better:
        return PolicyRule(metric=metric.name, max_rise=MAX_DROP)
    return PolicyRule(metric=metric.name, max_drop=MAX_DROP)


def check_run(
    policy: Policy,
    run: Experiment,
    baseline: Experiment | None = None,
    waivers: Sequence[Waiver] = (),
    *,
    today: date | None = None,
) -> GateResult:
    """Apply every rule to every system and to every group that is never pooled; rules that compare need the baseline.

    `today` is the day that waivers are judged by, and is needed where there are any.
    """
    if waivers and today is None:
        raise ValueError("waivers need the day that they are judged by")
    refuse_waivers(policy, waivers)
    comparing = [rule for rule in policy.rules if rule.compares]
    if (comparing or policy.latency) and baseline is None:
        raise UserError(
            f"The rule `{[*comparing, policy.latency][0]}` compares with a baseline. Give one with --baseline RUN."
        )
    _refuse_rules(policy, run)
    judged = list(_absolute_verdicts(policy, run))
    notes: list[str] = []
    if baseline is None and run.missing:
        judged.append(_incomplete(run, f"{run.missing:,} items of {run.data} have no result in the run"))
    if baseline is not None:
        refuse_unlike(baseline, run)
        table, pairs = _paired(run, baseline)
        cells, undefined = _relative_cells(policy, table, pairs, run.total)
        if table.left_out:
            judged.append(_incomplete(run, f"{table.left_out:,} items of the baseline have no result in the run"))
        judged += _missing_systems(policy, baseline, pairs)
        judged += _relative_verdicts(policy, table, pairs, cells)
        judged += _speed_verdicts(policy, table, pairs, run, baseline)
        without = [(rule.metric, system, group) for rule, system, group in undefined]
        notes += [
            *differing_options(baseline, run),
            *unjudged(run, table, pairs, without),
        ]
        notes += unwatched(policy, table, pairs)
    day = today or date.min
    verdicts = tuple(waive(verdict, waivers, day) for verdict in judged)
    outcomes = {verdict.outcome for verdict in verdicts if verdict.waived is None}
    outcome: GateOutcome = next((one for one in _WORST_FIRST if one in outcomes), "passed")
    return GateResult(
        run=_name(run),
        baseline=_name(baseline) if baseline else None,
        data=run.data,
        outcome=outcome,
        passed=bool(verdicts) and (outcome == "passed" or (outcome == "inconclusive" and policy.allow_inconclusive)),
        allow_inconclusive=policy.allow_inconclusive,
        verdicts=verdicts,
        notes=(*notes, *stale_waivers(waivers, judged, day)),
    )


_WORST_FIRST: tuple[GateOutcome, ...] = ("failed", "inconclusive")
_BASELINE = "baseline "  # before the name of a system in the joined table


def _refuse_rules(policy: Policy, run: Experiment) -> None:
    """Refuse rules about metrics, groupings and systems that the run does not have."""
    for rule in policy.rules:
        metric = run.table.metric(rule.metric)
        rule.refuse_for(metric)
        if rule.compares:
            refuse_incomparable(metric)
        if rule.system is not None and rule.system not in run.table.systems:
            there = ", ".join(run.table.systems)
            raise UserError(f"The rule `{rule}` is about a system that {run.path} does not have. There are: {there}.")


def _absolute_verdicts(policy: Policy, run: Experiment) -> Iterator[GateVerdict]:
    for rule in (rule for rule in policy.rules if not rule.compares):
        for system in [rule.system] if rule.system else run.table.systems:
            for group in rule_groups(rule, run.table, run.total):
                yield replace(judge_value(rule, run.table, system, group), limit=rule.kind)


def _incomplete(run: Experiment, reason: str) -> GateVerdict:
    """A run that leaves out what it cannot do must not look better for it."""
    return GateVerdict("all items", "all items", run.name, run.total, "failed", reason)


def _missing_systems(policy: Policy, baseline: Experiment, pairs: Mapping[str, SystemPair]) -> Iterator[GateVerdict]:
    """A system that the run or the baseline lacks, although it is compared, fails; single systems need not have one name."""
    for rule in (rule for rule in policy.rules if rule.compares and rule.system and rule.system not in pairs):
        assert rule.system is not None
        reason = "only one of the two runs has this system"
        yield GateVerdict(str(rule), rule.metric, rule.system, OVERALL, "failed", reason, limit=rule.kind)
    for system in (baseline.leading or baseline.table.systems) if len(baseline.table.systems) > 1 else ():
        if system not in pairs:
            yield GateVerdict("all", "all", system, OVERALL, "failed", "the run does not have this system")


def _relative_cells(
    policy: Policy, table: OutcomeTable, pairs: Mapping[str, SystemPair], total: str
) -> tuple[list[_Cell], list[_Cell]]:
    """What the rules that compare are applied to, and what they are not: cells that the baseline has no value in.

    A rule that would be applied to nothing at all keeps its cells, and fails.
    """
    judged: list[_Cell] = []
    undefined: list[_Cell] = []
    for rule in (rule for rule in policy.rules if rule.compares):
        systems = [system for system in ([rule.system] if rule.system else pairs) if system in pairs]
        cells = [_Cell(rule, system, group) for system in systems for group in rule_groups(rule, table, total)]
        empty = [cell for cell in cells if _nothing_to_lose(table, pairs[cell.system], rule.metric, cell.group)]
        kept = [cell for cell in cells if cell not in empty]
        judged += kept or cells
        undefined += empty if kept else []
    return judged, undefined


def _nothing_to_lose(table: OutcomeTable, pair: SystemPair, metric: str, group: str) -> bool:
    """Whether a group has items, and the baseline a value for none of them."""
    members = table.members(group)
    return bool(members) and bool(np.isnan(table.column(pair.first, metric, members)).all())


def _relative_verdicts(
    policy: Policy, table: OutcomeTable, pairs: Mapping[str, SystemPair], cells: Sequence[_Cell]
) -> Iterator[GateVerdict]:
    tests, keys = [], []
    for rule, system, group in cells:
        pair, metric, members = pairs[system], table.metric(rule.metric), table.members(group)
        tests.append(paired_test(table, pair, metric, group, members, alpha=policy.alpha, tests=len(cells)))
        keys.append(same_test(table, pair, metric, members))
    for (rule, system, group), test in zip(cells, corrected(tests, keys), strict=True):
        verdict = judge_change(rule, system, group, table, pairs[system], test, policy.alpha)
        yield replace(verdict, limit=rule.kind)


def _speed_verdicts(
    policy: Policy, table: OutcomeTable, pairs: Mapping[str, SystemPair], run: Experiment, baseline: Experiment
) -> Iterator[GateVerdict]:
    if policy.latency is None:
        return
    for system, group in product(pairs, table.parts() if table.within else [OVERALL]):
        earlier = pairs[system].first.removeprefix(_BASELINE)
        yield judge_speed(policy.latency, system, earlier, group, run.timing, baseline.timing)


def _paired(run: Experiment, baseline: Experiment) -> tuple[JoinedTable, Mapping[str, SystemPair]]:
    """Both in one table, and for each system of the run that of the baseline; single systems need not have one name."""
    old, new = baseline.table, run.table
    alone = len(old.systems) == len(new.systems) == 1
    match = {new.systems[0]: old.systems[0]} if alone else {one: one for one in new.systems if one in old.systems}
    if not match:
        raise UserError(f"{run.path} and {baseline.path} have no system in common.")
    if wanted := set(run.leading) & set(baseline.leading):
        match = {now: before for now, before in match.items() if now in wanted}
    labels = {f"{_BASELINE}{before}": (0, before) for before in match.values()}
    labels |= {f"run {now}": (1, now) for now in match}
    pairs = {now: SystemPair(f"{_BASELINE}{before}", f"run {now}") for now, before in match.items()}
    return JoinedTable([old, new], labels), pairs
