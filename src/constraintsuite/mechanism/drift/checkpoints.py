"""Checkpoints of one model by the names of their folders, in the order of training, and whether they can be compared at all."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance, Reporter
from constraintsuite.mechanism import FAMILIES
from constraintsuite.models.backends import CrossSettings
from constraintsuite.models.model_names import parse_model
from constraintsuite.models.torch.folder import ModelFolder, need_torch
from constraintsuite.models.torch.loader import loading
from constraintsuite.models.weights import find_weights


@dataclass(frozen=True)
class LabelledReporter:
    """A reporter whose steps begin with a label."""

    label: str
    reporter: Reporter

    def note(self, text: str) -> None:
        """Print one line that begins with the label."""
        self.reporter.note(f"{self.label}: {text}")

    def track(self, title: str, total: int | None) -> AbstractContextManager[Advance]:
        """Count items of a step until the block ends."""
        return self.reporter.track(f"{self.label}: {title}", total)


_FAMILY = "cross"
_SEED = re.compile(r"seed\d+-")  # how `csuite tune` begins the names of checkpoints


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint: its model string, and the label under which tables show it."""

    label: str
    """Its folder's name, with as much of the path before it as tells it apart."""
    model: str
    """The model string."""


def name_checkpoints(given: Sequence[str], options: str = "") -> list[Checkpoint]:
    """Folders or strings such as `cross:FOLDER`; `options` are added to each, as in `cross:FOLDER,device=cuda`."""
    names = [parse_model(one if one.startswith(f"{_FAMILY}:") else f"{_FAMILY}:{one}") for one in given]
    if len(names) < 2:
        raise UserError("Drift is between checkpoints: name two or more, in the order of training.")
    folders = [find_weights(name.argument).resolve() for name in names]
    bare = next((folder for folder in folders if not (folder / "config.json").is_file()), None)
    if bare is not None:
        raise UserError(f"{bare}: no config.json, so this is no model folder. Give folders of checkpoints.")
    twice = next((folder for folder, count in Counter(folders).items() if count > 1), None)
    if twice is not None:
        raise UserError(f"{twice}: this checkpoint is named twice. Give each once.")
    _refuse_mixed(folders)
    added = f",{options}" if options else ""
    return [
        Checkpoint(_label(folder, folders), str(parse_model(f"{name}{added}")))
        for name, folder in zip(names, folders, strict=True)
    ]


def fingerprint(checkpoint: Checkpoint) -> str:
    """Of its files and options, without loading it."""
    from constraintsuite.models.backends import CrossSettings
    from constraintsuite.models.torch.folder import ModelFolder, need_torch
    from constraintsuite.models.torch.settings import fingerprint_of

    need_torch("Drift between checkpoints")
    name = parse_model(checkpoint.model)
    settings = name.settings(CrossSettings)
    return fingerprint_of("subject", ModelFolder(find_weights(name.argument)), settings)


@contextmanager
def about(label: str) -> Iterator[None]:
    """A UserError inside the block is raised with the label of its checkpoint."""
    try:
        yield
    except UserError as error:
        raise UserError(f"Checkpoint {label}: {error}") from None


def _refuse_mixed(folders: Sequence[Path]) -> None:
    """Checkpoints of several seeds are no one order: what stands before one is then the end of another training."""
    seeds = Counter(found[0] for folder in folders if (found := _SEED.match(folder.name)))
    if len(seeds) < 2 or max(seeds.values()) < 2:
        return
    first = next(folder for folder in folders if _SEED.match(folder.name))
    raise UserError(
        f"These are checkpoints of several trainings ({', '.join(seed.rstrip('-') for seed in seeds)}), which are no one order. "
        f"Give those of one at a time, such as {first.parent / next(iter(seeds))}*, or one of each training alone."
    )


def _label(folder: Path, among: Sequence[Path]) -> str:
    for length in range(1, len(folder.parts)):
        if [other.parts[-length:] for other in among].count(folder.parts[-length:]) == 1:
            return "/".join(folder.parts[-length:])
    return str(folder)


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
        """How many heads and MLPs the model has."""
        return self.layers * (self.heads + 1)


def shared_shape(checkpoints: Sequence[Checkpoint]) -> Shape:
    """The shape of all of them; one that cannot be read, or has another, is a UserError."""
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
