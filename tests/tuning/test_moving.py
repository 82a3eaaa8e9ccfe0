"""Which weights move: all, or without what is frozen, or low-rank additions alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.tuning.tune import tune
from tuning.trials import changed, recipe, tensors

LORA = {"rank": 4, "targets": ["query", "value"]}
LAST = ("seed0-00-start", "seed0-01-rule-01")


def test_low_rank_additions_are_added_into_the_checkpoint(place: Path, tmp_path: Path) -> None:
    artifact = tune(recipe(place, {"name": "rule", "epochs": 1, "lora": LORA}), tmp_path / "out", Silent())
    names = tensors(artifact.path / "checkpoints" / LAST[0])
    moving = {name for name in names if name.endswith(("query.weight", "value.weight")) or "classifier" in name}
    assert changed(artifact, *LAST) == moving


def test_frozen_parts_stay_as_they_are(place: Path, tmp_path: Path) -> None:
    task = {"name": "rule", "epochs": 1, "freeze": ["embeddings", "layer.0"]}
    artifact = tune(recipe(place, task), tmp_path / "out", Silent())
    names = tensors(artifact.path / "checkpoints" / LAST[0])
    assert changed(artifact, *LAST) == {n for n in names if ".embeddings." not in n and ".layer.0." not in n}


def test_frozen_parts_have_no_low_rank_additions_either(place: Path, tmp_path: Path) -> None:
    task = {"name": "rule", "epochs": 1, "freeze": ["classifier", "layer.0", "value.weight"], "lora": LORA}
    artifact = tune(recipe(place, task), tmp_path / "out", Silent())
    assert changed(artifact, *LAST) == {"bert.encoder.layer.1.attention.self.query.weight"}


def test_a_part_that_is_not_there_cannot_be_frozen(place: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"freeze: no weight of the model is part of 'layer\.9'"):
        tune(recipe(place, {"name": "rule", "freeze": ["layer.9"]}), tmp_path / "out", Silent())
