"""Checkpoints by the names of their folders, in the order given: that is the order of training."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.models.naming import parse_model
from constraintsuite.models.weights import find_weights

_FAMILY = "cross"
_SEED = re.compile(r"seed\d+-")  # how `csuite tune` begins the names of checkpoints


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model folder under study."""

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
    from constraintsuite.models.cross import CrossSettings
    from constraintsuite.models.torch.folder import ModelFolder, need_torch
    from constraintsuite.models.torch.settings import fingerprint_of

    need_torch("Drift between checkpoints")
    name = parse_model(checkpoint.model)
    settings = name.settings(CrossSettings)
    return fingerprint_of("subject", ModelFolder(find_weights(name.argument)), settings)


@contextmanager
def about(label: str) -> Iterator[None]:
    """What is refused inside is told with the checkpoint that it is about."""
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
