"""Where a site is reached in a model's modules, and how attention weights are made to pass a module of ours."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.families.base import ModelFamily
from constraintsuite.mechanism.sites import Site

if TYPE_CHECKING:
    import torch

    from constraintsuite.mechanism.loaded_model import LoadedModel

_THREE = ("query", "key", "value")


@dataclass(frozen=True)
class HookPoint:
    """What enters a module or what it gives, seen as equal parts side by side, and which of them is the site."""

    module: torch.nn.Module
    side: Literal["input", "output"]
    parts: int = 1
    number: int = 0
    weights: bool = False
    """Whether weights of attention pass: (rows, heads, queries, keys). All else is (rows, positions, width)."""
    within: torch.nn.Module | None = None
    """If set, only the first use of the module in each pass of this one counts."""

    def open(self, passing: torch.Tensor) -> torch.Tensor:
        """A view of what passes by parts: (rows, parts, positions, width of a part)."""
        return passing if self.weights else passing.unflatten(-1, (self.parts, -1)).transpose(1, 2)

    @property
    def part(self) -> slice:
        """Which of the module's inputs or outputs are the site's: columns or rows of its weights."""
        if self.parts == 1:
            return slice(None)
        width = (self.module.in_features if self.side == "input" else self.module.out_features) // self.parts
        return slice(self.number * width, (self.number + 1) * width)


def head_part(family: ModelFamily, site: Site, heads: int) -> tuple[int, int]:
    """How many equal parts the width of a head's module has, and which of them is the site; head -1 means all of them."""
    fused = site.kind in _THREE and family.fused != "no"
    which = _THREE.index(site.kind) if fused else 0
    if site.head == -1:
        if fused and family.fused == "by head":
            raise UserError(f"{site.kind}: this family keeps those of a head together; name one head at a time.")
        return (3, which) if fused else (1, 0)
    if not fused:
        return heads, site.head
    return 3 * heads, which * heads + site.head if family.fused == "thirds" else 3 * site.head + which


_NAME = "constraintsuite"
_GATE = "constraintsuite_gate"


@contextmanager
def weights_in_sight(model: LoadedModel) -> Iterator[None]:
    """Inside, attention is computed step by step and its weights pass `subject.gates`; scores agree to rounding."""
    own = model.module.config._attn_implementation
    if model.family.pattern != "interface" or own == _NAME:
        yield
        return
    _register()
    modules = [block.get_submodule(model.family.attending) for block in model.blocks]
    for module, gate in zip(modules, model.gates, strict=True):
        setattr(module, _GATE, gate)
    model.module.set_attn_implementation(_NAME)
    try:
        yield
    finally:
        model.module.set_attn_implementation(own)
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
