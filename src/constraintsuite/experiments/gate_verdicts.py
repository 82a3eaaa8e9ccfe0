"""The verdict on one rule for one system and group: an absolute limit, a change against a baseline, a rise of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from constraintsuite.experiments.compare import ItemChange, PairedDifference, SystemPair, changed_items
from constraintsuite.experiments.experiment import SystemSpeed, Timing
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.outcome_table import OutcomeTable
from constraintsuite.experiments.policy import LATENCY, LatencyRule, LimitKind, PolicyRule
from constraintsuite.metrics.metric import Metric
from constraintsuite.records.figures import points, say
from constraintsuite.records.scores import Interval

GateOutcome = Literal["passed", "failed", "inconclusive"]
SHOWN_BROKEN = 20
"""Items that a verdict names; it counts all of them."""
_ROUNDING = 1e-9  # so that a change of exactly the limit is within it


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What became of one rule for one system and group."""

    rule: str
    metric: str
    system: str
    group: str
    outcome: GateOutcome
    reason: str
    value: Interval | None = None
    """Of the run; None where the group has no item."""
    baseline: float | None = None
    difference: Interval | None = None
    """Run less baseline, paired."""
    p: float | None = None
    """Of the clustered sign-flip test."""
    holm: float | None = None
    """That p corrected for all tests of the gate."""
    detectable: float | None = None
    """The smallest change that these items would show with a probability of 80 %; None where there is no such."""
    broken: tuple[ItemChange, ...] = ()
    """The items that broke, those first that moved furthest: at most 20 of them."""
    broken_count: int = 0
    waived: str | None = None
    """The reason for which a failure is let pass."""
    limit: LimitKind | None = None
    """Which limit the rule has; None for a rule about times."""


def judge_value(rule: PolicyRule, table: OutcomeTable, system: str, group: str) -> GateVerdict:
    """Apply a rule with `min` or `max` to the figure of one system."""
    metric, members = table.metric(rule.metric), table.members(group)
    value = group_figures(table, system, members, metrics=[rule.metric]).metrics[rule.metric] if members else None

    def verdict(outcome: GateOutcome, reason: str) -> GateVerdict:
        made = GateVerdict(str(rule), rule.metric, system, group, outcome, reason, value)
        return made if outcome == "passed" else _with_worst(made, table, members, low=rule.kind == "min")

    if value is None or value.value is None:
        return verdict("failed", _undefined(table, group))
    low = rule.kind == "min"
    if _breaks(value.value, rule):
        word = "below" if low else "above"
        return verdict("failed", f"{say(value.value, metric.kind)} is {word} {say(rule.limit, metric.kind)}")
    end = value.low if low else value.high
    if rule.needs_certainty and (end is None or _breaks(end, rule)):
        least = "no bound" if end is None else say(end, metric.kind)
        return verdict(
            "inconclusive",
            f"{say(value.value, metric.kind)} keeps {say(rule.limit, metric.kind)}, but the "
            f"{'lower' if low else 'upper'} end of its interval, {least}, does not: too few items to be sure",
        )
    words = "at least" if low else "at most"
    shown = end if rule.needs_certainty and end is not None else value.value
    what = f"{'lower' if low else 'upper'} end {say(shown, metric.kind)}" if rule.needs_certainty else ""
    return verdict("passed", f"{what or say(shown, metric.kind)} is {words} {say(rule.limit, metric.kind)}")


def _breaks(value: float, rule: PolicyRule) -> bool:
    return value < rule.limit if rule.kind == "min" else value > rule.limit


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
    members, metric = table.members(group), table.metric(rule.metric)
    value = group_figures(table, pair.second, members, metrics=[rule.metric]).metrics[rule.metric] if members else None
    lost = _lost(table, pair, rule.metric, members)
    if lost:
        reason = f"undefined for {lost:,} items that have a value in the baseline"
        return GateVerdict(str(rule), rule.metric, system, group, "failed", reason, value)
    if test.difference.value is None:
        return GateVerdict(str(rule), rule.metric, system, group, "failed", _undefined(table, group), value)
    outcome, reason = _compare_limit(rule, test, metric, table, members, alpha)
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
    )
    if outcome == "passed":
        return verdict
    down = rule.kind == "max_drop"
    before, after = (table.column(one, rule.metric, members) for one in pair)
    worse = after < before if down else after > before
    broken = [i for i, broke in zip(members, worse.tolist(), strict=True) if broke]
    shown = changed_items(table, pair, rule.metric, broken, SHOWN_BROKEN)
    return replace(verdict, broken=shown, broken_count=len(broken))


def _compare_limit(
    rule: PolicyRule, test: PairedDifference, metric: Metric, table: OutcomeTable, members: Sequence[int], alpha: float
) -> tuple[GateOutcome, str]:
    assert test.difference.value is not None
    down = rule.kind == "max_drop"
    word = "drop" if down else "rise"
    change = -test.difference.value if down else test.difference.value
    said = f"a {word} of {show_size(change, metric)}" if change > 0 else f"no {word}"
    limit = show_size(rule.limit, metric)
    tested = np.isfinite([table.column(one, test.metric, members) for one in (test.first, test.second)]).all(axis=0)
    clusters = len(np.unique(table.clusters(members).numbers[tested]))
    can = f"{test.difference.n:,} items in {clusters:,} clusters " + (
        f"detect a {word} of {show_size(test.detectable, metric)} or more"
        if test.detectable is not None
        else (f"are too few to detect any {word}" if metric.bounds else "show no spread to judge by")
    )
    if change > rule.limit + _ROUNDING:
        if not rule.significant:
            return "failed", f"{said} is beyond {limit}"
        p = 1.0 if test.holm is None else test.holm
        if p >= alpha:
            return "inconclusive", f"{said} is beyond {limit}, but could be chance (p {say(p, 'p')}): {can}"
        near = test.difference.high if down else test.difference.low
        least = None if near is None else -near if down else near
        if least is not None and least <= rule.limit + _ROUNDING:
            return "inconclusive", (
                f"{said} is beyond {limit} and more than chance (p {say(p, 'p')}), but a {word} of {show_size(least, metric)} cannot "
                f"be ruled out: {can}"
            )
        return "failed", f"{said} is beyond {limit} (p {say(p, 'p')}): {can}"
    if test.detectable is None and metric.bounds is not None and rule.significant:
        return "inconclusive", f"{said}, but {can}"
    end = test.difference.low if down else test.difference.high
    if rule.needs_certainty:
        worst = None if end is None else -end if down else end
        if worst is None and test.p == 1.0 and not test.difference.value:  # nothing changed at all
            worst = 0.0
        if worst is None or worst > rule.limit + _ROUNDING:
            most = "an unknown amount" if worst is None else show_size(worst, metric)
            return "inconclusive", f"{said} is within {limit}, but a {word} of {most} cannot be ruled out: {can}"
    return "passed", f"{said} is within {limit}; {can}" if change > 0 else f"{said}; {can}"


def show_size(change: float, metric: Metric) -> str:
    """How large a change is, in words."""
    return points(change) if metric.share else say(abs(change), "number")


def _lost(table: OutcomeTable, pair: SystemPair, metric: str, members: Sequence[int]) -> int:
    """How many items had a value and have none any more: to be undefined is no way to pass."""
    before, after = (table.column(system, metric, members) for system in pair)
    return int((np.isfinite(before) & ~np.isfinite(after)).sum())


def _undefined(table: OutcomeTable, group: str) -> str:
    if table.members(group):
        return f"undefined: no item of {group} has a value"
    grouping, _, _ = group.rpartition(", ")[2].partition("=")
    there = ", ".join(value for value, members in table.groups.get(grouping, {}).items() if members) or "none"
    return f"undefined: no item is in {group}; there are {there}"


def _with_worst(verdict: GateVerdict, table: OutcomeTable, members: Sequence[int], *, low: bool) -> GateVerdict:
    """The verdict with the items that have the worst values."""
    values = table.column(verdict.system, verdict.metric, members)
    mean = np.nanmean(values) if np.isfinite(values).any() else np.nan
    worse = [i for i in range(len(members)) if (values[i] < mean or values[i] == 0 if low else values[i] > mean)]
    worse.sort(key=lambda i: (float(values[i]) if low else -float(values[i]), table.items[members[i]].id))
    broken = tuple(
        ItemChange(
            id=table.items[members[i]].id,
            first=None,
            second=float(values[i]),
            texts=table.texts(members[i]),
            seen_first={},
            seen_second=table.seen(verdict.system, members[i]),
        )
        for i in worse[:SHOWN_BROKEN]
    )
    return replace(verdict, broken=broken, broken_count=len(worse))


def judge_speed(
    rule: LatencyRule, system: str, earlier: str, group: str, new: Timing | None, old: Timing | None
) -> GateVerdict:
    """Apply the rule about times, in units of each machine's calibration; `earlier` is the system in the baseline."""
    now = new.find(system, group) if new else None
    before = old.find(earlier, group) if old else None
    if new is None or old is None or not (_is_enough(now, rule) and _is_enough(before, rule)):
        reason = f"undefined: both runs need {rule.min_repetitions} warm passes; time them again, or drop the rule"
        return GateVerdict(str(rule), LATENCY, system, group, "failed", reason)
    assert now is not None
    assert before is not None
    machine = new.calibration_ms / old.calibration_ms
    expected = before.p95_ms * machine
    rise = now.p95_ms / expected - 1
    kept = rise <= rule.max_rise + _ROUNDING or now.p95_ms - expected <= rule.floor_ms
    reason = (
        f"p95 {now.p95_ms:.3g} ms, {100 * rise:+.1f} % against {before.p95_ms:.3g} ms on a machine that takes {machine:.2f} times "
        "as long for the calibration"
    )
    return GateVerdict(str(rule), LATENCY, system, group, "passed" if kept else "failed", reason)


def _is_enough(speed: SystemSpeed | None, rule: LatencyRule) -> bool:
    return speed is not None and speed.repetitions >= rule.min_repetitions
