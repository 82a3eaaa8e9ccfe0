"""Low-rank additions to linear layers (Hu et al. 2021), through peft; a checkpoint has them added in."""

# ruff: noqa: PLC0415 - an extra, and slow to load

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from constraintsuite.errors import UserError
from constraintsuite.tuning.models import LibraryModel
from constraintsuite.tuning.recipe import LoraSettings

if TYPE_CHECKING:
    import torch

_HEADS = ("classifier", "score")
_ADAPTER = "default"
_INJECTED = re.compile(rf"\.base_layer|\.lora_[AB]\.{_ADAPTER}")


def inject(model: LibraryModel, settings: LoraSettings) -> None:
    """Put the additions into the model; they and a classifier's head move, nothing else does."""
    from peft import LoraConfig, inject_adapter_in_model

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=list(settings.targets),
        exclude_modules=list(_HEADS),
    )
    try:
        inject_adapter_in_model(config, model)
    except ValueError as error:
        raise UserError(
            f"lora: {str(error).partition('.')[0]}. Are `targets` names of the model's linear layers?"
        ) from None
    for name, weight in model.named_parameters():
        weight.requires_grad_("lora_" in name or any(f".{head}." in name for head in _HEADS))


def plain_name(name: str) -> str:
    """What a weight, or the one that an addition is for, is called without additions."""
    return _INJECTED.sub("", name)


def merged_weights(model: LibraryModel) -> dict[str, torch.Tensor]:
    """All weights under the names they have without additions, with the additions added in; on the processor."""
    weights = {
        plain_name(name): tensor.detach().cpu() for name, tensor in model.state_dict().items() if ".lora_" not in name
    }
    for name, module in model.named_modules():
        if hasattr(module, "get_delta_weight") and hasattr(module, "base_layer"):
            addition = module.get_delta_weight(_ADAPTER).detach().cpu()
            weights[f"{name}.weight"] = weights[f"{name}.weight"] + addition
    return weights
