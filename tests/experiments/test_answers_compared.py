"""People beside models: a sheet may ask about some of the queries only."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.compare import compare
from constraintsuite.app.cli.gate import gate
from constraintsuite.app.pages.view import make_view
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.statistics.ties import TieRule
from constraintsuite.experiments.answers.run import record_answers
from constraintsuite.experiments.load import Run, Suite, load_run, load_suite
from constraintsuite.experiments.pair_experiment import rejudge
from constraintsuite.experiments.run import evaluate_suite
from experiments.tiny_suite import CONTROLS, EXAMPLES, write_suite

CHOICES = (
    "satisfying",
    "tie",
    "violating",
    "satisfying",
    "tie",
    "satisfying",
    "satisfying",
    "tie",
)  # of five examples and three controls


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return load_suite(write_suite(tmp_path / "suite"))


@pytest.fixture
def model(suite: Suite, tmp_path: Path) -> Path:
    return evaluate_suite(suite.artifact.path, "bm25:nostop", tmp_path / "model", Silent()).path


@pytest.fixture
def people(suite: Suite, tmp_path: Path) -> Path:
    """Answers under negated queries alone, as a sheet without a column `query` has them."""
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        rows = [(e.id, choice) for e, choice in zip((*EXAMPLES, *CONTROLS), CHOICES, strict=True)]
        csv.writer(file).writerows([("example", "choice"), *rows])
    return record_answers(suite.artifact.path, tmp_path / "answers.csv", "us", tmp_path / "runs", Silent()).path


def printed(*arguments: object) -> str:
    result = CliRunner().invoke(compare, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_people_and_models_are_compared_in_either_order(model: Path, people: Path) -> None:
    for runs in ((model, people), (people, model)):
        assert "headline" in printed(*runs)
        text = printed(*runs, "--changed", 9)
        assert "query: soups without cream" in text
        assert "base: " not in text  # nobody was asked


def value(run: Run, metric: str) -> float | None:
    return run.summary.overall.metrics[metric].value


@pytest.mark.parametrize(("rule", "accuracy"), [("strict", 2 / 5), ("half", 3 / 5)])
def test_ties_of_people_count_as_the_rule_says(suite: Suite, people: Path, rule: str, accuracy: float) -> None:
    run = rejudge(load_run(people), suite, TieRule("half" if rule == "half" else "strict"))
    assert value(run, "accuracy") == accuracy
    assert (value(run, "opposite_accuracy"), value(run, "paired_accuracy")) == (None, None)
    assert make_view(suite, [run], run.summary.rule).labels == ["human:us"]


def test_a_gate_counts_ties_of_people(people: Path, tmp_path: Path) -> None:
    policy = tmp_path / "gate.yaml"
    policy.write_text("ties: half\nrules: [{metric: accuracy, min: 0.6}]")
    assert CliRunner().invoke(gate, [str(people), "--policy", str(policy)], catch_exceptions=False).exit_code == 0
