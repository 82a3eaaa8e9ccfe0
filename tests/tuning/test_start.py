"""The model that training begins with: its head, and how much it reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import (
    PreTrainedModel,
    RobertaConfig,
    RobertaForSequenceClassification,
    T5Config,
    T5ForSequenceClassification,
)

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.tuning.models import open_start, write_start
from constraintsuite.tuning.recipe import StartSettings
from constraintsuite.tuning.tune import tune
from tuning.models import WORDS, make_tokenizer, write_cross, write_parts
from tuning.trials import recipe, tensors

HEAD = ("classifier.bias", "classifier.weight")


def start(folder: Path, out: Path, head: str, seed: int = 0) -> Path:
    settings = StartSettings.model_validate({"model": str(folder), "head": head})
    write_start(settings, open_start(settings), out, seed)
    return out


def test_a_fresh_head_is_decided_by_the_seed_and_nothing_else_moves(tmp_path: Path) -> None:
    own = tensors(write_cross(tmp_path / "own"))
    first, again, other = (
        tensors(start(tmp_path / "own", tmp_path / name, "fresh", seed))
        for name, seed in (("first", 1), ("again", 1), ("other", 2))
    )
    assert np.array_equal(first["classifier.weight"], again["classifier.weight"])
    assert len({one["classifier.weight"].tobytes() for one in (own, first, other)}) == 3
    assert all(np.array_equal(own[name], first[name]) for name in own if name not in HEAD)


def test_a_head_of_its_own_is_kept(tmp_path: Path) -> None:
    own = tensors(write_cross(tmp_path / "own"))
    kept = tensors(start(tmp_path / "own", tmp_path / "kept", "auto", 1))
    assert all(np.array_equal(own[name], kept[name]) for name in own)


@pytest.mark.parametrize("labels", [2, 3])
def test_a_head_of_several_labels_is_refused_unless_a_fresh_one_is_asked_for(tmp_path: Path, labels: int) -> None:
    folder = write_cross(tmp_path / "several", num_labels=labels)
    with pytest.raises(UserError, match=f"its head has {labels} labels.*`head: fresh`"):
        start(folder, tmp_path / "out", "auto")
    assert tensors(start(folder, tmp_path / "out", "fresh"))["classifier.weight"].shape == (1, 32)


def roberta() -> PreTrainedModel:
    """It reads two tokens less than it has positions."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
    places = {"max_position_embeddings": 42, "pad_token_id": 1, "type_vocab_size": 1}
    return RobertaForSequenceClassification(RobertaConfig(vocab_size=len(WORDS), num_labels=1, **sizes, **places))


def t5() -> PreTrainedModel:
    """It has no positions that could end."""
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_heads": 4}
    special = {"decoder_start_token_id": 0, "eos_token_id": 3, "pad_token_id": 0}
    return T5ForSequenceClassification(T5Config(vocab_size=len(WORDS), num_labels=1, **sizes, **special))


@pytest.mark.parametrize(("make", "length"), [(roberta, 40), (t5, 44)])
def test_a_checkpoint_reads_as_much_as_its_model_can_whatever_the_length_of_the_task(
    place: Path, tmp_path: Path, make: type[PreTrainedModel], length: int
) -> None:
    torch.manual_seed(0)
    tokenizer = make_tokenizer()
    tokenizer.model_input_names, tokenizer.model_max_length = ["input_ids", "attention_mask"], 44
    folder = write_parts(tmp_path / "model", make(), tokenizer)
    settings = recipe(place, {"name": "rule", "epochs": 1}, start={"model": str(folder)})
    for checkpoint in tune(settings, tmp_path / "out", Silent()).path.glob("checkpoints/*"):
        assert json.loads((checkpoint / "tokenizer_config.json").read_text())["model_max_length"] == length
