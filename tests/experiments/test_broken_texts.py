"""A text that a real model gives no number, or cannot run at all, costs its example and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments import scoring
from constraintsuite.experiments.load import load_run
from constraintsuite.experiments.run import evaluate_suite
from experiments.tiny_suite import BREAD, EXAMPLES, NUTS, write_suite
from models.odd_words import add_word, break_every_text
from models.onnx.tiny_transformers import save_cross

BROKEN = pytest.mark.parametrize("value", [float("nan"), None])


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(scoring, "SHARD_PAIRS", 6)


@BROKEN
def test_its_example_is_left_out_named_and_counted(tmp_path: Path, value: float | None) -> None:
    save_cross(tmp_path / "cross")
    suite = write_suite(tmp_path / "suite")
    add_word(tmp_path / "cross", "water", value)
    assert "water" in BREAD
    assert "water" not in NUTS
    artifact = evaluate(tmp_path, suite)
    assert artifact.manifest.rejects == {"unworkable": 1}
    assert artifact.manifest.counts["examples"] == 4
    assert "nutless" not in {result.id for result in load_run(artifact.path).results}
    events = json.loads((artifact.path / "environment.json").read_text())["events"]
    assert sum("left out the query" in event and "TextError (" in event for event in events) == 3  # under each query


@BROKEN
def test_the_others_have_the_scores_that_they_have_without_it(tmp_path: Path, value: float | None) -> None:
    save_cross(tmp_path / "cross")
    add_word(tmp_path / "cross", "water", value)
    whole = write_suite(tmp_path / "suite")
    part = write_suite(tmp_path / "suite-part", [each for each in EXAMPLES if each.id != "nutless"])
    scores = [evaluate(tmp_path, each, ",batch_tokens=1").path / "scores.jsonl" for each in (whole, part)]  # no company
    assert scores[0].read_bytes() == scores[1].read_bytes()


@pytest.mark.parametrize(
    ("value", "words"), [(float("nan"), "the model gave no finite result"), (None, "could not run a batch")]
)
def test_a_model_that_breaks_at_many_ends_the_work_with_its_own_words(
    tmp_path: Path, value: float | None, words: str
) -> None:
    save_cross(tmp_path / "cross")
    add_word(tmp_path / "cross", "campsites", value)  # all pairs of some queries
    with pytest.raises(UserError, match=rf"(?s)cannot be worked on.* {words}"):
        evaluate(tmp_path, write_suite(tmp_path / "suite"))
    assert not list((tmp_path / "run" / "stages").glob("*.poison.jsonl"))


def test_so_does_one_that_breaks_at_any_text(tmp_path: Path) -> None:
    save_cross(tmp_path / "cross")
    break_every_text(tmp_path / "cross")
    with pytest.raises(UserError, match=r"^score: the model gave no finite result"):
        evaluate(tmp_path, write_suite(tmp_path / "suite"))


def evaluate(folder: Path, suite: Path, options: str = "") -> Artifact:
    return evaluate_suite(
        suite, f"cross:{folder}/cross,backend=onnx{options}", folder / f"run{suite.name[5:]}", Silent()
    )
