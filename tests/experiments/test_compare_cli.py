from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli import compare as comparing
from constraintsuite.app.cli import gate as gating
from constraintsuite.core.errors import UserError
from constraintsuite.experiments.load import load_suite
from experiments.paired_runs import RIGHT, WRONG, make_run, make_suite

POLICY = "rules: [{metric: accuracy, min: 0.9}, {metric: paired_accuracy, max_drop: 0.1}]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    suite = make_suite(tmp_path / "suite")
    make_run(suite, tmp_path / "good", "good", [RIGHT] * 40)
    make_run(suite, tmp_path / "bad", "bad", [RIGHT] * 10 + [WRONG] * 30)
    (tmp_path / "gate.yaml").write_text(POLICY)
    return tmp_path


def compare(*arguments: object) -> str:
    return CliRunner().invoke(comparing.compare, [str(a) for a in arguments], catch_exceptions=False).stdout


def gate(*arguments: object) -> Result:
    return CliRunner().invoke(gating.gate, [str(a) for a in arguments], catch_exceptions=False)


def test_compare_prints_a_table_that_fits_a_terminal(folder: Path) -> None:
    printed = compare(folder / "bad", folder / "good", "--by", "slice")
    rows = [line for line in printed.splitlines() if line.startswith(("headline", "explicit", "minpairs"))]
    assert [row.split()[:3] for row in rows] == [
        ["headline", "25.0", "100.0"],
        ["explicit", "0.0", "100.0"],
        ["minpairs", "50.0", "100.0"],
    ]
    assert max(map(len, rows)) <= 100


def test_compare_prints_and_writes_json_and_markdown(folder: Path) -> None:
    arguments = (folder / "bad", folder / "good", "--metric", "accuracy", "--metric", "paired_accuracy", "--changed", 2)
    found = json.loads(compare(*arguments, "--json", "--out", folder / "c.json"))
    assert found == json.loads((folder / "c.json").read_text())
    assert [test["metric"] for test in found["tests"]] == ["accuracy", "paired_accuracy"]
    assert len(found["changes"]["bad -> good"]) == 2
    compare(*arguments, "--out", folder / "c.md")
    assert (folder / "c.md").read_text().startswith("# Comparison on tiny\n")


def test_compare_can_count_ties_otherwise(folder: Path) -> None:
    found = json.loads(compare(folder / "bad", folder / "good", "--ties", "half", "--tie-eps", 2, "--json"))
    assert (found["ties"], found["tests"][0]["value_first"]) == ("half, eps 2", 0.25)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["good"], "fewer than two systems. Name a second run"),
        (["good", "good"], "named twice"),
        (["good", "suite"], "a suite holds no measurements to compare"),
        (["good", "bad", "--metric", "speed"], "No metric named"),
        (["good", "bad", "--by", "slices"], "Did you mean 'slice'"),
        (["good", "bad", "--out", "table.txt"], r"written as JSON or Markdown"),
    ],
)
def test_compare_explains_what_is_wrong(
    folder: Path, arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(UserError, match=words):
        compare(*arguments)
    assert not (folder / "table.txt").exists()


def test_a_run_that_passes_exits_with_0_and_one_that_fails_with_1(folder: Path) -> None:
    policy = ("--policy", folder / "gate.yaml")
    passed = gate(folder / "good", *policy, "--baseline", folder / "bad")
    assert (passed.exit_code, passed.stdout.splitlines()[-1]) == (0, "good passes on tiny against bad.")
    failed = gate(folder / "bad", *policy, "--baseline", folder / "good")
    assert failed.exit_code == 1
    lines = failed.stdout.splitlines()
    assert [line.partition(": 40 items in 20")[0] for line in lines if not line.startswith(" ")] == [
        "FAILED  accuracy: min 0.9 [headline]: 25.0 % is below 90.0 %",
        "FAILED  paired_accuracy: max_drop 0.1 [headline]: a drop of 75.0 points is beyond 10.0 points (p <0.001)",
        "bad does not pass on tiny against good: 2 of 2 rules fail.",
    ]
    assert "      query: 10 without cream" in lines


def test_a_forged_figure_passes_no_gate(folder: Path) -> None:
    summary = folder / "bad" / "summary.json"
    summary.write_text(summary.read_text().replace('"value": 0.25', '"value": 0.99'))
    with pytest.raises(UserError, match=r"bad/summary\.json: changed since the run was made"):
        gate(folder / "bad", "--policy", folder / "gate.yaml", "--baseline", folder / "good")


def test_chance_is_no_system_beside_others_and_can_be_gated_alone(folder: Path) -> None:
    make_run(load_suite(folder / "suite"), folder / "guess", "random:7", [RIGHT, WRONG] * 20)
    arguments = [str(folder / name) for name in ("bad", "guess", "good")]
    result = CliRunner().invoke(comparing.compare, arguments, catch_exceptions=False)
    assert (
        result.stderr
        == f"{folder / 'guess'}: left out, because it only guesses: chance is shown as a line, not as a system.\n"
    )
    assert "bad → good" in result.stdout
    assert "random" not in result.stdout
    assert gate(folder / "guess", "--baseline", folder / "guess").exit_code == 0


def test_unfinished_runs_are_left_out_with_a_note(folder: Path) -> None:
    (folder / "failed").mkdir()
    (folder / "failed" / ".working").touch()
    arguments = [str(folder / name) for name in ("bad", "failed", "good")]
    result = CliRunner().invoke(comparing.compare, arguments, catch_exceptions=False)
    assert result.stderr.startswith(f"{folder / 'failed'}: left out, because it is not finished.")
    assert "bad → good" in result.stdout


def test_the_verdict_as_json_has_all_figures(folder: Path) -> None:
    result = gate(folder / "bad", "--policy", folder / "gate.yaml", "--baseline", folder / "good", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["outcome"], found["run"], found["baseline"]) == (1, "failed", "bad", "good")
    assert [verdict["value"]["value"] for verdict in found["verdicts"]] == [0.25, 0.25]
    assert (found["verdicts"][1]["baseline"], found["verdicts"][1]["difference"]["value"]) == (1.0, -0.75)


def test_a_suite_that_moved_can_be_named(folder: Path) -> None:
    (folder / "suite").rename(folder / "elsewhere")
    arguments = (folder / "good", "--policy", folder / "gate.yaml", "--baseline", folder / "bad")
    with pytest.raises(UserError, match="--suite FOLDER"):
        gate(*arguments)
    assert gate(*arguments, "--suite", folder / "elsewhere").exit_code == 0


@pytest.mark.parametrize(
    "policy", ["ties: half\nrules: [{metric: accuracy, min: 0}]", "rules: [{metric: accuracy, min: 0}]", POLICY]
)
def test_a_gate_with_another_suite_is_wrong_input_not_a_failed_model(folder: Path, policy: str) -> None:
    (folder / "gate.yaml").write_text(policy)
    other = make_suite(folder / "other", count=20).artifact.path
    arguments = (folder / "good", "--policy", folder / "gate.yaml", "--baseline", folder / "bad", "--suite", other)
    with pytest.raises(UserError, match=r"good: this run is of another suite .*other"):
        gate(*arguments)


def test_gate_prints_an_example_that_is_a_policy(folder: Path) -> None:
    (folder / "gate.yaml").write_text(gate("--example").stdout)
    assert gate(folder / "bad", "--policy", folder / "gate.yaml", "--baseline", folder / "good").exit_code == 1


@pytest.mark.parametrize("arguments", [[], ["good"]])
def test_gate_asks_for_what_it_needs(folder: Path, arguments: list[str]) -> None:
    with pytest.raises(UserError, match="--policy"):
        gate(*(folder / name for name in arguments))
