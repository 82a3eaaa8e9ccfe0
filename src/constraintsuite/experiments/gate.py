"""Whether a run passes a policy: each rule with its verdict and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.errors import UserError
from constraintsuite.experiments.alignment import Aligned, align
from constraintsuite.experiments.compare import RunDifference, corrected, paired_test
from constraintsuite.experiments.groupings import OVERALL, pick
from constraintsuite.experiments.load import Run, Suite
from constraintsuite.experiments.policy import Policy, PolicyRule
from constraintsuite.experiments.rejudge import rejudge
from constraintsuite.experiments.summary import GroupFigures, RunSummary
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.scores import Interval

_RUN, _BASELINE = "run", "baseline"


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What became of one rule."""

    rule: str
    passed: bool
    reason: str
    value: Interval | None
    """Of the run; None where the group has no example."""
    baseline: float | None = None
    difference: Interval | None = None
    """Run less baseline, paired."""
    p: float | None = None
    """Of the clustered sign-flip test."""
    holm: float | None = None
    """That p corrected for all rules that compare and ask for significance."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """The verdict on a run."""

    model: str
    baseline: str | None
    suite: str
    passed: bool
    verdicts: tuple[GateVerdict, ...]


def check_run(policy: Policy, run: Run, suite: Suite | None = None, baseline: Run | None = None) -> GateResult:
    """Apply every rule. Rules that compare need the baseline and the suite; another rule for ties needs the suite."""
    comparing = [rule for rule in policy.rules if rule.compares]
    if comparing and baseline is None:
        raise UserError(f"The rule `{comparing[0]}` compares with a baseline. Give one with --baseline RUN.")
    if suite is not None:
        run = rejudge(run, suite, policy.tie_rule)
    elif policy.tie_rule != run.summary.rule or comparing:
        raise UserError(f"{run.artifact.path}: the suite is needed to apply this policy. Say where it is: --suite.")
    tests: Mapping[PolicyRule, RunDifference] = {}
    if comparing and suite is not None and baseline is not None:
        aligned = align(suite, {_BASELINE: baseline, _RUN: run}, policy.tie_rule)
        tests = _tests(comparing, aligned, run.summary.seed)
    verdicts = tuple(_verdict(rule, run.summary, tests.get(rule), policy.alpha) for rule in policy.rules)
    return GateResult(
        model=run.summary.model,
        baseline=baseline.summary.model if baseline else None,
        suite=run.summary.suite,
        passed=all(verdict.passed for verdict in verdicts),
        verdicts=verdicts,
    )


def _tests(rules: Sequence[PolicyRule], aligned: Aligned, seed: int) -> dict[PolicyRule, RunDifference]:
    groups = aligned.groups()

    def members(rule: PolicyRule) -> Sequence[int]:
        if rule.group == OVERALL:
            return range(aligned.main)
        grouping, _, value = rule.group.partition("=")
        found = pick(groups, grouping)
        return found.get(value, ())

    tests = {
        rule: paired_test(aligned, _BASELINE, _RUN, METRICS[rule.metric], rule.group, members(rule), seed=seed)
        for rule in rules
    }
    weighed = [rule for rule in tests if rule.needs_significance]
    return tests | dict(zip(weighed, corrected([tests[rule] for rule in weighed]), strict=True))


def _verdict(rule: PolicyRule, summary: RunSummary, test: RunDifference | None, alpha: float) -> GateVerdict:
    group = _group(summary, rule.group)
    value = group.metrics[rule.metric] if isinstance(group, GroupFigures) else None
    if value is None or value.value is None:
        reason = group if isinstance(group, str) else f"no example of {rule.group} has a value"
        return GateVerdict(str(rule), False, f"undefined: {reason}", value)
    if test is None:
        return _absolute(rule, value)
    return _relative(rule, value, test, alpha)


def _group(summary: RunSummary, name: str) -> GroupFigures | str:
    """The group of that name, or why there is none; an unknown grouping is a fault of the policy."""
    if name == OVERALL:
        return summary.overall
    grouping, _, value = name.partition("=")
    groups = pick(summary.by, grouping)
    found = groups.get(value)
    return found or f"no example is in {name}; there are {', '.join(groups) or 'none'}"


def _absolute(rule: PolicyRule, value: Interval) -> GateVerdict:
    low = rule.kind == "min"
    bounded = rule.lower_bound or rule.upper_bound
    reached = (value.low if low else value.high) if bounded else value.value
    if reached is None:
        return GateVerdict(str(rule), False, "undefined: too few examples for an interval", value)
    kept = reached >= rule.limit if low else reached <= rule.limit
    what = f"{'lower' if low else 'upper'} end {reached:.4g}" if bounded else f"{reached:.4g}"
    words = ("at least" if low else "at most") if kept else ("below" if low else "above")
    return GateVerdict(str(rule), kept, f"{what} is {words} {rule.limit:g}", value)


def _relative(rule: PolicyRule, value: Interval, test: RunDifference, alpha: float) -> GateVerdict:
    drop = rule.kind == "max_drop"
    bounded = rule.lower_bound or rule.upper_bound
    end = (test.difference.low if drop else test.difference.high) if bounded else test.difference.value

    def verdict(passed: bool, reason: str) -> GateVerdict:
        return GateVerdict(str(rule), passed, reason, value, test.value_first, test.difference, test.p, test.holm)

    if end is None:
        return verdict(False, "undefined: too few examples that both runs have a value for")
    change = -end if drop else end
    word = "drop" if drop else "rise"
    said = f"{word}{' by as much as' if bounded else ' of'} {change:.4g}" if change > 0 else f"no {word}"
    if change <= rule.limit:
        return verdict(True, f"{said} is within {rule.limit:g}")
    if test.holm is not None and test.holm >= alpha:
        return verdict(True, f"{said} is beyond {rule.limit:g}, but not significant (p {test.holm:.3g})")
    sure = "" if test.holm is None else f" (p {test.holm:.3g})"
    return verdict(False, f"{said} is beyond {rule.limit:g}{sure}")
