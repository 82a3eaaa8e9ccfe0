from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.statistics.ties import STRICT, TIE_POLICIES, TieRule
from constraintsuite.experiments.load import Run, Suite, load_run, load_suite
from constraintsuite.experiments.pair_experiment import rejudge
from constraintsuite.experiments.run import evaluate_suite
from constraintsuite.models.lexical import Bm25Scorer
from experiments.tiny_suite import write_suite


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return load_suite(write_suite(tmp_path / "suite"))


@pytest.fixture
def run(suite: Suite, tmp_path: Path) -> Run:
    return load_run(evaluate_suite(suite.artifact.path, "bm25:nostop", tmp_path / "run", Silent()).path)


def accuracy(run: Run) -> float | None:
    return run.summary.overall.metrics["accuracy"].value


def test_ties_are_judged_anew_without_the_model(run: Run, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr(Bm25Scorer, "score", refuse)
    assert accuracy(run) == 1 / 5
    assert accuracy(rejudge(run, suite, TieRule("half"))) == 2 / 5  # one right, two ties
    assert accuracy(rejudge(run, suite, TieRule("mteb"))) == 1 / 5  # the violating document's id sorts last
    assert rejudge(run, suite, STRICT) is run


def test_with_a_large_eps_all_is_a_tie(run: Run, suite: Suite) -> None:
    tied = rejudge(run, suite, TieRule("half", 1e9))
    assert {(result.outcomes["query"], result.tie) for result in tied.results} == {("tie", True)}
    assert (accuracy(tied), tied.summary.overall.metrics["paired_accuracy"].value) == (0.5, 0.25)
    assert tied.summary.rule == TieRule("half", 1e9)


def test_gaps_and_units_do_not_depend_on_the_rule(run: Run, suite: Suite) -> None:
    again = rejudge(run, suite, TieRule("random"))
    for metric in ("gap", "normalised_gap", "sensitivity", "superiority"):
        assert again.summary.overall.metrics[metric] == run.summary.overall.metrics[metric]


def test_a_run_carries_its_figures_under_every_policy(run: Run, suite: Suite) -> None:
    assert run.summary.ties is not None
    for metric in ("accuracy", "opposite_accuracy", "paired_accuracy"):
        assert tuple(run.summary.ties[metric]) == TIE_POLICIES
        for policy in TIE_POLICIES:
            again = rejudge(run, suite, TieRule(policy)).summary.overall.metrics[metric]
            assert run.summary.ties[metric][policy].value == again.value


def test_a_run_without_all_its_scores_is_refused(run: Run, suite: Suite) -> None:
    scores = run.artifact.path / "scores.jsonl"
    scores.write_text("".join(scores.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(UserError, match=r"scores\.jsonl: a score is missing"):
        rejudge(run, suite, TieRule("half"))
