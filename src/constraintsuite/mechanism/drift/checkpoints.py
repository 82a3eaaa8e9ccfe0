"""Checkpoints of one model in the order of training, with labels, and whether they can be compared."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path

from constraintsuite.core.errors import UserError, prefixed_errors
from constraintsuite.core.execution.progress import Advance, Reporter
from constraintsuite.experiments.load import short_paths
from constraintsuite.mechanism.families import find_family
from constraintsuite.models.backends import CrossSettings
from constraintsuite.models.model_names import parse_model
from constraintsuite.models.torch.folder import ModelFolder, need_torch
from constraintsuite.models.torch.loader import loading
from constraintsuite.models.torch.settings import fingerprint_of
from constraintsuite.models.weights import find_weights


@dataclass(frozen=True)
class LabelledReporter:
    """A reporter whose lines begin with a label."""

    label: str
    reporter: Reporter

    def note(self, text: str) -> None:
        """Print one line that begins with the label."""
        self.reporter.note(f"{self.label}: {text}")

    def track(self, title: str, total: int | None) -> AbstractContextManager[Advance]:
        """Count the items of a step until the block ends."""
        return self.reporter.track(f"{self.label}: {title}", total)


_FAMILY = "cross"
_SEED = re.compile(r"seed\d+-")  # how `csuite tune` begins the names of checkpoints


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint: its model string, and its label in tables."""

    label: str
    """The name of its folder, with as much of the path as makes it unique."""
    model: str
    """The model string."""


def name_checkpoints(given: Sequence[str], options: str = "") -> list[Checkpoint]:
    """Label checkpoints, given as folders or as `cross:FOLDER`; `options` such as `device=cuda` are added to each."""
    names = [parse_model(one if one.startswith(f"{_FAMILY}:") else f"{_FAMILY}:{one}") for one in given]
    if len(names) < 2:
        raise UserError("Drift is between checkpoints: name two or more, in the order of training.")
    folders = [find_weights(name.argument).resolve() for name in names]
    bare = next((folder for folder in folders if not (folder / "config.json").is_file()), None)
    if bare is not None:
        raise UserError(f"{bare}: there is no config.json, so this is not a model folder. Give folders of checkpoints.")
    twice = next((folder for folder, count in Counter(folders).items() if count > 1), None)
    if twice is not None:
        raise UserError(f"{twice}: this checkpoint is named twice. Give each once.")
    _refuse_mixed(folders)
    added = f",{options}" if options else ""
    return [
        Checkpoint(label, str(parse_model(f"{name}{added}")))
        for label, name in zip(short_paths(folders), names, strict=True)
    ]


def fingerprint(checkpoint: Checkpoint) -> str:
    """The fingerprint of its files and options, without loading it."""
    need_torch("Drift between checkpoints")
    name = parse_model(checkpoint.model)
    return fingerprint_of("subject", ModelFolder(find_weights(name.argument)), name.settings(CrossSettings))


def _refuse_mixed(folders: Sequence[Path]) -> None:
    """Raise a UserError for checkpoints of several seeds: they have no single order."""
    seeds = Counter(found[0] for folder in folders if (found := _SEED.match(folder.name)))
    if len(seeds) < 2 or max(seeds.values()) < 2:
        return
    first = next(folder for folder in folders if _SEED.match(folder.name))
    raise UserError(
        f"These are checkpoints of several trainings ({', '.join(seed.rstrip('-') for seed in seeds)}), which have no single order. "
        f"Give the checkpoints of one seed at a time, such as {first.parent / next(iter(seeds))}*, or one of each training alone."
    )


_SAMPLE = "Soup, 12 leeks; not a single one Unaffordable naïve 東京"


@dataclass(frozen=True, slots=True)
class Shape:
    """What all checkpoints must have in common, since sites, tokens and weights are compared one by one."""

    kind: str
    layers: int
    heads: int
    width: int
    tokenizer: tuple[int, ...]
    """The size of the vocabulary, and the tokens of a sample."""

    @property
    def sites(self) -> int:
        """The number of heads and MLPs."""
        return self.layers * (self.heads + 1)


def shared_shape(checkpoints: Sequence[Checkpoint]) -> Shape:
    """The shape of all checkpoints. Raises UserError if one cannot be read or has another shape."""
    need_torch("Drift between checkpoints")
    first, *others = [_shape(one) for one in checkpoints]
    for checkpoint, other in zip(checkpoints[1:], others, strict=True):
        names = [field.name for field in fields(Shape)]
        what = next((name for name in names if getattr(first, name) != getattr(other, name)), None)
        if what is not None:
            shown = "" if what == "tokenizer" else f" ({getattr(first, what)} and {getattr(other, what)})"
            raise UserError(
                f"Checkpoint {checkpoint.label}: it differs from {checkpoints[0].label} in its {what}{shown}. "
                "Drift is between checkpoints of one model."
            )
    return first


def _shape(checkpoint: Checkpoint) -> Shape:
    from transformers import AutoConfig, AutoTokenizer

    name = parse_model(checkpoint.model)
    settings = name.settings(CrossSettings)
    folder = find_weights(name.argument, settings.precision, settings.revision)
    places = {"local_files_only": True, "trust_remote_code": settings.trust}
    with prefixed_errors(f"Checkpoint {checkpoint.label}"):
        with loading(folder):
            config = AutoConfig.from_pretrained(folder, **places)
            tokens = AutoTokenizer.from_pretrained(folder, **places)(_SAMPLE, _SAMPLE)["input_ids"]
        find_family(config.model_type)
        ModelFolder(folder).refuse_pickle()
        for file in sorted(folder.glob("*.safetensors")):
            _refuse_broken(file)
    heads, width = config.num_attention_heads, config.hidden_size
    return Shape(config.model_type, config.num_hidden_layers, heads, width, (config.vocab_size, *tokens))


def _refuse_broken(file: Path) -> None:
    """Raise a UserError for a truncated file, or for weights that are not finite."""
    import torch
    from safetensors import safe_open

    with loading(file), safe_open(file, framework="pt") as weights:
        for name in weights.keys():  # noqa: SIM118 - a file of weights is not a mapping
            weight = weights.get_tensor(name)
            if weight.is_floating_point() and not bool(torch.isfinite(weight).all()):
                raise UserError(f"{file}: {name} holds NaN or infinite numbers. Did the training diverge?")
