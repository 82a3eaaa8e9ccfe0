"""Whether checkpoints can be held against each other, from their files alone: no model is loaded for it."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.mechanism import FAMILIES
from constraintsuite.mechanism.drift.checkpoints import Checkpoint, about
from constraintsuite.models.cross import CrossSettings
from constraintsuite.models.naming import parse_model
from constraintsuite.models.torch.folder import ModelFolder, need_torch
from constraintsuite.models.torch.loading import loading
from constraintsuite.models.weights import find_weights

_SAMPLE = "Soup, 12 leeks; not a single one Unaffordable naïve 東京"


@dataclass(frozen=True, slots=True)
class Shape:
    """Sites, tokens and weights are compared one by one, so that all checkpoints must have the same."""

    kind: str
    layers: int
    heads: int
    width: int
    tokenizer: tuple[int, ...]
    """How many tokens the model knows, and what its tokenizer makes of a sample."""

    @property
    def sites(self) -> int:
        """Heads and MLPs."""
        return self.layers * (self.heads + 1)


def shared_shape(checkpoints: Sequence[Checkpoint]) -> Shape:
    """The shape of all of them; one that cannot be read, or has another, is a UserError."""
    need_torch("Drift between checkpoints")
    first, *others = [_shape(one) for one in checkpoints]
    for checkpoint, other in zip(checkpoints[1:], others, strict=True):
        what = next((field.name for field in fields(Shape) if _differ(field.name, first, other)), None)
        if what is not None:
            shown = "" if what == "tokenizer" else f" ({getattr(first, what)} and {getattr(other, what)})"
            raise UserError(
                f"Checkpoint {checkpoint.label}: it differs from {checkpoints[0].label} in its {what}{shown}. "
                "Drift is between checkpoints of one model."
            )
    return first


def _differ(name: str, one: Shape, other: Shape) -> bool:
    return bool(getattr(one, name) != getattr(other, name))


def _shape(checkpoint: Checkpoint) -> Shape:
    from transformers import AutoConfig, AutoTokenizer

    name = parse_model(checkpoint.model)
    settings = name.settings(CrossSettings)
    folder = find_weights(name.argument, settings.precision, settings.revision)
    places = {"local_files_only": True, "trust_remote_code": settings.trust}
    with about(checkpoint.label):
        with loading(folder):
            config = AutoConfig.from_pretrained(folder, **places)
            tokens = AutoTokenizer.from_pretrained(folder, **places)(_SAMPLE, _SAMPLE)["input_ids"]
        if config.model_type not in FAMILIES.names():
            raise UserError(
                f"where models of type {config.model_type!r} keep their heads is not known here. "
                f"Known: {', '.join(FAMILIES.names())}."
            )
        ModelFolder(folder).refuse_pickle()
        for file in sorted(folder.glob("*.safetensors")):
            _refuse_broken(file)
    heads, width = config.num_attention_heads, config.hidden_size
    return Shape(config.model_type, config.num_hidden_layers, heads, width, (config.vocab_size, *tokens))


def _refuse_broken(file: Path) -> None:
    """A file that is cut off, or weights that are no numbers: every score and figure would be none either."""
    import torch
    from safetensors import safe_open

    with loading(file), safe_open(file, framework="pt") as weights:
        for name in weights.keys():  # noqa: SIM118 - a file of weights is no mapping
            weight = weights.get_tensor(name)
            if weight.is_floating_point() and not bool(torch.isfinite(weight).all()):
                raise UserError(f"{file}: {name} holds NaN or infinite numbers. Did the training diverge?")
