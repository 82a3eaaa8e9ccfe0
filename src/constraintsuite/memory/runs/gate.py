"""Whether a run may take the place of its baseline: each rule for each mode and budget, with the verdict and the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product

from constraintsuite.errors import UserError
from constraintsuite.memory.outcomes import ItemResult
from constraintsuite.memory.public.summary import ModeDifference
from constraintsuite.memory.runs.compare import (
    cells_of,
    made_otherwise,
    of_cell,
    paired_test,
    refuse_unlike,
    with_cases,
)
from constraintsuite.memory.runs.latency import SearchLatency, Timing
from constraintsuite.memory.runs.policy import LATENCY, LatencyRule, MemoryPolicy, MemoryRule, Waiver
from constraintsuite.memory.runs.record import MemoryRun
from constraintsuite.metrics.significance import holm
from constraintsuite.records.scores import Interval

ALL = "all"
_ROUNDING = 1e-9  # so that a drop of exactly the limit is within it


@dataclass(frozen=True, slots=True)
class MemoryGateVerdict:
    """What became of one rule for one mode and budget."""

    rule: str
    metric: str
    mode: str
    budget: int
    passed: bool
    reason: str
    difference: Interval | None = None
    """Run less baseline, paired; None for times and where nothing could be compared."""
    p: float | None = None
    """Of the clustered sign-flip test."""
    holm: float | None = None
    """Corrected for all rules, modes and budgets."""
    waived: str | None = None
    """The reason for which a failure is let pass."""


@dataclass(frozen=True, slots=True)
class MemoryGateResult:
    """The verdict on a run."""

    run: str
    baseline: str
    passed: bool
    verdicts: tuple[MemoryGateVerdict, ...]
    notes: tuple[str, ...]
    """Models and options that are not the same, waivers that have expired or let nothing pass, and what was not judged
    because one side does not have it."""


def gate(
    run: MemoryRun, baseline: MemoryRun, policy: MemoryPolicy, waivers: Sequence[Waiver] = (), *, today: date
) -> MemoryGateResult:
    """Apply every rule to every mode and budget of the baseline; runs of other data are a UserError."""
    refuse_unlike(baseline, run)
    _refuse_unknown(policy, baseline)
    judged = list(_verdicts(run, baseline, policy))
    verdicts = tuple(_waived(verdict, waivers, today) for verdict in judged)
    return MemoryGateResult(
        run=str(run.artifact.path),
        baseline=str(baseline.artifact.path),
        passed=all(verdict.passed for verdict in verdicts),
        verdicts=verdicts,
        notes=(
            *made_otherwise(baseline, run),
            *_stale(waivers, judged, today),
            *_unjudged(run, baseline, policy, judged),
        ),
    )


def _refuse_unknown(policy: MemoryPolicy, baseline: MemoryRun) -> None:
    known = with_cases(baseline.outcomes[:1])[0].values
    for rule in policy.rules:
        if rule.metric not in known:
            raise UserError(
                f"{baseline.artifact.path}: no outcome has the metric {rule.metric!r} of a rule. There are: "
                f"{', '.join(known)}."
            )


def _verdicts(run: MemoryRun, baseline: MemoryRun, policy: MemoryPolicy) -> Iterator[MemoryGateVerdict]:
    here = cells_of(run.outcomes)
    shared = []
    for cell in cells_of(baseline.outcomes):
        if cell in here:
            shared.append(cell)
        else:
            yield MemoryGateVerdict(ALL, ALL, *cell, False, "the run does not have this mode at this budget")
    if policy.latency is not None:
        for mode, budget in shared:
            yield _slower(policy.latency, mode, budget, run.timing, baseline.timing)
    tests = []
    for rule, (mode, budget) in product(policy.rules, shared):
        old, new = of_cell(baseline.outcomes, mode, budget), of_cell(run.outcomes, mode, budget)
        lost = _lost(new, old, rule.metric)
        test = None if lost else paired_test(new, old, rule.metric)
        if lost:
            reason = f"undefined for {lost} items that have a value in the baseline"
            yield MemoryGateVerdict(str(rule), rule.metric, mode, budget, False, reason)
        elif test is not None:
            tests.append((rule, mode, budget, test))
    corrected = holm([test.p for *_, test in tests])
    for (rule, mode, budget, test), p in zip(tests, corrected, strict=True):
        yield _dropped(rule, mode, budget, replace(test, holm=p), policy.alpha)


def _lost(new: Sequence[ItemResult], old: Sequence[ItemResult], metric: str) -> int:
    """How many items had a value of the metric and have none any more: to be undefined is no way to pass."""
    before, after = ({row.item: row.values.get(metric) for row in with_cases(rows)} for rows in (old, new))
    return sum(1 for item, value in before.items() if value is not None and after.get(item) is None)


def _dropped(rule: MemoryRule, mode: str, budget: int, test: ModeDifference, alpha: float) -> MemoryGateVerdict:
    change = test.difference.value
    assert change is not None
    said = f"drop of {-change:.4g}" if change < 0 else "no drop"
    passed, reason = -change <= rule.max_drop + _ROUNDING, f"{said} is within {rule.max_drop:g}"
    if not passed:
        reason = f"{said} is beyond {rule.max_drop:g} (p {test.holm:.3g})"
        if rule.significant and test.holm >= alpha:
            passed, reason = True, f"{said} is beyond {rule.max_drop:g}, but not significant (p {test.holm:.3g})"
    return MemoryGateVerdict(str(rule), rule.metric, mode, budget, passed, reason, test.difference, test.p, test.holm)


def _slower(rule: LatencyRule, mode: str, budget: int, new: Timing | None, old: Timing | None) -> MemoryGateVerdict:
    speeds = [timing.find(mode, budget) if timing else None for timing in (new, old)]
    if new is None or old is None or any(not _is_enough(speed, rule) for speed in speeds):
        reason = f"undefined: both runs need {rule.min_repetitions} warm passes; time them again, or drop the rule"
        return MemoryGateVerdict(str(rule), LATENCY, mode, budget, False, reason)
    now, before = speeds
    assert now is not None
    assert before is not None
    expected = before.p95_ms * new.calibration_ms / old.calibration_ms
    rise = now.p95_ms / expected - 1 if expected > 0 else 0.0
    passed = rise <= rule.max_rise + _ROUNDING or now.p95_ms - expected <= rule.floor_ms
    machine = new.calibration_ms / old.calibration_ms
    reason = (
        f"p95 {now.p95_ms:.3g} ms, {rise:+.0%} against {before.p95_ms:.3g} ms on a machine that takes {machine:.2f} times "
        "as long for the calibration"
    )
    return MemoryGateVerdict(str(rule), LATENCY, mode, budget, passed, reason)


def _is_enough(speed: SearchLatency | None, rule: LatencyRule) -> bool:
    return speed is not None and speed.repetitions >= rule.min_repetitions


def _waived(verdict: MemoryGateVerdict, waivers: Sequence[Waiver], today: date) -> MemoryGateVerdict:
    covering = (w for w in waivers if w.covers(verdict.metric, verdict.mode, verdict.budget, today))
    waiver = None if verdict.passed else next(covering, None)
    if waiver is None:
        return verdict
    return replace(verdict, passed=True, waived=f"{waiver.reason} (until {waiver.expires.isoformat()})")


def _stale(waivers: Sequence[Waiver], judged: Sequence[MemoryGateVerdict], today: date) -> Iterator[str]:
    failures = [verdict for verdict in judged if not verdict.passed]
    for waiver in waivers:
        if waiver.expires < today:
            yield f"The waiver of {waiver.rule} ({waiver.reason}) expired on {waiver.expires.isoformat()} and does not count."
        elif not any(waiver.covers(f.metric, f.mode, f.budget, today) for f in failures):
            yield f"The waiver of {waiver.rule} ({waiver.reason}) lets nothing pass: take it out."


def _unjudged(
    run: MemoryRun, baseline: MemoryRun, policy: MemoryPolicy, judged: Sequence[MemoryGateVerdict]
) -> Iterator[str]:
    known = cells_of(baseline.outcomes)
    for mode, budget in cells_of(run.outcomes):
        if (mode, budget) not in known:
            yield f"{mode} at budget {budget} is not in the baseline, and was not judged."
    for rule, (mode, budget) in product(policy.rules, known):
        if not any((v.metric, v.mode, v.budget) in ((rule.metric, mode, budget), (ALL, mode, budget)) for v in judged):
            yield f"{rule.metric} is not defined for {mode} at budget {budget}, and was not judged."
