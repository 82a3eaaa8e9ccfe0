from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance, Silent
from constraintsuite.core.records.examples import Split
from constraintsuite.experiments.load import load_suite
from constraintsuite.experiments.scoring import pairs_of
from constraintsuite.mechanism.drift.behaviour import best_of, compare_behaviour, run_checkpoints
from constraintsuite.mechanism.drift.checkpoints import name_checkpoints
from constraintsuite.mechanism.drift.drift import DriftSettings, plan_drift
from mechanism.contrasts.suite_factory import make_suite
from mechanism.drift.moving import make_checkpoints, soups

NONE = np.nan
OPTIONS = "threads=1,backend=torch"
TEST: tuple[Split, ...] = ("test",)
DEV: tuple[Split, ...] = ("dev",)
SPLITS: list[tuple[Split, int]] = [("test", 20), ("train", 8), ("dev", 4)]


class Listening(Silent):
    """Keeps the titles of all steps."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        self.titles.append(f"{title} {total}")
        with super().track(title, total) as advance:
            yield advance


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two checkpoints, and a suite of 20 examples of the split test and 12 of others."""
    folder = tmp_path_factory.mktemp("behaviour")
    make_checkpoints(folder)
    splits = [split for split, count in SPLITS for _ in range(count)]
    make_suite(folder / "suite", [replace(one, split=split) for one, split in zip(soups(32), splits, strict=True)], ())
    return folder


def test_only_the_asked_splits_are_scored_and_named(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    suites = {"suite": load_suite(ground / "suite")}
    checkpoints = name_checkpoints([str(ground / "first"), str(ground / "second")], OPTIONS)
    heard = Listening()
    runs = run_checkpoints(suites, checkpoints, tmp_path / "runs", TEST, heard, 0)
    assert {len(run.results) for run in runs["suite"].values()} == {20}
    pairs = len(pairs_of(example for example in suites["suite"].examples if example.split == "test"))
    assert heard.titles == [f"first: pairs {pairs}", f"second: pairs {pairs}"]
    assert plan_drift(checkpoints, [ground / "suite"], DriftSettings(TEST, top=3)).behaviour == 2 * pairs
    found = compare_behaviour(suites, runs, TEST, seed=0)
    assert {one.value.n for one in found.figures if (one.group, one.metric) == ("overall", "accuracy")} == {20}


def test_runs_of_other_splits_do_not_stand_in(ground: Path, tmp_path: Path) -> None:
    suites = {"suite": load_suite(ground / "suite")}
    checkpoints = name_checkpoints([str(ground / "first"), str(ground / "second")], OPTIONS)
    run_checkpoints(suites, checkpoints, tmp_path, TEST, Silent(), 0)
    again = run_checkpoints(suites, checkpoints, tmp_path, DEV, Silent(), 0)
    assert {len(run.results) for run in again["suite"].values()} == {4}


def test_a_split_without_examples_is_refused(ground: Path, tmp_path: Path) -> None:
    suite = load_suite(ground / "suite")
    only = replace(suite, examples=suite.examples[:20])
    with pytest.raises(UserError, match="no main example is in the split dev"):
        run_checkpoints(
            {"suite": only}, name_checkpoints(["cross:tiny", str(ground / "first")]), tmp_path, DEV, Silent(), 0
        )


def test_scores_that_are_no_numbers_name_their_checkpoint(ground: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in (ground / "second").iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    weights = load_file(broken / "model.safetensors")
    weights["bert.embeddings.LayerNorm.weight"].fill_(3e38)  # a number, but what it is multiplied into is none
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    checkpoints = name_checkpoints([str(ground / "first"), str(broken)], OPTIONS)
    with pytest.raises(UserError, match=r"^Checkpoint broken: .*finite"):
        run_checkpoints({"suite": load_suite(ground / "suite")}, checkpoints, tmp_path / "runs", TEST, Silent(), 0)


@pytest.mark.parametrize(
    ("columns", "best"),
    [
        ({"start": [0.0, 0.0], "one": [1.0, 0.0], "two": [0.0, 0.0]}, "one"),
        ({"start": [0.0, 0.0, NONE], "one": [1.0, 1.0, NONE]}, "one"),  # a member without a pair has no value
        ({"start": [NONE, NONE], "one": [0.0, 0.0]}, "one"),
        ({"start": [1.0, 0.0], "one": [0.0, 1.0]}, "start"),
    ],
)
def test_the_best_checkpoint_is_that_of_the_largest_mean(columns: dict[str, list[float]], best: str) -> None:
    assert best_of({label: np.array(values) for label, values in columns.items()}) == best
