"""A reranker under study: the untouched Hugging Face model in memory, and where its sites are."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.families.base import FamilyPooling, ModelFamily
from constraintsuite.mechanism.hook_points import HookPoint, head_part
from constraintsuite.mechanism.sites import EMBEDDINGS, OF_A_HEAD, Site, SiteKind
from constraintsuite.models.base import Pair
from constraintsuite.models.tokenization import TokenBatch
from constraintsuite.models.torch.classifier import Classifier

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class InvariantResult:
    """An invariant that holds of a model, or does not apply to it."""

    number: int
    """As in the specification."""
    name: str
    status: Literal["passed", "not applicable"]
    difference: float | None
    """The largest that was seen, as a share of the score where that is above 1."""
    detail: str
    """What was allowed, or why it does not apply."""


Tensors = dict[str, "torch.Tensor"]
"""`input_ids`, `attention_mask`, and `token_type_ids` where the model takes them."""


@dataclass(frozen=True)
class LoadedModel:
    """A classifier with one score, and the family that says where its sites are."""

    name: str
    classifier: Classifier
    label: int
    family: ModelFamily
    fingerprint: str
    bare_blocks: bool = True
    """Whether a block gives a tensor; some families give several things, of which it is the first."""
    invariants: tuple[InvariantResult, ...] = ()
    """What was checked when it was loaded."""

    @property
    def model(self) -> torch.nn.Module:
        """The library's own class, in fp32, ready to score."""
        return self.classifier.model

    @property
    def device(self) -> torch.device:
        """The device that the model computes on."""
        device: torch.device = self.model.device
        return device

    @cached_property
    def blocks(self) -> Sequence[torch.nn.Module]:
        """The layers, first to last."""
        return list(self.model.get_submodule(self.family.blocks))

    @property
    def layers(self) -> int:
        """The number of layers."""
        return len(self.blocks)

    @property
    def heads(self) -> int:
        """The number of attention heads of each layer."""
        count: int = self.model.config.num_attention_heads
        return count

    @cached_property
    def pooling(self) -> FamilyPooling:
        """Which token the score is read from."""
        chosen = getattr(self.model.config, self.family.pooling_field, "") if self.family.pooling_field else ""
        by_name: dict[str, FamilyPooling] = {"cls": "first", "mean": "mean"}
        return by_name.get(chosen, self.family.pooling)

    @cached_property
    def gates(self) -> Sequence[torch.nn.Module]:
        """One a layer, which weights of attention pass while `pattern.weights_in_sight` lasts; they change nothing."""
        import torch

        return [torch.nn.Identity() for _ in self.blocks]

    def sites(self, kinds: Collection[SiteKind]) -> list[Site]:
        """All sites of some kinds, from below upwards."""
        found = [EMBEDDINGS] if "embeddings" in kinds else []
        for layer in range(self.layers):
            for kind in sorted(kinds):
                if kind in OF_A_HEAD:
                    found += [Site(layer, kind, head) for head in range(self._count(kind))]
                elif kind != "embeddings":
                    found.append(Site(layer, kind))
        return found

    def hook_point(self, site: Site) -> HookPoint:
        """Where a site is reached; a `pattern` passes there only within `pattern.weights_in_sight`."""
        family = self.family
        if site.kind == "embeddings":
            return HookPoint(self._embeddings, "output")
        if not 0 <= site.layer < self.layers:
            raise UserError(f"{site}: {self.name} has {self.layers} layers.")
        block = self.blocks[site.layer]
        if site.kind == "residual":
            return HookPoint(block, "output")
        if site.kind == "pattern" and family.pattern == "interface":
            return HookPoint(self.gates[site.layer], "output", self.heads, self._checked(site), weights=True)
        names = {"head": "attention", "pattern": "pattern_module"}  # the others are called as their kind
        module = block.get_submodule(getattr(family, names.get(site.kind, site.kind)))
        if site.kind not in OF_A_HEAD:
            return HookPoint(module, "output")
        self._checked(site)
        place = head_part(family, site, self._count(site.kind))
        again = family.shared and site.kind in ("query", "key")
        weights = site.kind == "pattern"
        # Heads are what enters the projection behind them; all else is what a module gives.
        return HookPoint(
            module,
            "input" if site.kind == "head" else "output",
            *place,
            weights=weights,
            within=block if again else None,
        )

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
        scores: torch.Tensor = self.model(**inputs).logits[:, self.label].float()
        return scores

    @cached_property
    def _embeddings(self) -> torch.nn.Module:
        names = dict(self.model.named_modules())
        behind = names.get(self.family.projected) if self.family.projected else None
        return self.model.get_submodule(self.family.embeddings) if behind is None else behind

    def _count(self, kind: SiteKind) -> int:
        if kind == "pattern" and self.family.pattern == "none":
            raise UserError(f"{self.name}: the weights of attention are out of reach in models of this family.")
        if kind in ("key", "value"):
            count: int = getattr(self.model.config, self.family.key_heads)
            return count
        return self.heads

    def _checked(self, site: Site) -> int:
        """The number of a site's head, which is there."""
        count = self._count(site.kind)
        if not (0 <= site.head < count or (site.head == -1 and site.kind != "pattern")):
            raise UserError(f"{site}: {self.name} has {count} heads of that kind a layer.")
        return site.head
