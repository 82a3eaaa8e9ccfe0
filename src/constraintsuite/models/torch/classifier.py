"""Load a sequence classifier and its tokenizer from a Hugging Face folder."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constraintsuite.core.errors import UserError
from constraintsuite.models.tokenization import Padding, Tokenization
from constraintsuite.models.torch.device import pick_dtype
from constraintsuite.models.torch.firsttoken import read_first_token_only
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.loader import check_length, loading, position_limit, refuse_absent, refuse_slow

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Classifier:
    """A loaded classifier with its tokenization."""

    model: torch.nn.Module
    tokenization: Tokenization
    takes_types: bool
    """Whether it takes token types, which tell query and text apart."""
    first_token_only: bool
    """Whether the last layer is computed for the first token alone."""
    pads: bool
    """Whether it has a padding token; without one it gets one text at a time."""


def load_classifier(
    folder: Path, device: torch.device, precision: str, length: int | None, trust: bool, *, trimmed: bool = True
) -> Classifier:
    """The classifier on its device. Raises UserError if weights are missing.

    With `trimmed`, its last layer computes only what the score needs, if a test shows that the scores stay the same.
    """
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    places = {"local_files_only": True, "trust_remote_code": trust}
    with loading(folder):
        tokenizer = AutoTokenizer.from_pretrained(folder, **places)
        model, found = AutoModelForSequenceClassification.from_pretrained(
            folder, dtype=pick_dtype(precision), use_safetensors=True, output_loading_info=True, **places
        )
    refuse_absent(sorted(str(name) for name in found["missing_keys"]), type(model).__name__, folder)
    refuse_slow(tokenizer, folder)
    check_length(length, model, folder)
    pad = _agree_on_padding(tokenizer, model)
    model = model.eval().to(device)
    _score_in_full_precision(model)
    # As in the library: the tokenizer must give them, and the model must take them.
    takes_types = (
        "token_type_ids" in tokenizer.model_input_names
        and "token_type_ids" in inspect.signature(model.forward).parameters
    )
    return Classifier(
        model,
        Tokenization(
            tokenizer.backend_tokenizer,
            length or _own_length(folder, tokenizer, model),
            Padding(pad or 0, tokenizer.pad_token_type_id, tokenizer.padding_side == "left"),
            cut_left=tokenizer.truncation_side == "left",
        ),
        takes_types,
        trimmed and read_first_token_only(model),
        pad is not None,
    )


def _agree_on_padding(tokenizer: Any, model: torch.nn.Module) -> int | None:  # noqa: ANN401
    """The padding token, None if there is none; a decoder must know it to find the last token of a text."""
    config = model.config.get_text_config()
    if config.pad_token_id is None:
        config.pad_token_id = tokenizer.pad_token_id
    pad: int | None = config.pad_token_id
    return pad


def _own_length(folder: Path, tokenizer: Any, model: torch.nn.Module) -> int:  # noqa: ANN401
    """The largest number of tokens that the model's files allow, as sentence-transformers reads them."""
    positions = getattr(model.config, "max_position_embeddings", None) or -1
    declared = ModelFolder(folder).json("sentence_bert_config.json").get("max_seq_length")
    limits = [tokenizer.model_max_length, positions, position_limit(model), declared]
    # A tokenizer without a limit has a huge number.
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < 1e9]
    if not known:
        raise UserError(f"{folder}: its files do not say how many tokens it reads. Set length=N.")
    return min(known)


def _score_in_full_precision(model: torch.nn.Module) -> None:
    """Compute the scoring layer in fp32: with the eight bits of bf16, close scores would become ties."""
    import torch

    last = [part for part in model.modules() if isinstance(part, torch.nn.Linear)][-1]
    if last.out_features == model.config.num_labels and last.weight.dtype != torch.float32:
        last.float()
        last.register_forward_pre_hook(lambda _module, inputs: (inputs[0].float(),))
