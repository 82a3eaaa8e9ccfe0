"""The gate over several systems and over groups that are never pooled, on tables written by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.experiment import Experiment, SystemSpeed, Timing
from constraintsuite.experiments.gate import GateResult, check_run, default_policy
from constraintsuite.experiments.outcome_table import Item, StoredTable
from constraintsuite.experiments.policy import LatencyRule, Policy, PolicyRule, Waiver, Waivers

TODAY = date(2026, 3, 1)
METRICS = {name: Metric(name=name, title=name) for name in ("hit", "path")}
READ = {"1": 1.0, "0": 0.0, "-": np.nan}
Marks = Mapping[str, str]
"""By system: 1 right, 0 wrong, - undefined, one mark for each item."""


def experiment(
    hits: Marks,
    *,
    paths: Marks | None = None,
    budgets: Mapping[str, int] | None = None,
    timing: Timing | None = None,
    options: Mapping[str, object] | None = None,
) -> Experiment:
    """Items of one budget, or so many of each; every system has `hit`, and `path` if it is given."""
    count = len(next(iter(hits.values())))
    names, sizes = zip(*(budgets or {"5": count}).items(), strict=True)
    of = np.repeat(names, sizes).tolist()
    values = {
        system: {
            name: np.array([READ[mark] for mark in given[system]])
            for name, given in (("hit", hits), ("path", paths or {}))
            if system in given
        }
        for system in hits
    }
    table = StoredTable(
        [Item(f"{n}, budget {budget}", (str(n),), (str(n),)) for n, budget in enumerate(of)],
        METRICS,
        values,
        {"budget": {name: [n for n, budget in enumerate(of) if budget == name] for name in names}},
        "hit",
        within="budget",
    )
    return Experiment(
        path=Path("run"),
        kind="memory_run",
        name="tiny",
        data="tiny",
        table=table,
        inputs={},
        options=options or {},
        timing=timing,
        watched=("hit",),
    )


def policy_of(metric: str = "hit", max_drop: float = 0.02, **rest: object) -> Policy:
    rule = PolicyRule.model_validate({"metric": metric, "max_drop": max_drop, **rest})
    return Policy(rules=(rule,))


def check(before: Marks, after: Marks, policy: Policy | None = None, *waivers: Waiver) -> GateResult:
    return check_run(policy or policy_of(), experiment(after), experiment(before), waivers, today=TODAY)


def outcomes(result: GateResult) -> list[tuple[str, str, str]]:
    return [(verdict.system, verdict.group, verdict.outcome) for verdict in result.verdicts]


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        ("1" * 50, "passed"),
        ("0" + "1" * 49, "passed"),  # 2 points, exactly the limit
        ("00" + "1" * 48, "inconclusive"),  # beyond it, and may be chance
        ("0" * 10 + "1" * 40, "failed"),
    ],
)
def test_each_system_is_judged_against_the_one_of_its_name(after: str, outcome: str) -> None:
    result = check({"ppr": "1" * 50, "hybrid": "1" * 50}, {"hybrid": "1" * 50, "ppr": after})
    assert outcomes(result) == [("hybrid", "budget=5", "passed"), ("ppr", "budget=5", outcome)]
    assert result.outcome == outcome
    assert result.passed == (outcome == "passed")


def test_groups_that_are_never_pooled_are_judged_one_by_one() -> None:
    budgets = {"5": 10, "10": 10}
    before = experiment({"ppr": "1" * 20}, budgets=budgets)
    after = experiment({"ppr": "0" * 10 + "1" * 10}, budgets=budgets)
    result = check_run(policy_of(), after, before, today=TODAY)
    assert outcomes(result) == [("ppr", "budget=5", "failed"), ("ppr", "budget=10", "passed")]


def test_a_group_of_the_baseline_that_the_run_lacks_fails() -> None:
    before = experiment({"ppr": "1" * 20}, budgets={"5": 10, "10": 10})
    after = experiment({"ppr": "1" * 10})
    result = check_run(policy_of(), after, before, today=TODAY)
    assert outcomes(result) == [
        ("tiny", "overall", "failed"),
        ("ppr", "budget=5", "passed"),
        ("ppr", "budget=10", "failed"),
    ]
    assert result.verdicts[0].reason == "10 items of the baseline have no result in the run"
    assert result.verdicts[2].reason == "undefined: no item is in budget=10; there are 5"


def test_to_be_undefined_is_no_way_to_pass() -> None:
    result = check({"ppr": "0011"}, {"ppr": "--11"})
    assert not result.passed
    assert result.verdicts[0].reason == "undefined for 2 items that have a value in the baseline"


def test_a_system_that_is_gone_fails_and_a_new_one_is_noted() -> None:
    ten = "1" * 10
    result = check({"ppr": ten, "hybrid": ten}, {"hybrid": ten, "spread": ten})
    assert outcomes(result) == [("ppr", "overall", "failed"), ("hybrid", "budget=5", "passed")]
    assert result.verdicts[0].reason == "the run does not have this system"
    assert result.notes == ("spread is not in the baseline, and was not judged.",)


def test_what_a_system_never_had_is_not_judged_and_noted() -> None:
    ten = "1" * 10
    both = experiment({"flat": ten, "ppr": ten}, paths={"ppr": ten})
    result = check_run(policy_of("path"), both, both, today=TODAY)
    assert outcomes(result) == [("ppr", "budget=5", "passed")]
    assert result.notes == ("path is not defined for flat in budget=5, and was not judged.",)


def test_a_rule_about_what_no_system_has_fails() -> None:
    result = check({"flat": "11"}, {"flat": "11"}, policy_of("path"))
    assert outcomes(result) == [("flat", "budget=5", "failed")]
    assert result.notes == ()


def test_items_and_clusters_are_counted_where_both_have_a_value() -> None:
    result = check({"ppr": "11--"}, {"ppr": "1101"})
    assert "no drop, but 2 items in 2 clusters are too few to detect any drop" in result.verdicts[0].reason


@pytest.mark.parametrize(("system", "judged"), [(None, ["hybrid", "ppr"]), ("ppr", ["ppr"])])
def test_a_rule_may_be_about_one_system(system: str | None, judged: list[str]) -> None:
    both = {"hybrid": "11", "ppr": "11"}
    assert [verdict.system for verdict in check(both, both, policy_of(system=system)).verdicts] == judged
    with pytest.raises(UserError, match=r"about a system that run does not have\. There are: hybrid, ppr"):
        check(both, both, policy_of(system="pprr"))


def test_options_that_changed_are_told_of_systems_that_both_have() -> None:
    before = experiment({"ppr": "11"}, options={"encoder": "a", "ppr": {"damping": 0.5}, "gone": {"hops": 1}})
    after = experiment({"ppr": "11"}, options={"encoder": "b", "ppr": {"damping": 0.6}})
    assert check_run(policy_of(), after, before, today=TODAY).notes == (
        "encoder was a, and is b.",
        "ppr: damping was 0.5, and is 0.6.",
    )


def speed(
    p95: float = 10.0, *, calibration: float = 2.0, repetitions: int = 3, system: str = "ppr", group: str = "budget=5"
) -> Timing:
    return Timing(calibration, (SystemSpeed(system, group, 20, repetitions, 30.0, p95 / 2, p95),))


SPEED_ONLY = Policy(latency=LatencyRule())


@pytest.mark.parametrize(
    ("now", "passed", "said"),
    [
        (speed(10.0), True, r"\+0\.0 %"),
        (speed(11.9), True, r"\+19\.0 %"),
        (speed(12.5), False, r"\+25\.0 %"),
        (speed(25.0, calibration=4.0), False, r"\+25\.0 % against 10 ms on a machine that takes 2.00 times"),
        (speed(20.0, calibration=4.0), True, r"\+0\.0 %"),
        (speed(10.0, calibration=1.0), False, r"\+100\.0 %"),
        (speed(10.0, repetitions=1), False, "both runs need 3 warm passes"),
        (speed(10.0, system="hybrid"), False, "both runs need 3 warm passes"),
        (speed(10.0, group="budget=10"), False, "both runs need 3 warm passes"),
        (None, False, "both runs need 3 warm passes"),
    ],
)
def test_times_are_judged_in_units_of_the_calibration(now: Timing | None, passed: bool, said: str) -> None:
    before = experiment({"ppr": "11"}, timing=speed(10.0))
    result = check_run(SPEED_ONLY, experiment({"ppr": "11"}, timing=now), before, today=TODAY)
    assert result.passed == passed
    assert re.search(said, result.verdicts[0].reason)


def test_a_rise_that_no_clock_can_tell_passes() -> None:
    before, after = (experiment({"ppr": "11"}, timing=speed(p95)) for p95 in (0.04, 0.08))
    assert check_run(SPEED_ONLY, after, before, today=TODAY).passed


def test_without_a_policy_watched_figures_may_drop_by_two_points_and_times_rise_by_a_fifth() -> None:
    policy = default_policy(experiment({"ppr": "11"}, timing=speed()))
    assert [(rule.metric, rule.max_drop) for rule in policy.rules] == [("hit", 0.02)]
    assert policy.latency is not None
    assert policy.latency.max_rise == 0.2
    assert default_policy(experiment({"ppr": "11"})).latency is None


def waiver(**changes: object) -> Waiver:
    fields = {"rule": "hit", "reason": "the parser is being rewritten", "expires": "2026-03-01"}
    return Waiver.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("waived", "passed", "note"),
    [
        (waiver(), True, ""),
        (waiver(system="ppr", group="budget=5"), True, ""),
        (waiver(expires="2026-02-28"), False, "expired on 2026-02-28"),
        (waiver(system="hybrid"), False, "lets nothing pass"),
        (waiver(group="budget=10"), False, "lets nothing pass"),
        (waiver(rule="path"), False, "lets nothing pass"),
    ],
)
def test_a_waiver_lets_its_failure_pass_until_its_day(waived: Waiver, passed: bool, note: str) -> None:
    result = check({"ppr": "1" * 8}, {"ppr": "0" * 8}, policy_of(), waived)
    assert result.passed == passed
    assert result.verdicts[0].outcome == "failed"
    assert result.verdicts[0].waived == ("the parser is being rewritten (until 2026-03-01)" if passed else None)
    assert note in "".join(result.notes)
    assert bool(result.notes) == bool(note)


def test_waivers_are_read_from_yaml(tmp_path: Path) -> None:
    (tmp_path / "waivers.yaml").write_text(
        "waivers:\n  - rule: hit\n    reason: the parser is being rewritten\n    expires: 2026-03-01\n"
    )
    assert Waivers.read(tmp_path / "waivers.yaml") == (waiver(),)


@pytest.mark.parametrize("missing", ["reason", "expires", "rule"])
def test_a_waiver_needs_a_rule_a_reason_and_a_day(tmp_path: Path, missing: str) -> None:
    lines = {"rule": "hit", "reason": "the parser is being rewritten", "expires": "2026-03-01"}
    rest = "".join(f"    {key}: {value}\n" for key, value in lines.items() if key != missing)
    (tmp_path / "waivers.yaml").write_text(f"waivers:\n  -\n{rest}")
    with pytest.raises(UserError, match=rf"waivers\.0\.{missing}: Field required"):
        Waivers.read(tmp_path / "waivers.yaml")


def test_a_run_that_leaves_items_out_does_not_pass() -> None:
    before, after = experiment({"ppr": "1" * 20}), experiment({"ppr": "1" * 17})
    result = check_run(policy_of(), after, before, today=TODAY)
    assert (result.passed, result.verdicts[0].reason) == (False, "3 items of the baseline have no result in the run")
    assert check_run(policy_of(), before, after, today=TODAY).notes == (
        "3 items of the run are not in the baseline, and were not compared.",
    )


def test_a_rule_about_a_system_that_the_baseline_lacks_fails() -> None:
    ten = "1" * 10
    result = check({"old": ten}, {"old": ten, "new": "0" * 10}, policy_of(system="new"))
    assert outcomes(result) == [("new", "overall", "failed")]


def test_a_drop_that_may_be_within_the_limit_is_not_called_a_failure() -> None:
    before, after = "1" * 400, "0" * 10 + "1" * 390  # a drop of 2.5 points, of which 1 to 4 can be meant
    result = check({"ppr": before}, {"ppr": after})
    assert outcomes(result) == [("ppr", "budget=5", "inconclusive")]
    assert "is beyond 2.0 points and more than chance" in result.verdicts[0].reason
    assert outcomes(check({"ppr": before}, {"ppr": "0" * 40 + "1" * 360}))[0][2] == "failed"


def test_as_many_tests_as_there_are_leave_p_able_to_be_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "constraintsuite.experiments.compare.PERMUTATIONS", 1_000
    )  # p is then 0.001 or more: 60 are too many
    marks = {f"system {n}": "1" * 40 for n in range(60)}
    result = check(marks, {name: "0" * 40 for name in marks})
    assert {verdict.outcome for verdict in result.verdicts} == {"failed"}


def test_a_waiver_says_which_of_two_limits_it_waives() -> None:
    rules = (PolicyRule(metric="hit", max_drop=0.02), PolicyRule(metric="hit", min=0.9))
    policy = Policy(rules=rules)
    given = {"rule": "hit", "reason": "known until the index is rebuilt", "expires": date(2026, 4, 1)}
    both = experiment({"ppr": "1" * 20}), experiment({"ppr": "0" * 20})
    with pytest.raises(UserError, match=r"covers rules with max_drop and min\. Say which"):
        check_run(policy, both[1], both[0], [Waiver(**given)], today=TODAY)
    result = check_run(policy, both[1], both[0], [Waiver(**given, limit="max_drop")], today=TODAY)
    assert [verdict.waived is not None for verdict in result.verdicts] == [False, True]
    assert not result.passed
