"""What is shown of a training."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from constraintsuite.app.views.display import ShowOptions
from constraintsuite.app.views.trainings import show_training
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import UnitValue
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, VerbatimText
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.tuning.curves import Selected, TrainingCurvePoint


def point(
    position: int, evaluation: str, metric: str, value: float | None, part: str = "overall"
) -> TrainingCurvePoint:
    task = "rule" if position else "start"
    return TrainingCurvePoint(
        0, task, position, position, 10 * position, f"c{position}", evaluation, part, metric, value, 0.1, 0.9, 8
    )


POINTS = [
    point(0, "dev", "accuracy", 0.5),
    point(1, "dev", "accuracy", 0.75),
    point(1, "dev", "accuracy", 1.0, "explicit"),
    point(1, "training", "loss", 0.25),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "curves.jsonl", POINTS)
    write_text(
        tmp_path / "selected.json", json.dumps([asdict(Selected(0, "rule", 1, "c1", "dev accuracy overall", 0.75))])
    )
    write_text(tmp_path / "recipe.json", '{"name": "tuned"}\n')
    write_text(tmp_path / "checkpoints" / "c1" / "model.safetensors", "weights")
    counts = {"checkpoints": 2, "points": 4, "rule lists": 120}
    finish(tmp_path, ArtifactOrigin("tune", "tuned", {}, {}, 0, Revision(1)), counts, {"rule too_long": 3}, 1.0)
    return tmp_path


def test_figures_stand_by_checkpoint(folder: Path) -> None:
    sections = show_training([folder], ShowOptions()).sections
    tables = {table.name: table for section in sections for table in section.tables()}
    assert tables["figures_dev"].rows == (("c0", Interval(0.5, 0.1, 0.9, 8)), ("c1", Interval(0.75, 0.1, 0.9, 8)))
    assert tables["selected"].rows == (("c1", 0, "rule", 1, "dev accuracy overall", UnitValue(0.75, "share")),)
    assert tables["left_out"].rows == (("rule too_long", 3),)


def test_curves_are_drawn_and_the_recipe_is_there(folder: Path) -> None:
    blocks = [block for one in show_training([folder], ShowOptions()).sections for block in one.blocks]
    (charts,) = [block for block in blocks if isinstance(block, Charts)]
    assert [drawing.name for drawing in charts.drawings] == ["curve-accuracy", "curve-loss", "slices-dev"]
    assert [block.text for block in blocks if isinstance(block, VerbatimText)] == ['{"name": "tuned"}']


@pytest.mark.parametrize("file", ["curves.jsonl", "selected.json", "recipe.json"])
def test_what_was_changed_is_refused(folder: Path, file: str) -> None:
    (folder / file).write_text("[]")
    with pytest.raises(UserError, match=f"{file}: changed since the tune was made"):
        show_training([folder], ShowOptions())


def test_weights_are_not_read(folder: Path) -> None:
    before = show_training([folder], ShowOptions())
    (folder / "checkpoints" / "c1" / "model.safetensors").unlink()
    assert show_training([folder], ShowOptions()) == before


def test_a_folder_of_another_version_is_refused(tmp_path: Path) -> None:
    finish(tmp_path, ArtifactOrigin("tune", "old", {}, {}, 0, Revision(1)), {}, {}, 1.0)
    with pytest.raises(UserError, match=r"curves\.jsonl is missing\. Was the training written by another version\?"):
        show_training([tmp_path], ShowOptions())
