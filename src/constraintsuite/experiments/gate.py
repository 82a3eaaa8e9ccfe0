"""Apply a policy to a run: each rule passes, fails or is inconclusive, with a reason.

A rule is inconclusive if chance alone could explain that its limit is broken, or if the value keeps the limit but the end of
its interval, which must keep it too, does not. A run with an inconclusive rule does not pass unless the policy allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.experiments.compare import ComparedCell, SystemPair, paired_test, run_tests
from constraintsuite.experiments.experiment import Experiment, differing_options, refuse_unlike
from constraintsuite.experiments.gate_verdicts import (
    GateOutcome,
    GateVerdict,
    failed,
    judge_change,
    judge_speed,
    judge_value,
    show_size,
)
from constraintsuite.experiments.outcome_table import OVERALL, JoinedTable
from constraintsuite.experiments.policy import LatencyRule, Policy, PolicyRule, Waiver, rule_groups

_WORST_FIRST: tuple[GateOutcome, ...] = ("failed", "inconclusive")
MAX_DROP = 0.02
"""How far the watched figures may drop if there is no policy."""
NOTABLE_DROP = 0.02
"""A larger drop of the headline metric is noted in slices that no rule covers."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """The verdict on a run."""

    run: str
    """The name of its system, or of its benchmark."""
    baseline: str | None
    data: str
    outcome: GateOutcome
    """The worst outcome of the verdicts that are not waived."""
    passed: bool
    """Whether no rule fails, and none is inconclusive unless the policy allows that."""
    allow_inconclusive: bool
    verdicts: tuple[GateVerdict, ...]
    notes: tuple[str, ...] = ()


class _PairedRuns(NamedTuple):
    """A run and its baseline in one table."""

    table: JoinedTable
    pairs: Mapping[str, SystemPair]
    """By system of the run: its labels in the table, the baseline's label first."""
    earlier: Mapping[str, str]
    """By system of the run: the system of the baseline. If both have only one system, the names may differ."""


def default_policy(baseline: Experiment) -> Policy:
    """The policy if none is given: no watched metric gets worse by more than 2 points, and no latency rises by more than 20 %."""
    if not baseline.watched:
        raise UserError(
            f"{baseline.path}: a {baseline.kind} has no figures for a default policy to watch. Write a policy; "
            "`csuite gate --example` prints one to start from."
        )
    worse = {
        name: "max_rise" if baseline.table.metric(name).lower_is_better else "max_drop" for name in baseline.watched
    }
    return Policy(
        rules=tuple(PolicyRule.model_validate({"metric": name, limit: MAX_DROP}) for name, limit in worse.items()),
        latency=LatencyRule() if baseline.timing is not None else None,
    )


def check_run(
    policy: Policy,
    run: Experiment,
    baseline: Experiment | None = None,
    waivers: Sequence[Waiver] = (),
    *,
    today: date | None = None,
) -> GateResult:
    """Apply every rule to every system, in every group that is never pooled. Rules that compare need the baseline.

    `today` is the date on which waivers must still be valid.
    """
    _check_rules(policy, run, baseline, waivers)
    judged = [
        judge_value(rule, run.table, system, group)
        for rule in policy.rules
        if not rule.compares
        for system in ([rule.system] if rule.system else run.table.systems)
        for group in rule_groups(rule, run.table, run.total)
    ]
    notes: list[str] = []
    if baseline is not None:
        refuse_unlike(baseline, run)
        paired = _pair(run, baseline)
        if paired.table.left_out:
            judged.append(
                _incomplete(run, f"{paired.table.left_out:,} items of the baseline have no result in the run")
            )
        cells, undefined = _relative_cells(policy, paired, run.total)
        judged += _missing_systems(policy, baseline, paired)
        judged += _relative_verdicts(policy, paired, cells)
        judged += _speed_verdicts(policy, paired, run, baseline)
        notes += [*differing_options(baseline, run), *_unjudged(run, paired, undefined), *_unwatched(policy, paired)]
    elif run.missing:
        judged.append(_incomplete(run, f"{run.missing:,} items of {run.data} have no result in the run"))
    valid = [waiver for waiver in waivers if (today or date.min) <= waiver.expires]
    verdicts = tuple(_waive(verdict, valid) for verdict in judged)
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
        notes=(*notes, *_stale_waivers(waivers, valid, judged)),
    )


def _name(one: Experiment) -> str:
    """The name of the system, or of the folder if the experiment is only named by its data."""
    return one.path.resolve().name if one.name == one.data else one.name


def _check_rules(policy: Policy, run: Experiment, baseline: Experiment | None, waivers: Sequence[Waiver]) -> None:
    """Refuse rules that lack a baseline, rules about a system that the run lacks, and waivers that cover several limits."""
    comparing = [*(rule for rule in policy.rules if rule.compares), *([policy.latency] if policy.latency else [])]
    if comparing and baseline is None:
        raise UserError(f"The rule `{comparing[0]}` compares with a baseline. Give one with --baseline RUN.")
    for rule in policy.rules:
        rule.check_metric(run.table.metric(rule.metric))
        if rule.system is not None and rule.system not in run.table.systems:
            there = ", ".join(run.table.systems)
            raise UserError(f"The rule `{rule}` is about a system that {run.path} does not have. There are: {there}.")
    for waiver in waivers:
        kinds = {rule.kind for rule in policy.rules if rule.metric == waiver.rule}
        if waiver.limit is None and len(kinds) > 1:
            raise UserError(
                f"The waiver for {waiver.rule} covers rules with {' and '.join(sorted(kinds))}. Say which: `limit: {min(kinds)}`."
            )


def _incomplete(run: Experiment, reason: str) -> GateVerdict:
    """A failure for a run without some results: leaving out hard items must not help."""
    return GateVerdict("all items", "all items", run.name, run.total, "failed", reason)


def _pair(run: Experiment, baseline: Experiment) -> _PairedRuns:
    old, new = baseline.table, run.table
    alone = len(old.systems) == len(new.systems) == 1
    earlier = {new.systems[0]: old.systems[0]} if alone else {one: one for one in new.systems if one in old.systems}
    if not earlier:
        raise UserError(f"{run.path} and {baseline.path} have no system in common.")
    if wanted := set(run.leading) & set(baseline.leading):
        earlier = {now: before for now, before in earlier.items() if now in wanted}
    pairs = {now: SystemPair(f"baseline {before}", f"run {now}") for now, before in earlier.items()}
    labels = {pairs[now].first: (0, before) for now, before in earlier.items()}
    labels |= {pairs[now].second: (1, now) for now in earlier}
    return _PairedRuns(JoinedTable([old, new], labels), pairs, earlier)


def _missing_systems(policy: Policy, baseline: Experiment, paired: _PairedRuns) -> Iterator[GateVerdict]:
    """A failure for each system that should be compared, but that the run or the baseline lacks."""
    for rule in policy.rules:
        if rule.compares and rule.system is not None and rule.system not in paired.pairs:
            yield failed(rule, rule.system, OVERALL, "only one of the two runs has this system")
    for system in (baseline.leading or baseline.table.systems) if len(baseline.table.systems) > 1 else ():
        if system not in paired.pairs:
            yield GateVerdict("all", "all", system, OVERALL, "failed", "the run does not have this system")


_RuleCell = tuple[PolicyRule, str, str]
"""A rule that compares, and the system and group that it applies to."""


def _relative_cells(policy: Policy, paired: _PairedRuns, total: str) -> tuple[list[_RuleCell], list[_RuleCell]]:
    """The cells to judge by rules that compare, and the cells without any value in the baseline, which are not judged.

    If all cells of a rule have no value in the baseline, they are judged, and fail.
    """
    judged: list[_RuleCell] = []
    undefined: list[_RuleCell] = []
    for rule in (rule for rule in policy.rules if rule.compares):
        systems = [system for system in ([rule.system] if rule.system else paired.pairs) if system in paired.pairs]
        cells = [(rule, system, group) for system in systems for group in rule_groups(rule, paired.table, total)]
        kept = [cell for cell in cells if not _is_undefined(cell, paired)]
        judged += kept or cells
        undefined += [cell for cell in cells if cell not in kept] if kept else []
    return judged, undefined


def _is_undefined(cell: _RuleCell, paired: _PairedRuns) -> bool:
    rule, system, group = cell
    members = paired.table.members(group)
    values = paired.table.column(paired.pairs[system].first, rule.metric, members)
    return bool(members) and bool(np.isnan(values).all())


def _relative_verdicts(policy: Policy, paired: _PairedRuns, cells: Sequence[_RuleCell]) -> Iterator[GateVerdict]:
    table, pairs = paired.table, paired.pairs
    tests = run_tests(
        table,
        [ComparedCell(pairs[s], table.metric(rule.metric), group, table.members(group)) for rule, s, group in cells],
        alpha=policy.alpha,
    )
    for (rule, system, group), test in zip(cells, tests, strict=True):
        yield judge_change(rule, system, group, table, pairs[system], test, policy.alpha)


def _speed_verdicts(
    policy: Policy, paired: _PairedRuns, run: Experiment, baseline: Experiment
) -> Iterator[GateVerdict]:
    if policy.latency is None:
        return
    groups = paired.table.parts() if paired.table.within else [OVERALL]
    for (system, earlier), group in product(paired.earlier.items(), groups):
        yield judge_speed(policy.latency, system, earlier, group, run.timing, baseline.timing)


def _unjudged(run: Experiment, paired: _PairedRuns, undefined: Sequence[_RuleCell]) -> Iterator[str]:
    """Notes on what was not judged because the baseline does not have it."""
    more = len(run.table.items) - len(paired.table.items)
    if more:
        yield f"{more:,} items of the run are not in the baseline, and were not compared."
    for system in run.table.systems:
        if system not in paired.pairs:
            yield f"{system} is not in the baseline, and was not judged."
    for rule, system, group in undefined:
        yield f"{rule.metric} is not defined for {system} in {group}, and was not judged."


def _unwatched(policy: Policy, paired: _PairedRuns) -> Iterator[str]:
    """Notes on slices outside the headline that no rule covers, and that got worse by more than chance."""
    table = paired.table
    counted, metric = set(table.headline), table.metric(table.headline_metric)
    covered = {rule.group for rule in policy.rules}
    slices = {f"slice={value}": members for value, members in table.groups.get("slice", {}).items() if members}
    for group, members in slices.items():
        if group in covered or counted & set(members):
            continue
        for pair in paired.pairs.values():
            test = paired_test(table, pair, metric, group, members, tests=len(slices))
            change = test.difference.value
            if change is not None and change < -NOTABLE_DROP and (test.p or 0.0) * len(slices) < policy.alpha:
                size = show_size(-change, metric)
                yield f"Look at {group}: its {metric} dropped by {size}, and no rule of the policy is about it."


def _waive(verdict: GateVerdict, valid: Sequence[Waiver]) -> GateVerdict:
    """The verdict with the reason of a waiver that covers its failure, if there is one."""
    waiver = next((one for one in valid if _covers(one, verdict)), None)
    if waiver is None:
        return verdict
    return replace(verdict, waived=f"{waiver.reason} (until {waiver.expires.isoformat()})")


def _covers(waiver: Waiver, verdict: GateVerdict) -> bool:
    return (
        verdict.outcome != "passed"
        and waiver.rule == verdict.metric
        and waiver.limit in (None, verdict.limit)
        and waiver.system in (None, verdict.system)
        and waiver.group in (None, verdict.group)
    )


def _stale_waivers(waivers: Sequence[Waiver], valid: Sequence[Waiver], judged: Sequence[GateVerdict]) -> Iterator[str]:
    """Notes on waivers that have expired, and on those that cover no failure."""
    for waiver in waivers:
        if waiver not in valid:
            yield f"The waiver for {waiver.rule} expired on {waiver.expires.isoformat()}: {waiver.reason}"
        elif not any(_covers(waiver, verdict) for verdict in judged):
            yield f"The waiver for {waiver.rule} lets nothing pass and can be removed: {waiver.reason}"
