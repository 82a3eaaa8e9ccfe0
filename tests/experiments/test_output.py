"""Runs in their folders: made again where a file is gone, and of one suite each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments.load import find_suite, load_run, load_suite
from constraintsuite.experiments.output import split_facts
from constraintsuite.experiments.run import RunContent, evaluate_suite, evaluate_suites, record_run, run_origin
from constraintsuite.experiments.scoring import pairs_of
from constraintsuite.models.base import ModelFact
from experiments.tiny_suite import EXAMPLES, write_suite


def test_a_run_whose_summary_was_deleted_is_made_again(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    run = evaluate_suite(suite, "bm25", tmp_path / "run", Silent())
    (run.path / "summary.json").unlink()
    evaluate_suite(suite, "bm25", tmp_path / "run", Silent())
    assert load_run(run.path).summary.system == "bm25"


@pytest.mark.parametrize("names", [("one", "other"), ("same", "same")])
def test_suites_in_folders_of_one_name_do_not_replace_each_others_runs(tmp_path: Path, names: tuple[str, str]) -> None:
    one = write_suite(tmp_path / "a" / "test", EXAMPLES, (), name=names[0])
    other = write_suite(tmp_path / "b" / "test", EXAMPLES[:3], (), name=names[1])
    (run,) = evaluate_suites(one, ["bm25"], tmp_path / "runs", Silent())
    with pytest.raises(UserError, match=rf"suite '{names[0]}'.*suite '{names[1]}' in .*b/test would.*another --out"):
        evaluate_suites(other, ["bm25"], tmp_path / "runs", Silent())
    assert load_run(run.path).artifact.manifest == run.manifest
    assert find_suite(run.path) == one.resolve()


def test_a_suite_that_moved_or_was_built_anew_keeps_its_place(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "a" / "test")
    (first,) = evaluate_suites(suite, ["bm25"], tmp_path / "runs", Silent())
    shutil.copytree(suite, tmp_path / "b" / "test")  # the same bytes: the same run
    (copied,) = evaluate_suites(tmp_path / "b" / "test", ["bm25"], tmp_path / "runs", Silent())
    assert copied.manifest == first.manifest
    shutil.rmtree(suite)
    write_suite(tmp_path / "b" / "test", EXAMPLES[:3], ())
    (rebuilt,) = evaluate_suites(tmp_path / "b" / "test", ["bm25"], tmp_path / "runs", Silent())
    assert rebuilt.manifest.counts["examples"] == 3


@pytest.mark.parametrize(
    ("facts", "own", "place"),
    [
        ({}, {}, {}),
        ({"threads": 2, "length": 512}, {"length": 512}, {"threads": 2}),
        (
            {"first": {"folder": "x", "depth": 3}, "reranker": {"prompt": ""}},
            {"first": {"depth": 3}, "reranker": {"prompt": ""}},
            {"first": {"folder": "x"}},
        ),
    ],
)
def test_facts_of_the_place_are_told_from_the_rest(
    facts: dict[str, ModelFact], own: dict[str, ModelFact], place: dict[str, ModelFact]
) -> None:
    assert split_facts(facts) == (own, place)


def test_where_a_model_ran_is_no_content(tmp_path: Path) -> None:
    suite = load_suite(write_suite(tmp_path / "suite"))
    scores = dict.fromkeys(pairs_of([*suite.examples, *suite.controls]), 1.0)
    origin = run_origin(suite, "cross:x", {}, 0)

    def run_on(name: str, threads: int) -> Artifact:
        facts: dict[str, ModelFact] = {"precision": "fp32", "threads": threads, "device": name}
        content = RunContent(suite, scores, facts=facts)
        return record_run(suite, origin, tmp_path / name, lambda: content, reporter=Silent())

    small, large = run_on("small", 1), run_on("large", 64)
    assert small.manifest == large.manifest
    assert json.loads((large.path / "model.json").read_text()) == {"precision": "fp32"}
    assert json.loads((large.path / "environment.json").read_text())["model"] == {"device": "large", "threads": 64}
