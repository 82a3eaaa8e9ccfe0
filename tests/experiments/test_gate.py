from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from constraintsuite.errors import UserError
from constraintsuite.experiments.gate import GateResult, check_run
from constraintsuite.experiments.load import Run, Suite
from constraintsuite.experiments.policy import Policy, example_policy
from experiments.paired_runs import RIGHT, TIED, WRONG, make_run, make_suite

HALF = [RIGHT] * 20 + [WRONG] * 20  # all of MinPairs right, all of ExplicitMention wrong


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("gate") / "suite")


@pytest.fixture(scope="module")
def half(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(suite, tmp_path_factory.mktemp("gate") / "half", "half", HALF)


def policy_of(*rules: dict[str, Any], **settings: object) -> Policy:
    return Policy.model_validate({"rules": list(rules), **settings})


def only(result: GateResult) -> tuple[bool, str]:
    (verdict,) = result.verdicts
    assert verdict.passed == result.passed
    return verdict.passed, verdict.reason


@pytest.mark.parametrize(
    ("rule", "passed", "reason"),
    [
        ({"metric": "accuracy", "min": 0.5}, True, "0.5 is at least 0.5"),
        ({"metric": "accuracy", "min": 0.51}, False, "0.5 is below 0.51"),
        ({"metric": "accuracy", "max": 0.4}, False, "0.5 is above 0.4"),
        ({"metric": "tie_rate", "max": 0.01}, True, "0 is at most 0.01"),
        ({"metric": "tie_rate", "max": 0.01, "upper_bound": True}, False, "upper end 0.1611 is above"),
        ({"metric": "accuracy", "group": "slice=minpairs", "min": 1}, True, "1 is at least 1"),
        (
            {"metric": "accuracy", "group": "slice=minpairs", "min": 0.9, "lower_bound": True},
            False,
            "lower end 0.8389 is below 0.9",  # Wilson's bound of 20 of 20 passages
        ),
        ({"metric": "accuracy", "group": "slice=explicit", "min": 0.1}, False, "0 is below 0.1"),
        ({"metric": "accuracy", "group": "slice=minpairs", "min": 1}, True, "1 is at least 1"),
        (
            {"metric": "accuracy", "group": "slice=omission", "min": 0},
            False,
            "no example is in slice=omission",
        ),
        ({"metric": "restated_accuracy", "min": 0}, False, "undefined: no example of overall has a value"),
    ],
)
def test_a_rule_about_the_run_alone(half: Run, rule: dict[str, Any], passed: bool, reason: str) -> None:
    found, said = only(check_run(policy_of(rule), half))
    assert found == passed
    assert reason in said


@pytest.mark.parametrize(
    ("gaps", "rule", "passed", "reason"),
    [
        (HALF, {"max_drop": 0.0}, True, "no drop"),
        (HALF, {"max_rise": 0.0}, True, "no rise"),
        # One example lost in a passage of two: beyond the limit, but chance.
        ([WRONG, *HALF[1:]], {"max_drop": 0.01}, True, "drop of 0.025 is beyond 0.01, but not significant (p 1)"),
        ([WRONG, *HALF[1:]], {"max_drop": 0.01, "significant": False}, False, "drop of 0.025 is beyond 0.01"),
        ([WRONG, *HALF[1:]], {"max_drop": 0.03}, True, "drop of 0.025 is within 0.03"),
        ([WRONG, *HALF[1:]], {"max_drop": 0.03, "lower_bound": True}, False, "drop by as much as 0.075 is beyond 0.03"),
        ([WRONG] * 40, {"max_drop": 0.01}, False, "drop of 0.5 is beyond 0.01 (p 0.0001)"),
        ([RIGHT] * 40, {"max_rise": 0.1}, False, "rise of 0.5 is beyond 0.1 (p 0.0001)"),
        ([RIGHT] * 40, {"max_drop": 0.0}, True, "no drop"),
    ],
)
def test_a_rule_about_the_baseline(
    suite: Suite, half: Run, tmp_path: Path, gaps: list[Any], rule: dict[str, Any], passed: bool, reason: str
) -> None:
    run = make_run(suite, tmp_path / "new", "new", gaps)
    found, said = only(check_run(policy_of({"metric": "accuracy", **rule}), run, suite, half))
    assert (found, said.startswith(reason)) == (passed, True), said


def test_the_more_rules_ask_for_significance_the_more_it_takes(suite: Suite, half: Run, tmp_path: Path) -> None:
    run = make_run(suite, tmp_path / "new", "new", [WRONG] * 6 + HALF[6:])  # six passages: p = 2 / 2^6
    rules: list[dict[str, Any]] = [
        {"metric": "accuracy", "max_drop": 0.0},
        {"metric": "accuracy", "group": "domain=food", "max_drop": 0.0},
    ]
    alone = check_run(policy_of(rules[0]), run, suite, half)
    assert (alone.passed, alone.verdicts[0].holm) == (False, 2 / 2**6)
    both = check_run(policy_of(*rules), run, suite, half)
    assert (both.passed, [verdict.holm for verdict in both.verdicts]) == (True, [4 / 2**6] * 2)
    stern = check_run(policy_of(*rules, alpha=0.1), run, suite, half)
    assert not stern.passed


def test_ties_count_as_the_policy_says(suite: Suite, tmp_path: Path) -> None:
    run = make_run(suite, tmp_path / "tied", "tied", [TIED] * 40)
    rule = {"metric": "accuracy", "min": 0.5}
    assert not check_run(policy_of(rule), run).passed
    assert check_run(policy_of(rule, ties="half"), run, suite).passed


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"rules": []}, "rules: there is no rule here"),
        ({"rule": []}, "rules: this key is needed"),
        ({"rules": [{"metric": "accuracy"}]}, "one limit of min, max, max_drop, max_rise; here are none"),
        ({"rules": [{"metric": "accuracy", "min": 0, "max": 1}]}, "here are min, max"),
        ({"rules": [{"metric": "acuracy", "min": 0}]}, "Did you mean 'accuracy'"),
        ({"rules": [{"metric": "accuracy", "minimum": 0}]}, "unknown key"),
        ({"rules": [{"metric": "accuracy", "max": 1, "lower_bound": True}]}, "lower_bound goes with min or max_drop"),
        ({"rules": [{"metric": "accuracy", "min": 1, "significant": True}]}, "significant goes with"),
        ({"rules": [{"metric": "accuracy", "min": 1, "group": "minpairs"}]}, "neither overall nor grouping=value"),
        ({"rules": [{"metric": "gap", "max_drop": 1}]}, "own unit"),
        ({"rules": [{"metric": "accuracy", "max_drop": -1}]}, "greater than or equal to 0"),
        ({"rules": [{"metric": "accuracy", "min": float("nan")}]}, "finite"),
        ({"rules": [{"metric": "accuracy", "min": 50}]}, "share from 0 to 1, so the limit min 50"),
        ({"rules": [{"metric": "accuracy", "max_drop": 2}]}, "share from 0 to 1, so the limit max_drop 2"),
        ({"rules": ["accuracy"]}, r"rules\.0: a rule is a set of `key: value` lines"),
        ({"rules": {"metric": "accuracy"}}, "rules: write the rules as a list"),
        ({"rules": [{"metric": "accuracy", "min": 0}], "ties": "lucky"}, "ties"),
        ("just words", "this is no policy; `csuite gate --example`"),
    ],
)
def test_a_wrong_policy_is_explained(tmp_path: Path, policy: object, words: str) -> None:
    file = tmp_path / "gate.yaml"
    file.write_text(yaml.safe_dump(policy))
    with pytest.raises(UserError, match=rf"gate\.yaml: .*{words}"):
        Policy.read(file)


@pytest.mark.parametrize(("content", "words"), [(None, "csuite gate --example"), ("rules: [", "not valid YAML")])
def test_a_policy_that_cannot_be_read_is_explained(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / "gate.yaml").write_text(content)
    with pytest.raises(UserError, match=words):
        Policy.read(tmp_path / "gate.yaml")


def test_what_a_policy_needs_is_asked_for(suite: Suite, half: Run) -> None:
    compares = policy_of({"metric": "accuracy", "max_drop": 0})
    with pytest.raises(UserError, match=r"`accuracy: max_drop 0` compares with a baseline.*--baseline"):
        check_run(compares, half, suite)
    with pytest.raises(UserError, match="the suite is needed"):
        check_run(compares, half, None, half)
    with pytest.raises(UserError, match=r"No grouping named 'slices'.*Did you mean 'slice'"):
        check_run(policy_of({"metric": "accuracy", "group": "slices=minpairs", "min": 0}), half)


def test_the_example_is_a_policy(tmp_path: Path) -> None:
    (tmp_path / "gate.yaml").write_text(example_policy())
    policy = Policy.read(tmp_path / "gate.yaml")
    assert {rule.kind for rule in policy.rules} == {"min", "max", "max_drop", "max_rise"}
    assert policy.needs_suite


def test_every_fault_of_a_policy_is_told(tmp_path: Path) -> None:
    file = tmp_path / "gate.yaml"
    file.write_text("rules: [{metric: accuracy, minimum: 0.5}]\nalpha: 2\n")
    with pytest.raises(UserError) as caught:
        Policy.read(file)
    assert [line.split(": ")[1] for line in str(caught.value).splitlines()] == ["rules.0.minimum", "alpha"]


def test_a_short_slice_name_also_serves_a_rule_that_compares(suite: Suite, half: Run, tmp_path: Path) -> None:
    worse = make_run(suite, tmp_path / "worse", "worse", [WRONG] * 40)
    rules = [{"metric": "accuracy", "group": f"slice={name}", "max_drop": 0.1} for name in ("minpairs", "explicit")]
    assert [verdict.passed for verdict in check_run(policy_of(*rules), worse, suite, half).verdicts] == [False, True]
