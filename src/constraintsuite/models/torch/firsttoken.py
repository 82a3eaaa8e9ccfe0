"""Classifiers that read only the first token of the last layer need only that one computed there.

Of the last of n layers this leaves the keys and values: with 6 layers a seventh of all arithmetic is saved, and the
scores are the same but for the order of sums.
"""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

ARCHITECTURES = frozenset({"bert", "camembert", "electra", "roberta", "xlm-roberta"})
"""Those whose layers are built alike and whose classifier reads the first token."""
_AGREEMENT = {4: 1e-4, 2: 5e-2}  # by bytes a number, as a share of the largest score


def read_first_token_only(model: torch.nn.Module) -> bool:
    """Trim the last layer where that provably changes nothing; whether it was done."""
    if model.config.model_type not in ARCHITECTURES or model.config.is_decoder:
        return False
    last = model.base_model.encoder.layer[-1]
    whole = _trial(model)
    undo = _trim(last)
    apart = (_trial(model) - whole).abs().max()
    if bool(apart <= _AGREEMENT[model.dtype.itemsize] * whole.abs().max()):
        return True
    undo()
    return False


@contextmanager
def first_token_only(model: torch.nn.Module) -> Iterator[None]:
    """Inside, the last layer of a model of one of `ARCHITECTURES` is computed for the first token alone."""
    undo = _trim(model.base_model.encoder.layer[-1])
    try:
        yield
    finally:
        undo()


def _trim(layer: torch.nn.Module) -> Callable[[], None]:
    """Let a layer give the first token alone; calling the result takes that back."""
    attention = layer.attention.self
    heads, size = attention.num_attention_heads, attention.attention_head_size

    def attend(
        hidden_states: torch.Tensor, attention_mask: torch.Tensor | None = None, *_: object, **__: object
    ) -> tuple[torch.Tensor, None]:
        from torch.nn.functional import scaled_dot_product_attention

        def split(values: torch.Tensor) -> torch.Tensor:
            return values.unflatten(-1, (heads, size)).transpose(1, 2)  # (items, heads, tokens, size)

        query = split(attention.query(hidden_states[:, :1]))
        key, value = split(attention.key(hidden_states)), split(attention.value(hidden_states))
        mask = None if attention_mask is None else attention_mask[:, :, :1]
        read = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return read.transpose(1, 2).flatten(2), None

    def first(_module: torch.nn.Module, inputs: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        return inputs[0], inputs[1][:, :1]  # what is added to the attention's output

    hook = layer.attention.output.register_forward_pre_hook(first)
    attention.forward = attend

    def undo() -> None:
        hook.remove()
        del attention.forward

    return undo


def _trial(model: torch.nn.Module) -> torch.Tensor:
    """Scores of a few rows of any tokens, the last of them padded."""
    import torch

    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(0, model.config.vocab_size, (3, 9), generator=generator)
    ids[ids == model.config.pad_token_id] += 1 if model.config.pad_token_id == 0 else -1
    mask = torch.ones_like(ids)
    mask[-1, 6:] = 0
    device = next(model.parameters()).device
    with torch.inference_mode():
        logits: torch.Tensor = model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits.float()
        return logits
