"""Loads weights and tokenizers with transformers, and refuses incomplete weights."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast


@contextmanager
def loading(folder: Path) -> Iterator[None]:
    """While the block runs, hide the library's progress bars and reports; its errors become a UserError of one line."""
    from safetensors import SafetensorError
    from transformers.utils import logging

    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, ImportError, SafetensorError) as error:
        reason = str(error).strip().partition("\n")[0]
        advice = " If you trust its own Python code, say trust=yes." if "trust_remote_code" in str(error) else ""
        raise UserError(f"{folder}: this model cannot be loaded: {type(error).__name__}: {reason}{advice}") from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def refuse_missing(model: torch.nn.Module, folder: Path) -> None:
    """Raise a UserError for missing weights, which the library would replace by random numbers."""
    from transformers import PreTrainedModel

    for part in model.modules():
        if isinstance(part, PreTrainedModel):
            loaded = {name: hasattr(weight, "_is_hf_initialized") for name, weight in part.named_parameters()}
            # The pooler is not used: we read the vectors of the tokens.
            missing = [name for name, is_loaded in loaded.items() if not is_loaded and "pooler" not in name]
            if any(loaded.values()):
                refuse_absent(missing, type(part).__name__, folder)


def refuse_absent(missing: Sequence[str], kind: str, folder: Path) -> None:
    """Raise a UserError if weights of these names are missing."""
    if missing:
        raise UserError(
            f"{folder}: {len(missing)} weights of a {kind} are not in its files, such as {missing[0]}. "
            "This is another kind of model (an encoder is `dense:`), or a part of its files is missing."
        )


def position_limit(model: torch.nn.Module) -> int | None:
    """How many tokens the model has position embeddings for; None if it has none."""
    from torch import nn

    limits = [
        # If padding has a position, counting begins after it.
        part.num_embeddings - (0 if part.padding_idx is None else part.padding_idx + 1)
        for name, part in model.named_modules()
        if name.endswith("position_embeddings") and isinstance(part, nn.Embedding)
    ]
    return min(limits, default=None)


def check_length(length: int | None, model: torch.nn.Module, folder: Path) -> None:
    """Raise a UserError for a length that the model has no positions for."""
    most = position_limit(model)
    if length is not None and most is not None and length > most:
        raise UserError(f"{folder}: length={length}, but the model reads at most {most} tokens.")


def load_tokenizer(folder: Path, trust: bool) -> PreTrainedTokenizerFast:
    """The tokenizer of a folder. Raises UserError if there is no tokenizer.json."""
    from transformers import AutoTokenizer

    with loading(folder):
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=trust)
    refuse_slow(tokenizer, folder)
    return tokenizer


def refuse_slow(tokenizer: PreTrainedTokenizerBase | None, folder: Path) -> None:
    """Raise a UserError for a slow tokenizer, which does not say which characters a token stands for."""
    if tokenizer is None or not tokenizer.is_fast:
        raise UserError(f"{folder}: its tokenizer exists in Python only. One with a tokenizer.json is needed.")
