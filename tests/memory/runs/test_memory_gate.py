from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from constraintsuite.errors import UserError
from constraintsuite.memory.cases import run as run_module
from constraintsuite.memory.cases.run import CaseRun
from constraintsuite.memory.modes.base import DescribedMode
from constraintsuite.memory.modes.naming import load_mode
from constraintsuite.memory.public.run import Latency
from constraintsuite.memory.recall import SearchAnswer
from constraintsuite.memory.runs.benchmarks import run_structured
from constraintsuite.memory.runs.gate import MemoryGateResult, gate
from constraintsuite.memory.runs.latency import Timing, calibrate, timing_of
from constraintsuite.memory.runs.policy import MemoryPolicy, MemoryRule, Waiver, read_policy, read_waivers
from constraintsuite.memory.runs.record import MemoryRun, load_memory_run
from memory.cases.tiny_cases import case, grounded
from memory.runs.made_outcomes import made_run, outcomes, timing

TODAY = date(2026, 3, 1)
HITS_ONLY = MemoryPolicy(rules=(MemoryRule(metric="evidence_hit"),), latency=None)


def check(
    folder: Path, before: str, after: str, policy: MemoryPolicy = HITS_ONLY, *waivers: Waiver
) -> MemoryGateResult:
    baseline = made_run(folder / "baseline", outcomes("ppr", before), timing())
    return gate(made_run(folder / "run", outcomes("ppr", after), timing()), baseline, policy, waivers, today=TODAY)


@pytest.mark.parametrize(
    ("before", "after", "passed"),
    [
        ("1" * 50, "1" * 50, True),
        ("1" * 50, "0" + "1" * 49, True),  # .02, exactly the limit
        ("1" * 50, "00" + "1" * 48, False),
        ("0" * 50, "1" * 50, True),
    ],
)
def test_a_drop_beyond_the_limit_fails(tmp_path: Path, before: str, after: str, passed: bool) -> None:
    result = check(tmp_path, before, after)
    (verdict,) = result.verdicts
    assert result.passed == verdict.passed == passed
    assert verdict.difference is not None
    assert verdict.difference.low is not None
    assert verdict.p is not None


class Forgetful:
    """lexical_baseline that loses the best unit: the regression."""

    def __init__(self, mode: DescribedMode) -> None:
        self._mode = mode
        self.name = mode.name
        self.describe = mode.describe

    def search(self, query: str, budget: int) -> SearchAnswer:
        recall = self._mode.search(query, budget)
        return replace(recall, ranking=recall.ranking[1:])


def test_a_planted_regression_fails_and_the_same_without_it_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = grounded(tmp_path / "data", case(), case("roof", "repairs of the roof", evidence_node_ids=["lease:6"]))
    policy = MemoryPolicy(latency=None)

    def measured(name: str) -> MemoryRun:
        run_structured([data], CaseRun(["lexical_baseline"], [2]), tmp_path / name, repeats=0)
        return load_memory_run(tmp_path / name)

    baseline, same = measured("baseline"), measured("same")
    monkeypatch.setattr(run_module, "load_mode", lambda *args, **rest: Forgetful(load_mode(*args, **rest)))
    worse = measured("worse")
    assert gate(same, baseline, policy, today=TODAY).passed
    result = gate(worse, baseline, policy, today=TODAY)
    assert not result.passed
    assert [v.reason for v in result.verdicts] == ["drop of 1 is beyond 0.02 (p 0.5)"]


def test_with_significant_a_drop_that_may_be_chance_passes(tmp_path: Path) -> None:
    policy = MemoryPolicy(rules=(MemoryRule(metric="evidence_hit", significant=True),), latency=None)
    assert check(tmp_path / "few", "1" * 10, "00" + "1" * 8, policy).passed
    assert not check(tmp_path / "many", "1" * 10, "0" * 8 + "11", policy).passed


def test_to_be_undefined_is_no_way_to_pass(tmp_path: Path) -> None:
    result = check(tmp_path, "0011", "--11")
    assert not result.passed
    assert result.verdicts[0].reason == "undefined for 2 items that have a value in the baseline"


def test_a_mode_that_is_gone_fails_and_a_new_one_is_noted(tmp_path: Path) -> None:
    baseline = made_run(tmp_path / "baseline", outcomes("ppr", "11"))
    run = made_run(tmp_path / "run", outcomes("hybrid", "11"))
    result = gate(run, baseline, HITS_ONLY, today=TODAY)
    assert [(v.mode, v.passed) for v in result.verdicts] == [("ppr", False)]
    assert result.notes == ("hybrid at budget 5 is not in the baseline, and was not judged.",)


def test_a_metric_that_a_mode_does_not_have_is_noted_and_one_that_nobody_has_refused(tmp_path: Path) -> None:
    assert check(tmp_path / "a", "--", "--").notes == (
        "evidence_hit is not defined for ppr at budget 5, and was not judged.",
    )
    with pytest.raises(UserError, match=r"no outcome has the metric 'path_hit' of a rule\. There are: evidence_hit"):
        check(tmp_path / "b", "11", "11", MemoryPolicy(latency=None))


LATENCY_ONLY = MemoryPolicy(rules=())


@pytest.mark.parametrize(
    ("now", "passed", "said"),
    [
        (timing(10.0), True, r"\+0%"),
        (timing(11.9), True, r"\+19%"),
        (timing(12.5), False, r"\+25%"),
        (timing(25.0, calibration=4.0), False, r"\+25% against 10 ms on a machine that takes 2.00 times"),
        (timing(20.0, calibration=4.0), True, r"\+0%"),
        (timing(10.0, calibration=1.0), False, r"\+100%"),
        (timing(10.0, repetitions=1), False, "both runs need 3 warm passes"),
        (timing(10.0, mode="hybrid"), False, "both runs need 3 warm passes"),
        (None, False, "both runs need 3 warm passes"),
    ],
)
def test_latency_is_judged_in_units_of_the_calibration(
    tmp_path: Path, now: Timing | None, passed: bool, said: str
) -> None:
    baseline = made_run(tmp_path / "baseline", outcomes("ppr", "11"), timing(10.0))
    result = gate(made_run(tmp_path / "run", outcomes("ppr", "11"), now), baseline, LATENCY_ONLY, today=TODAY)
    assert result.passed == passed
    assert re.search(said, result.verdicts[0].reason)


def test_a_rise_that_no_clock_can_tell_passes(tmp_path: Path) -> None:
    baseline = made_run(tmp_path / "baseline", outcomes("ppr", "11"), timing(0.04))
    run = made_run(tmp_path / "run", outcomes("ppr", "11"), timing(0.08))
    assert gate(run, baseline, LATENCY_ONLY, today=TODAY).passed


def waiver(**changes: object) -> Waiver:
    fields = {"rule": "evidence_hit", "reason": "the parser is being rewritten", "expires": "2026-03-01"}
    return Waiver.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("waived", "passed", "note"),
    [
        (waiver(), True, ""),
        (waiver(mode="ppr", budget=5), True, ""),
        (waiver(expires="2026-02-28"), False, "expired on 2026-02-28 and does not count"),
        (waiver(mode="hybrid"), False, "lets nothing pass"),
        (waiver(budget=10), False, "lets nothing pass"),
        (waiver(rule="path_hit"), False, "lets nothing pass"),
    ],
)
def test_a_waiver_lets_its_failure_pass_until_its_day(tmp_path: Path, waived: Waiver, passed: bool, note: str) -> None:
    result = check(tmp_path, "1111", "0011", HITS_ONLY, waived)
    assert result.passed == passed
    assert result.verdicts[0].waived == ("the parser is being rewritten (until 2026-03-01)" if passed else None)
    assert note in "".join(result.notes)
    assert bool(result.notes) == bool(note)


def test_policies_and_waivers_are_read_from_yaml(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("rules:\n  - metric: recall@10\n    max_drop: 0.05\nlatency: null\n")
    assert read_policy(tmp_path / "policy.yaml") == MemoryPolicy(
        rules=(MemoryRule(metric="recall@10", max_drop=0.05),), latency=None
    )
    (tmp_path / "waivers.yaml").write_text(
        "waivers:\n  - rule: evidence_hit\n    reason: the parser is being rewritten\n    expires: 2026-03-01\n"
    )
    assert read_waivers(tmp_path / "waivers.yaml") == (waiver(),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules: []\nlatency: null\n", "there is no rule here"),
        ("rules:\n  - metric: a\n  - metric: a\n", "two rules are about the same metric"),
        ("rules:\n  - metric: a\n    max_dropp: 1\n", "unknown key, perhaps misspelt"),
        ("rules:\n  - metric: a\n    max_drop: -1\n", "greater than or equal to 0"),
        ("- a\n", "valid dictionary"),
    ],
)
def test_a_wrong_policy_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "policy.yaml").write_text(text)
    with pytest.raises(UserError, match=said):
        read_policy(tmp_path / "policy.yaml")


@pytest.mark.parametrize("missing", ["reason", "expires", "rule"])
def test_a_waiver_needs_a_rule_a_reason_and_a_day(tmp_path: Path, missing: str) -> None:
    lines = {"rule": "evidence_hit", "reason": "the parser is being rewritten", "expires": "2026-03-01"}
    rest = "".join(f"    {key}: {value}\n" for key, value in lines.items() if key != missing)
    (tmp_path / "waivers.yaml").write_text(f"waivers:\n  -\n{rest}")
    with pytest.raises(UserError, match=f"waivers.0.{missing}: Field required"):
        read_waivers(tmp_path / "waivers.yaml")


def test_the_standard_policy_is_that_of_the_strategy() -> None:
    policy = MemoryPolicy()
    assert [(rule.metric, rule.max_drop) for rule in policy.rules] == [("evidence_hit", 0.02), ("path_hit", 0.02)]
    assert policy.latency is not None
    assert policy.latency.max_rise == 0.2


def test_a_query_counts_with_the_median_of_its_warm_times() -> None:
    def row(item: str, milliseconds: float) -> Latency:
        return Latency("ppr", item, 5, milliseconds / 1000)

    passes = [
        [row("a", 90), row("b", 50)],
        [row("a", 2), row("b", 4)],
        [row("a", 9), row("b", 4)],
        [row("a", 3), row("b", 4)],
    ]
    (speed,) = timing_of(passes, [2.0, 8.0, 3.0]).speeds
    assert (speed.queries, speed.repetitions, speed.cold_ms) == (2, 3, 70.0)
    assert (speed.p50_ms, speed.p95_ms) == (3.5, 3.95)
    assert timing_of(passes, [2.0, 8.0, 3.0]).calibration_ms == 3.0
    (cold,) = timing_of(passes[:1], [2.0]).speeds
    assert (cold.repetitions, cold.p50_ms) == (0, 70.0)


def test_the_calibration_is_the_least_of_its_times() -> None:
    ticks = iter([0.0, 0.009] + [1.0, 1.002] + [0.0, 0.5] * 13)
    assert calibrate(lambda: next(ticks)) == pytest.approx(2.0)
