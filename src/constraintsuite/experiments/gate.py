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

from constraintsuite.core.errors import UserError
from constraintsuite.experiments.compare import ComparedCell, SystemPair, paired_test, run_tests
from constraintsuite.experiments.experiment import Experiment, differing_options, refuse_unlike
from constraintsuite.experiments.gate_verdicts import (
    GateOutcome,
    GateVerdict,
    judge_change,
    judge_speed,
    judge_value,
    show_size,
)
from constraintsuite.experiments.outcome_table import OVERALL, JoinedTable
from constraintsuite.experiments.policy import LatencyRule, Policy, PolicyRule, Waiver, rule_groups

MAX_DROP = 0.02
"""What the policy lets the headline lose where no policy is given."""
NOTABLE = 0.02
"""A drop of the headline metric by more than this is noted in slices that no rule is about."""
_BASELINE = "baseline "  # before the name of a system in the joined table


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


class _Paired(NamedTuple):
    """A run and its baseline in one table."""

    table: JoinedTable
    pairs: Mapping[str, SystemPair]
    """For each system of the run the two that are compared; single systems need not have one name."""


def default_policy(baseline: Experiment) -> Policy:
    """What is demanded where no policy is given, by what the baseline has.

    No watched metric may get worse by more than two points, and answers that were timed may take at most 20 % longer.
    """
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
    """Apply every rule to every system and to every group that is never pooled; rules that compare need the baseline.

    `today` is the day that waivers are judged by, and is needed where there are any.
    """
    if waivers and today is None:
        raise ValueError("waivers need the day that they are judged by")
    _refuse_rules(policy, run, baseline, waivers)
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
    day = today or date.min
    verdicts = tuple(_waive(verdict, waivers, day) for verdict in judged)
    outcomes = {verdict.outcome for verdict in verdicts if verdict.waived is None}
    outcome: GateOutcome = (
        "failed" if "failed" in outcomes else "inconclusive" if "inconclusive" in outcomes else "passed"
    )
    return GateResult(
        run=_name(run),
        baseline=_name(baseline) if baseline else None,
        data=run.data,
        outcome=outcome,
        passed=bool(verdicts) and (outcome == "passed" or (outcome == "inconclusive" and policy.allow_inconclusive)),
        allow_inconclusive=policy.allow_inconclusive,
        verdicts=verdicts,
        notes=(*notes, *_stale_waivers(waivers, judged, day)),
    )


def _name(one: Experiment) -> str:
    """What a person calls it: its system, or its folder where it is only named by its data."""
    return one.path.resolve().name if one.name == one.data else one.name


def _refuse_rules(policy: Policy, run: Experiment, baseline: Experiment | None, waivers: Sequence[Waiver]) -> None:
    """Refuse rules that need a baseline where there is none, or name what the run lacks, and waivers for several rules."""
    comparing = [*(rule for rule in policy.rules if rule.compares), *([policy.latency] if policy.latency else [])]
    if comparing and baseline is None:
        raise UserError(f"The rule `{comparing[0]}` compares with a baseline. Give one with --baseline RUN.")
    for rule in policy.rules:
        rule.refuse_for(run.table.metric(rule.metric))
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
    """A run that leaves out what it cannot do must not look better for it."""
    return GateVerdict("all items", "all items", run.name, run.total, "failed", reason)


def _pair(run: Experiment, baseline: Experiment) -> _Paired:
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
    return _Paired(JoinedTable([old, new], labels), pairs)


def _missing_systems(policy: Policy, baseline: Experiment, paired: _Paired) -> Iterator[GateVerdict]:
    """A system that the run or the baseline lacks, although it is compared, fails; single systems need not have one name."""
    for rule in policy.rules:
        if rule.compares and rule.system is not None and rule.system not in paired.pairs:
            reason = "only one of the two runs has this system"
            yield GateVerdict(str(rule), rule.metric, rule.system, OVERALL, "failed", reason, limit=rule.kind)
    for system in (baseline.leading or baseline.table.systems) if len(baseline.table.systems) > 1 else ():
        if system not in paired.pairs:
            yield GateVerdict("all", "all", system, OVERALL, "failed", "the run does not have this system")


_RuleCell = tuple[PolicyRule, str, str]
"""A rule that compares, and the system and group that it is applied to."""


def _relative_cells(policy: Policy, paired: _Paired, total: str) -> tuple[list[_RuleCell], list[_RuleCell]]:
    """What the rules that compare are applied to, and what they are not: cells that the baseline has no value in.

    A rule that would be applied to nothing at all keeps its cells, and fails.
    """
    table, pairs = paired

    def is_undefined(cell: _RuleCell) -> bool:
        rule, system, group = cell
        members = table.members(group)
        return bool(members) and bool(np.isnan(table.column(pairs[system].first, rule.metric, members)).all())

    judged: list[_RuleCell] = []
    undefined: list[_RuleCell] = []
    for rule in (rule for rule in policy.rules if rule.compares):
        systems = [system for system in ([rule.system] if rule.system else pairs) if system in pairs]
        cells = [(rule, system, group) for system in systems for group in rule_groups(rule, table, total)]
        kept = [cell for cell in cells if not is_undefined(cell)]
        judged += kept or cells
        undefined += [cell for cell in cells if cell not in kept] if kept else []
    return judged, undefined


def _relative_verdicts(policy: Policy, paired: _Paired, cells: Sequence[_RuleCell]) -> Iterator[GateVerdict]:
    table, pairs = paired
    tests = run_tests(
        table,
        [ComparedCell(pairs[s], table.metric(rule.metric), group, table.members(group)) for rule, s, group in cells],
        alpha=policy.alpha,
    )
    for (rule, system, group), test in zip(cells, tests, strict=True):
        yield judge_change(rule, system, group, table, pairs[system], test, policy.alpha)


def _speed_verdicts(policy: Policy, paired: _Paired, run: Experiment, baseline: Experiment) -> Iterator[GateVerdict]:
    if policy.latency is None:
        return
    for system, group in product(paired.pairs, paired.table.parts() if paired.table.within else [OVERALL]):
        earlier = paired.pairs[system].first.removeprefix(_BASELINE)
        yield judge_speed(policy.latency, system, earlier, group, run.timing, baseline.timing)


def _unjudged(run: Experiment, paired: _Paired, undefined: Sequence[_RuleCell]) -> Iterator[str]:
    """What was not judged because the baseline does not have it."""
    more = len(run.table.items) - len(paired.table.items)
    if more:
        yield f"{more:,} items of the run are not in the baseline, and were not compared."
    for system in run.table.systems:
        if system not in paired.pairs:
            yield f"{system} is not in the baseline, and was not judged."
    for rule, system, group in undefined:
        yield f"{rule.metric} is not defined for {system} in {group}, and was not judged."


def _unwatched(policy: Policy, paired: _Paired) -> Iterator[str]:
    """Slices that no rule is about and that got worse by more than chance: the headline does not count all of them."""
    table, pairs = paired
    counted, metric = set(table.headline), table.metric(table.headline_metric)
    named = {rule.group for rule in policy.rules}
    slices = {f"slice={value}": members for value, members in table.groups.get("slice", {}).items() if members}
    for group, members in slices.items():
        if group in named or counted & set(members):
            continue
        for pair in pairs.values():
            test = paired_test(table, pair, metric, group, members, tests=len(slices))
            change = test.difference.value
            if change is not None and change < -NOTABLE and (test.p or 0.0) * len(slices) < policy.alpha:
                yield (
                    f"Look at {group}: its {metric} dropped by {show_size(-change, metric)}, and no rule of the policy is about it."
                )


def _waive(verdict: GateVerdict, waivers: Sequence[Waiver], today: date) -> GateVerdict:
    """The verdict, with the reason of a waiver that lets its failure pass."""
    covering = (w for w in waivers if w.covers(verdict.metric, verdict.limit, verdict.system, verdict.group, today))
    waiver = None if verdict.outcome == "passed" else next(covering, None)
    if waiver is None:
        return verdict
    return replace(verdict, waived=f"{waiver.reason} (until {waiver.expires.isoformat()})")


def _stale_waivers(waivers: Sequence[Waiver], judged: Sequence[GateVerdict], today: date) -> Iterator[str]:
    """Waivers that have expired, and those that let nothing pass."""
    for waiver in waivers:
        if today > waiver.expires:
            yield f"The waiver for {waiver.rule} expired on {waiver.expires.isoformat()}: {waiver.reason}"
        elif not any(
            v.outcome != "passed" and waiver.covers(v.metric, v.limit, v.system, v.group, today) for v in judged
        ):
            yield f"The waiver for {waiver.rule} lets nothing pass and can be removed: {waiver.reason}"
