"""Models with a word that they cannot read: everything real, and one row of their table of words not what it should be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer


def add_word(folder: Path, word: str, value: float | None) -> None:
    """A token for the word, whose numbers are all `value`; with None it is behind the end of the table, and cannot be run."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert tokenizer.token_to_id(word) is None
    tokenizer.add_tokens([word])
    tokenizer.save(str(folder / "tokenizer.json"))
    if value is not None:
        _append(folder, value)


def break_every_text(folder: Path) -> None:
    """What stands before each text is no number."""
    number = Tokenizer.from_file(str(folder / "tokenizer.json")).token_to_id("[CLS]")
    weights = load_file(folder / "model.safetensors")
    weights[_table(weights)][number] = np.nan
    save_file(weights, folder / "model.safetensors")


def _append(folder: Path, value: float) -> None:
    weights = load_file(folder / "model.safetensors")
    table = weights[_table(weights)]
    weights[_table(weights)] = np.concatenate([table, np.full((1, table.shape[1]), value, dtype=table.dtype)])
    save_file(weights, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": len(table) + 1}))


def _table(weights: Mapping[str, object]) -> str:
    return next(name for name in weights if name.endswith("word_embeddings.weight"))
