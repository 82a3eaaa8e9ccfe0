"""Checkpoints by the names of their folders, in the order given: that is the order of training."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.mechanism.subject import Subject
from constraintsuite.models.naming import parse_model

_FAMILY = "cross"


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
    for name in names:
        if not (Path(name.argument).expanduser() / "config.json").is_file():
            raise UserError(
                f"{name.argument}: no config.json, so this is no model folder. Give folders of checkpoints."
            )
    folders = [Path(name.argument).expanduser().resolve() for name in names]
    twice = next((folder for folder, count in Counter(folders).items() if count > 1), None)
    if twice is not None:
        raise UserError(f"{twice}: this checkpoint is named twice. Give each once.")
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
    from constraintsuite.models.weights import find_weights

    need_torch("Drift between checkpoints")
    name = parse_model(checkpoint.model)
    settings = name.settings(CrossSettings)
    return fingerprint_of("subject", ModelFolder(find_weights(name.argument)), settings)


def count_layers(checkpoint: Checkpoint) -> int:
    """As its configuration says it."""
    from transformers import AutoConfig

    folder = Path(parse_model(checkpoint.model).argument).expanduser()
    count: int = AutoConfig.from_pretrained(folder, local_files_only=True).num_hidden_layers
    return count


def refuse_unlike(first: Subject, second: Subject) -> None:
    """Sites, tokens and weights are compared one by one, so that both must have the same."""
    for what, one, other in (
        ("layers", first.layers, second.layers),
        ("heads", first.heads, second.heads),
        ("family", first.family, second.family),
        ("width", first.model.config.hidden_size, second.model.config.hidden_size),
        ("tokenizer", _tokens(first), _tokens(second)),
    ):
        if one != other:
            shown = "" if what in ("family", "tokenizer") else f" ({one} and {other})"
            raise UserError(
                f"{second.name}: it differs from {first.name} in its {what}{shown}. Drift is between checkpoints of one model."
            )


def _label(folder: Path, among: Sequence[Path]) -> str:
    for length in range(1, len(folder.parts)):
        if [other.parts[-length:] for other in among].count(folder.parts[-length:]) == 1:
            return "/".join(folder.parts[-length:])
    return str(folder)


_SAMPLE = "Soup, 12 leeks; not a single one Unaffordable naïve 東京"


def _tokens(subject: Subject) -> tuple[int, list[int]]:
    """What a tokenizer makes of a sample, and how many tokens it knows."""
    ids: list[int] = subject.inputs([(_SAMPLE, _SAMPLE)])["input_ids"][0].tolist()
    return int(subject.model.config.vocab_size), ids
