"""What a gate says besides its verdicts: failures that are let pass for a while, and what was not judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from constraintsuite.errors import UserError
from constraintsuite.experiments.compare import SystemPair, paired_test
from constraintsuite.experiments.experiment import Experiment
from constraintsuite.experiments.gate_verdicts import GateVerdict, show_size
from constraintsuite.experiments.outcome_table import JoinedTable
from constraintsuite.experiments.policy import Policy, Waiver

NOTABLE = 0.02
"""A drop of the headline metric by more than this is noted in slices that no rule is about."""


def unjudged(
    run: Experiment, table: JoinedTable, pairs: Mapping[str, SystemPair], undefined: Sequence[tuple[str, str, str]]
) -> Iterator[str]:
    """What was not judged because the baseline does not have it."""
    more = len(run.table.items) - len(table.items)
    if more:
        yield f"{more:,} items of the run are not in the baseline, and were not compared."
    for system in run.table.systems:
        if system not in pairs:
            yield f"{system} is not in the baseline, and was not judged."
    for metric, system, group in undefined:
        yield f"{metric} is not defined for {system} in {group}, and was not judged."


def unwatched(policy: Policy, table: JoinedTable, pairs: Mapping[str, SystemPair]) -> Iterator[str]:
    """Slices that no rule is about and that got worse by more than chance: the headline does not count all of them."""
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


def refuse_waivers(policy: Policy, waivers: Sequence[Waiver]) -> None:
    """A waiver for one of several rules about a metric must say which limit it waives."""
    for waiver in waivers:
        kinds = {rule.kind for rule in policy.rules if rule.metric == waiver.rule}
        if waiver.limit is None and len(kinds) > 1:
            raise UserError(
                f"The waiver for {waiver.rule} covers rules with {' and '.join(sorted(kinds))}. Say which: `limit: {min(kinds)}`."
            )


def waive(verdict: GateVerdict, waivers: Sequence[Waiver], today: date) -> GateVerdict:
    """The verdict, with the reason of a waiver that lets its failure pass."""
    covering = (w for w in waivers if w.covers(verdict.metric, verdict.limit, verdict.system, verdict.group, today))
    waiver = None if verdict.outcome == "passed" else next(covering, None)
    if waiver is None:
        return verdict
    return replace(verdict, waived=f"{waiver.reason} (until {waiver.expires.isoformat()})")


def stale_waivers(waivers: Sequence[Waiver], judged: Sequence[GateVerdict], today: date) -> Iterator[str]:
    """Waivers that have expired, and those that let nothing pass."""
    for waiver in waivers:
        if today > waiver.expires:
            yield f"The waiver for {waiver.rule} expired on {waiver.expires.isoformat()}: {waiver.reason}"
        elif not any(
            v.outcome != "passed" and waiver.covers(v.metric, v.limit, v.system, v.group, today) for v in judged
        ):
            yield f"The waiver for {waiver.rule} lets nothing pass and can be removed: {waiver.reason}"
