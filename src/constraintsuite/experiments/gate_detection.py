"""What the rules of a policy can find on some items, before there is any run to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.experiments.groupings import OVERALL
from constraintsuite.experiments.outcome_table import OutcomeTable
from constraintsuite.experiments.policy import Policy, PolicyRule
from constraintsuite.experiments.power import CAUTIOUS, TYPICAL, detect_before


@dataclass(frozen=True, slots=True)
class RuleDetection:
    """What the items of a rule can show."""

    rule: str
    group: str
    limit: float | None
    """How much the rule lets change; None for a rule that compares with no baseline."""
    items: int
    clusters: int
    share: bool
    """Of other metrics nothing can be told before a run, since nobody knows how much they vary."""
    typical: float | None
    """The smallest change that is found if two systems disagree as most do; None where no change can be found."""
    detectable: float | None
    """The same on cautious assumptions."""


def detect_rules(policy: Policy, table: OutcomeTable, total: str) -> list[RuleDetection]:
    """What each rule that compares could find on these items, whatever systems are measured."""
    comparing = [rule for rule in policy.rules if rule.compares] or list(policy.rules)
    cells = [(rule, group) for rule in comparing for group in rule_groups(rule, table, total)]
    found = []
    for rule, group in cells:
        metric = table.metric(rule.metric)
        rule.refuse_for(metric)
        members = _with_values(table, rule.metric, table.members(group))
        numbers = table.clusters(members).numbers
        typical, cautious = (
            detect_before(numbers, alpha=policy.alpha / len(cells), assumed=one) for one in (TYPICAL, CAUTIOUS)
        )
        found.append(
            RuleDetection(
                str(rule),
                group,
                rule.limit if rule.compares else None,
                cautious.items,
                cautious.clusters,
                metric.share,
                typical.smallest if metric.share else None,
                cautious.smallest if metric.share else None,
            )
        )
    return found


def rule_groups(rule: PolicyRule, table: OutcomeTable, total: str) -> list[str]:
    """The groups that a rule is applied to: the one it names, in each of those that are never pooled."""
    if table.within is None:
        return [rule.group or total]
    named = rule.group or OVERALL
    if named.startswith(f"{table.within}="):
        return [named]
    inside = "" if named in (OVERALL, total) else f", {named}"
    return [f"{table.within}={value}{inside}" for value in table.groups[table.within]]


def _with_values(table: OutcomeTable, metric: str, members: Sequence[int]) -> list[int]:
    """Those of some items that have a value under any system; all of them where no system was measured yet."""
    if not table.systems:
        return list(members)
    known = [np.isfinite(table.column(system, metric, members)) for system in table.systems]
    return [i for i, one in zip(members, np.any(known, axis=0).tolist(), strict=True) if one]
