"""The verdict on one rule for one system and group: on a value, on a change against a baseline, or on a latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from constraintsuite.core.records.figures import points, say
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.compare import ItemChange, PairedDifference, SystemPair, changed_items, describe_change
from constraintsuite.experiments.experiment import SystemSpeed, Timing
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.outcome_table import OutcomeTable
from constraintsuite.experiments.policy import LATENCY, LatencyRule, LimitKind, PolicyRule

GateOutcome = Literal["passed", "failed", "inconclusive"]
SHOWN_BROKEN = 20
"""The number of items that a verdict names; it counts all of them."""
_ROUNDING = 1e-9  # so that a change of exactly the limit is within it


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """The outcome of one rule for one system and group, with the reason."""

    rule: str
    metric: str
    system: str
    group: str
    outcome: GateOutcome
    reason: str
    value: Interval | None = None
    """The value of the run; None if the group has no items."""
    baseline: float | None = None
    difference: Interval | None = None
    """Run minus baseline, paired."""
    p: float | None = None
    """Two-sided p of the clustered sign-flip test."""
    holm: float | None = None
    """That p corrected for all tests of the gate."""
    detectable: float | None = None
    """The smallest change that these items show with a probability of 80 %; None if they cannot show any."""
    broken: tuple[ItemChange, ...] = ()
    """The items that broke, the largest change first: at most 20 of them."""
    broken_count: int = 0
    waived: str | None = None
    """The reason why a failure may pass."""
    limit: LimitKind | None = None
    """The kind of limit of the rule; None for the latency rule."""


def failed(rule: PolicyRule, system: str, group: str, reason: str, value: Interval | None = None) -> GateVerdict:
    """The verdict on a rule that cannot be applied: an undefined value must not pass."""
    return GateVerdict(str(rule), rule.metric, system, group, "failed", reason, value, limit=rule.kind)


def judge_value(rule: PolicyRule, table: OutcomeTable, system: str, group: str) -> GateVerdict:
    """Apply a rule with `min` or `max` to the value of one system."""
    members = table.members(group)
    value = _figure(table, system, rule.metric, members)
    if value is None or value.value is None:
        return failed(rule, system, group, _undefined(table, group), value)
    outcome, reason = _check_value(rule, table.metric(rule.metric), value)
    verdict = GateVerdict(str(rule), rule.metric, system, group, outcome, reason, value, limit=rule.kind)
    return verdict if outcome == "passed" else _with_worst(verdict, table, members)


def _check_value(rule: PolicyRule, metric: Metric, figure: Interval) -> tuple[GateOutcome, str]:
    low = rule.kind == "min"
    assert figure.value is not None
    value, limit = say(figure.value, metric.kind), say(rule.limit, metric.kind)
    words, which, end = ("at least", "lower", figure.low) if low else ("at most", "upper", figure.high)
    if figure.value < rule.limit if low else figure.value > rule.limit:
        return "failed", f"{value} is {'below' if low else 'above'} {limit}"
    if not rule.needs_certainty:
        return "passed", f"{value} is {words} {limit}"
    said = "" if end is None else say(end, metric.kind)
    if end is None or (end < rule.limit if low else end > rule.limit):
        reason = "it has no interval" if end is None else f"its interval reaches {said}"
        return "inconclusive", f"{value} is {words} {limit}, but {reason}: inconclusive with this many items"
    return "passed", f"{which} end {said} is {words} {limit}"


def judge_change(
    rule: PolicyRule,
    system: str,
    group: str,
    table: OutcomeTable,
    pair: SystemPair,
    test: PairedDifference,
    alpha: float,
) -> GateVerdict:
    """Apply a rule with `max_drop` or `max_rise` to a paired test against the baseline."""
    members = table.members(group)
    value = _figure(table, pair.second, rule.metric, members)
    before, after = (table.column(one, rule.metric, members) for one in pair)
    lost = int((np.isfinite(before) & ~np.isfinite(after)).sum())
    if lost:
        reason = f"undefined for {lost:,} items that have a value in the baseline"
        return failed(rule, system, group, reason, value)
    if test.difference.value is None:
        return failed(rule, system, group, _undefined(table, group), value)
    outcome, reason = _check_change(rule, test, table, members, alpha)
    verdict = GateVerdict(
        str(rule),
        rule.metric,
        system,
        group,
        outcome,
        reason,
        value,
        test.value_first,
        test.difference,
        test.p,
        test.holm,
        test.detectable,
        limit=rule.kind,
    )
    if outcome == "passed":
        return verdict
    worse = after < before if rule.kind == "max_drop" else after > before
    broken = [i for i, broke in zip(members, worse.tolist(), strict=True) if broke]
    shown = changed_items(table, pair, rule.metric, broken, SHOWN_BROKEN)
    return replace(verdict, broken=shown, broken_count=len(broken))


def _check_change(
    rule: PolicyRule, test: PairedDifference, table: OutcomeTable, members: Sequence[int], alpha: float
) -> tuple[GateOutcome, str]:
    metric, word, found = table.metric(rule.metric), rule.kind.removeprefix("max_"), test.difference
    sign, least, most = (-1, found.high, found.low) if word == "drop" else (1, found.low, found.high)
    change = sign * (found.value or 0.0)
    least, most = (None if end is None else sign * end for end in (least, most))
    if most is None and test.p == 1.0 and not change:  # nothing changed at all
        most = 0.0
    allowed, limit = rule.limit + _ROUNDING, show_size(rule.limit, metric)
    said = f"a {word} of {show_size(change, metric)}" if change > 0 else f"no {word}"
    can = _detectable(test, metric, word, table, members)
    if change > allowed:
        if not rule.significant:
            return "failed", f"{said} is beyond {limit}"
        p = 1.0 if test.holm is None else test.holm
        chance = f"(p {say(p, 'p')})"
        if p >= alpha:
            return "inconclusive", f"{said} is beyond {limit}, but could be chance {chance}: {can}"
        if least is not None and least <= allowed:
            doubt = f"a {word} of {show_size(least, metric)} cannot be ruled out: {can}"
            return "inconclusive", f"{said} is beyond {limit} and more than chance {chance}, but {doubt}"
        return "failed", f"{said} is beyond {limit} {chance}: {can}"
    if test.detectable is None and metric.bounds is not None and rule.significant:
        return "inconclusive", f"{said}, but {can}"
    if rule.needs_certainty and (most is None or most > allowed):
        possible = "an unknown amount" if most is None else show_size(most, metric)
        return "inconclusive", f"{said} is within {limit}, but a {word} of {possible} cannot be ruled out: {can}"
    return "passed", f"{said} is within {limit}; {can}" if change > 0 else f"{said}; {can}"


def _detectable(test: PairedDifference, metric: Metric, word: str, table: OutcomeTable, members: Sequence[int]) -> str:
    """A sentence about the smallest change that the items of a test can show."""
    tested = np.isfinite([table.column(one, test.metric, members) for one in (test.first, test.second)]).all(axis=0)
    clusters = len(np.unique(table.clusters(members).numbers[tested]))
    if test.detectable is not None:
        can = f"detect a {word} of {show_size(test.detectable, metric)} or more"
    else:
        can = f"are too few to detect any {word}" if metric.bounds else "show no spread to judge by"
    return f"{test.difference.n:,} items in {clusters:,} clusters {can}"


def show_size(change: float, metric: Metric) -> str:
    """The size of a change, in points for a share."""
    return points(change) if metric.share else say(abs(change), "number")


def _figure(table: OutcomeTable, system: str, metric: str, members: Sequence[int]) -> Interval | None:
    return group_figures(table, system, members, metrics=[metric]).metrics[metric] if members else None


def _undefined(table: OutcomeTable, group: str) -> str:
    if table.members(group):
        return f"undefined: no item of {group} has a value"
    grouping, _, _ = group.rpartition(", ")[2].partition("=")
    there = ", ".join(value for value, members in table.groups.get(grouping, {}).items() if members) or "none"
    return f"undefined: no item is in {group}; there are {there}"


def _with_worst(verdict: GateVerdict, table: OutcomeTable, members: Sequence[int]) -> GateVerdict:
    """The verdict with the items that are worse than the mean, the worst first."""
    low = verdict.limit == "min"
    values = table.column(verdict.system, verdict.metric, members)
    mean = np.nanmean(values)
    worse = [i for i in range(len(members)) if (values[i] < mean or values[i] == 0 if low else values[i] > mean)]
    worse.sort(key=lambda i: (float(values[i]) if low else -float(values[i]), table.items[members[i]].id))
    systems = (None, verdict.system)
    shown = (describe_change(table, members[i], systems, None, float(values[i])) for i in worse[:SHOWN_BROKEN])
    return replace(verdict, broken=tuple(shown), broken_count=len(worse))


def judge_speed(
    rule: LatencyRule, system: str, earlier: str, group: str, new: Timing | None, old: Timing | None
) -> GateVerdict:
    """Apply the latency rule, in units of each machine's calibration; `earlier` is the system in the baseline."""
    now, before = _find_speed(rule, system, group, new), _find_speed(rule, earlier, group, old)
    if new is None or old is None or now is None or before is None:
        reason = f"undefined: both runs need {rule.min_repetitions} warm passes; time them again, or drop the rule"
        return GateVerdict(str(rule), LATENCY, system, group, "failed", reason)
    machine = new.calibration_ms / old.calibration_ms
    expected = before.p95_ms * machine
    rise = now.p95_ms / expected - 1
    kept = rise <= rule.max_rise + _ROUNDING or now.p95_ms - expected <= rule.floor_ms
    reason = (
        f"p95 {now.p95_ms:.3g} ms, {100 * rise:+.1f} % against {before.p95_ms:.3g} ms on a machine that takes {machine:.2f} times "
        "as long for the calibration"
    )
    return GateVerdict(str(rule), LATENCY, system, group, "passed" if kept else "failed", reason)


def _find_speed(rule: LatencyRule, system: str, group: str, timing: Timing | None) -> SystemSpeed | None:
    """The speed of a system in a group, if it was timed often enough."""
    speed = timing.find(system, group) if timing else None
    return speed if speed is not None and speed.repetitions >= rule.min_repetitions else None
