"""What cannot be compared is told from files alone, with the checkpoint that is to blame."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.drift import drift as measuring
from constraintsuite.mechanism.drift.checkpoints import name_checkpoints
from constraintsuite.mechanism.drift.drift import DriftSettings, plan_drift
from mechanism.drift.moving import make_soup_suite
from mechanism.planted import make_planted

WEIGHTS = "model.safetensors"
NAN = "bert.encoder.layer.1.output.dense.weight"


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alike")
    make_planted(folder / "first")
    make_soup_suite(folder / "suite")
    return folder


def configured(**values: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = folder / "config.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | values))

    return change


def other_tokens(folder: Path) -> None:
    """Two tokens have each other's number."""
    file = folder / "tokenizer.json"
    text = file.read_text()
    content = json.loads(text)
    words = content["model"]["vocab"]
    words["leeks"], words["."] = words["."], words["leeks"]
    file.write_text(json.dumps(content))


def cut_off(folder: Path) -> None:
    file = folder / WEIGHTS
    file.write_bytes(file.read_bytes()[:-64])


def with_nan(folder: Path) -> None:
    weights = load_file(folder / WEIGHTS)
    weights[NAN][0, 0] = torch.nan
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (configured(num_hidden_layers=2), r"differs from first in its layers \(3 and 2\)"),
        (configured(num_attention_heads=2), r"differs from first in its heads \(4 and 2\)"),
        (configured(hidden_size=16), r"differs from first in its width \(32 and 16\)"),
        (configured(model_type="electra"), r"differs from first in its kind \(bert and electra\)"),
        (configured(model_type="gpt2"), "models of type 'gpt2'"),
        (other_tokens, "differs from first in its tokenizer"),
        (cut_off, r"model\.safetensors: this model cannot be loaded"),
        (with_nan, f"{NAN} holds NaN"),
        (lambda folder: (folder / WEIGHTS).unlink(), "no weights"),
    ],
)
def test_a_dry_run_refuses_what_the_run_would(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], words: str
) -> None:
    shutil.copytree(ground / "first", tmp_path / "second")
    change(tmp_path / "second")
    monkeypatch.setattr(measuring, "load_model", None)
    named = name_checkpoints([str(ground / "first"), str(tmp_path / "second")])
    with pytest.raises(UserError, match=f"^Checkpoint second: .*{words}"):
        plan_drift(named, [ground / "suite"], DriftSettings(top=3))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (DriftSettings(top=15), "15 heads and MLPs in all"),
        (DriftSettings(top=3, limit=4), "Too few contrasts are left"),
    ],
)
def test_a_dry_run_refuses_settings_that_leave_nothing(ground: Path, settings: DriftSettings, words: str) -> None:
    shutil.copytree(ground / "first", ground / "same", dirs_exist_ok=True)
    named = name_checkpoints([str(ground / "first"), str(ground / "same")])
    with pytest.raises(UserError, match=words):
        plan_drift(named, [ground / "suite"], settings)
