"""The weights of attention, made to pass a module of ours: through the library's own interface for attention."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from constraintsuite.mechanism.subject import Subject

_NAME = "constraintsuite"
_GATE = "constraintsuite_gate"


@contextmanager
def weights_in_sight(subject: Subject) -> Iterator[None]:
    """Inside, attention is computed step by step and its weights pass `subject.gates`; scores agree to rounding."""
    model = subject.model
    own = model.config._attn_implementation
    if subject.family.pattern != "interface" or own == _NAME:
        yield
        return
    _register()
    modules = [block.get_submodule(subject.family.attending) for block in subject.blocks]
    for module, gate in zip(modules, subject.gates, strict=True):
        setattr(module, _GATE, gate)
    model.set_attn_implementation(_NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(own)
        for module in modules:
            delattr(module, _GATE)


def _register() -> None:
    """Tell the library of it; masks are those of its own step-by-step attention."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(_NAME, _attend)
    AttentionMaskInterface.register(_NAME, eager_mask)


def _attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float,
    **_: object,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention as the library calls it: all are (rows, heads, positions, size), and several heads may share a key."""
    sharing = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(sharing, dim=1), value.repeat_interleave(sharing, dim=1)
    logits = query @ key.transpose(2, 3) * scaling
    if attention_mask is not None:
        logits = logits + attention_mask
    weights = getattr(module, _GATE)(logits.softmax(dim=-1))
    return (weights @ value).transpose(1, 2).contiguous(), weights
