"""A reranker to analyse: the unchanged Hugging Face model in memory, and where its sites are."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.families import FamilyPooling, ModelFamily
from constraintsuite.mechanism.sites import EMBEDDINGS, OF_A_HEAD, Site, SiteKind
from constraintsuite.models.base import Pair
from constraintsuite.models.tokenization import TokenBatch
from constraintsuite.models.torch.classifier import Classifier

if TYPE_CHECKING:
    import torch

_FUSED = ("query", "key", "value")


@dataclass(frozen=True)
class HookPoint:
    """The input or output of a module, as equal parts side by side, and the number of the part that is the site."""

    module: torch.nn.Module
    side: Literal["input", "output"]
    parts: int = 1
    number: int = 0
    weights: bool = False
    """Whether the tensor is attention weights: (rows, heads, queries, keys). All others are (rows, positions, width)."""
    within: torch.nn.Module | None = None
    """If set, only the first use of the module in each pass of this one counts."""

    def split_parts(self, tensor: torch.Tensor) -> torch.Tensor:
        """A view of a tensor by parts: (rows, parts, positions, width of a part)."""
        return tensor if self.weights else tensor.unflatten(-1, (self.parts, -1)).transpose(1, 2)

    @property
    def part(self) -> slice:
        """Which inputs or outputs of the module are the site's: columns or rows of its weights."""
        if self.parts == 1:
            return slice(None)
        width = (self.module.in_features if self.side == "input" else self.module.out_features) // self.parts
        return slice(self.number * width, (self.number + 1) * width)


@dataclass(frozen=True, slots=True)
class InvariantResult:
    """An invariant that was checked on a model."""

    number: int
    name: str
    status: Literal["passed", "not applicable"]
    difference: float | None
    """The largest one found, as a share of the score where that is above 1."""
    detail: str
    """The limit, or why the invariant does not apply."""


Tensors = dict[str, "torch.Tensor"]
"""`input_ids`, `attention_mask`, and `token_type_ids` where the model takes them."""


@dataclass(frozen=True)
class LoadedModel:
    """A classifier of which one label is the score, and the family that says where its sites are."""

    name: str
    classifier: Classifier
    label: int
    family: ModelFamily
    fingerprint: str
    bare_blocks: bool = True
    """Whether a block returns a tensor; in some families it returns a tuple that begins with it."""
    invariants: tuple[InvariantResult, ...] = ()
    """The results of the checks when it was loaded."""

    @property
    def module(self) -> torch.nn.Module:
        """The model as an object of its own class, in fp32, ready to score."""
        return self.classifier.model

    @property
    def device(self) -> torch.device:
        """The device that the model computes on."""
        return self.module.device

    @cached_property
    def blocks(self) -> Sequence[torch.nn.Module]:
        """The layers, first to last."""
        return list(self.module.get_submodule(self.family.blocks))

    @property
    def layers(self) -> int:
        """The number of layers."""
        return len(self.blocks)

    @property
    def heads(self) -> int:
        """The number of attention heads of each layer."""
        return int(self.module.config.num_attention_heads)

    @cached_property
    def pooling(self) -> FamilyPooling:
        """Which token the score is read from."""
        chosen = getattr(self.module.config, self.family.pooling_field, "") if self.family.pooling_field else ""
        by_name: dict[str, FamilyPooling] = {"cls": "first", "mean": "mean"}
        return by_name.get(chosen, self.family.pooling)

    @cached_property
    def gates(self) -> Sequence[torch.nn.Module]:
        """One module per layer that attention weights pass inside `exposed_weights`; they change nothing."""
        import torch

        return [torch.nn.Identity() for _ in self.blocks]

    def sites(self, kinds: Collection[SiteKind]) -> list[Site]:
        """All sites of some kinds, from the lowest layer upwards."""
        found = [EMBEDDINGS] if "embeddings" in kinds else []
        for layer in range(self.layers):
            for kind in sorted(kinds):
                if kind in OF_A_HEAD:
                    found += [Site(layer, kind, head) for head in range(self._count(kind))]
                elif kind != "embeddings":
                    found.append(Site(layer, kind))
        return found

    def hook_point(self, site: Site) -> HookPoint:
        """Where a site is read and replaced; a `pattern` passes there only inside `exposed_weights`."""
        family = self.family
        if site.kind == "embeddings":
            return HookPoint(self._embeddings, "output")
        if not 0 <= site.layer < self.layers:
            raise UserError(f"{site}: {self.name} has {self.layers} layers.")
        block = self.blocks[site.layer]
        if site.kind == "residual":
            return HookPoint(block, "output")
        if site.kind not in OF_A_HEAD:
            return HookPoint(block.get_submodule(getattr(family, site.kind)), "output")
        count = self._count(site.kind)
        if not (0 <= site.head < count or (site.head == -1 and site.kind != "pattern")):
            raise UserError(f"{site}: {self.name} has {count} heads of that kind per layer.")
        if site.kind == "pattern":
            gate = self.gates[site.layer]
            module = gate if family.pattern == "interface" else block.get_submodule(family.pattern_module)
            return HookPoint(module, "output", count, site.head, weights=True)
        if site.kind == "head":  # what a head reads is the input of the output projection
            parts = (1, 0) if site.head == -1 else (count, site.head)
            return HookPoint(block.get_submodule(family.attention), "input", *parts)
        again = family.shared and site.kind in ("query", "key")
        module = block.get_submodule(getattr(family, site.kind))
        return HookPoint(module, "output", *_head_part(family, site, count), within=block if again else None)

    def inputs(self, pairs: Sequence[Pair]) -> Tensors:
        """Pairs as the model takes them, padded to the longest, on its device."""
        return self.tensors(self.classifier.tokenization.batch(pairs))

    def tensors(self, batch: TokenBatch) -> Tensors:
        """Tokens as the model takes them, on its device."""
        import torch

        arrays = {"input_ids": batch.input_ids, "attention_mask": batch.attention_mask}
        if self.classifier.takes_types:
            arrays["token_type_ids"] = batch.token_type_ids
        return {name: torch.from_numpy(array).to(self.device) for name, array in arrays.items()}

    def scores(self, inputs: Tensors) -> torch.Tensor:
        """The raw logit of each row; hooks and gradients apply."""
        return self.module(**inputs).logits[:, self.label].float()

    @cached_property
    def _embeddings(self) -> torch.nn.Module:
        projected = dict(self.module.named_modules()).get(self.family.projected) if self.family.projected else None
        return self.module.get_submodule(self.family.embeddings) if projected is None else projected

    def _count(self, kind: SiteKind) -> int:
        if kind == "pattern" and self.family.pattern == "none":
            raise UserError(f"{self.name}: attention weights cannot be reached in models of this family.")
        field = self.family.key_heads if kind in ("key", "value") else "num_attention_heads"
        return int(getattr(self.module.config, field))


def _head_part(family: ModelFamily, site: Site, heads: int) -> tuple[int, int]:
    """The number of equal parts of a query, key or value module, and the one of the site; head -1 means all heads."""
    if family.fused == "no":
        return (1, 0) if site.head == -1 else (heads, site.head)
    which = _FUSED.index(site.kind)
    if site.head != -1:
        return 3 * heads, which * heads + site.head if family.fused == "thirds" else 3 * site.head + which
    if family.fused == "by head":
        raise UserError(
            f"{site.kind}: this model stores query, key and value per head, so they cannot be selected for all heads at "
            "once. Name one head."
        )
    return 3, which


_NAME = "constraintsuite"
_GATE = "constraintsuite_gate"


@contextmanager
def exposed_weights(model: LoadedModel) -> Iterator[None]:
    """Inside the block, attention is computed step by step and its weights pass `model.gates`; scores agree to rounding."""
    own = model.module.config._attn_implementation
    if model.family.pattern != "interface" or own == _NAME:
        yield
        return
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(_NAME, _attend)
    AttentionMaskInterface.register(_NAME, eager_mask)
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


def _attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float,
    **_: object,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention as transformers calls it: all are (rows, heads, positions, size), and several heads may share a key."""
    sharing = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(sharing, dim=1), value.repeat_interleave(sharing, dim=1)
    logits = query @ key.transpose(2, 3) * scaling
    if attention_mask is not None:
        logits = logits + attention_mask
    weights = getattr(module, _GATE)(logits.softmax(dim=-1))
    return (weights @ value).transpose(1, 2).contiguous(), weights
