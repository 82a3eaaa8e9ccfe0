"""Trim the last layer of classifiers that use only its first token.

The last layer then computes keys and values for all tokens, and the rest for the first one. With 6 layers this saves a seventh of
all arithmetic. The scores differ only by the order of sums.
"""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

ARCHITECTURES = frozenset({"bert", "camembert", "electra", "roberta", "xlm-roberta"})
"""Architectures with these layers, whose classifier uses the first token."""
_AGREEMENT = {4: 1e-4, 2: 5e-2}  # by bytes per number: the largest difference, as a share of the largest score


def read_first_token_only(model: torch.nn.Module) -> bool:
    """Trim the last layer if trial scores stay the same; returns whether it was trimmed."""
    if model.config.model_type not in ARCHITECTURES or model.config.is_decoder:
        return False
    last = model.base_model.encoder.layer[-1]
    full = _trial(model)
    undo = _trim(last)
    difference = (_trial(model) - full).abs().max()
    if bool(difference <= _AGREEMENT[model.dtype.itemsize] * full.abs().max()):
        return True
    undo()
    return False


@contextmanager
def first_token_only(model: torch.nn.Module) -> Iterator[None]:
    """While the block runs, the last layer of a model of `ARCHITECTURES` computes only the first token."""
    undo = _trim(model.base_model.encoder.layer[-1])
    try:
        yield
    finally:
        undo()


def _trim(layer: torch.nn.Module) -> Callable[[], None]:
    """Make a layer compute only the first token; the returned function undoes it."""
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
        return inputs[0], inputs[1][:, :1]  # the residual connection

    hook = layer.attention.output.register_forward_pre_hook(first)
    attention.forward = attend

    def undo() -> None:
        hook.remove()
        del attention.forward

    return undo


def _trial(model: torch.nn.Module) -> torch.Tensor:
    """Scores of three rows of random tokens; the last row is padded."""
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
