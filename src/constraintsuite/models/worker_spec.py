"""A model as it goes to the workers of a cluster: folders that they find, and the fingerprint that it has there.

The kind of device is part of a fingerprint. The machine that plans the work often has no graphics card, and those that do it
have one; so one of them is asked. Workers that have another kind refuse the work, see `cached_model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.execution.engine import Engine, LocalEngine, require_results
from constraintsuite.models.base import Scorer, Spreadable, Workbench
from constraintsuite.models.model_names import load_scorer, parse_model
from constraintsuite.models.process_cache import name_machine_in_errors

_FOLDER_OPTIONS = ("query", "document")  # of `dpr`
_BETWEEN = "|"  # two folders of `dpr`


@dataclass(frozen=True)
class WorkerSpec:
    """What a worker needs to load a model: its string, and the fingerprint to compare with."""

    name: str
    """Its string; what is recorded is the one that the user wrote."""
    fingerprint: str
    """As the workers compute it."""
    away: bool = False
    """Whether they are on other machines, so that this one cannot say how the model runs there."""


def make_worker_spec(model: str, scorer: Scorer, engine: Engine) -> WorkerSpec:
    """The model for the workers of an engine; on this machine, and for what is not spread, it is the scorer as it is here."""
    if isinstance(engine, LocalEngine) or not may_be_spread(scorer):
        return WorkerSpec(model, scorer.fingerprint)
    name = with_whole_paths(model)
    (fingerprint,) = require_results(engine.map(fingerprint_here, [name]))
    return WorkerSpec(name, fingerprint, away=True)


def may_be_spread(scorer: Scorer) -> bool:
    """Whether any process can score a part of the pairs."""
    return isinstance(scorer, Spreadable) and scorer.spreadable


def fingerprint_here(model: str) -> str:
    """Of a model on this machine."""
    with name_machine_in_errors():
        return load_scorer(model, Workbench()).fingerprint


def with_whole_paths(model: str) -> str:
    """The string with folders of this machine by their whole paths, since workers begin in another folder."""
    name = parse_model(model)
    options = ((key, _whole(value) if key in _FOLDER_OPTIONS else value) for key, value in name.options)
    return str(name._replace(argument=_whole(name.argument), options=tuple(options)))


def _whole(place: str) -> str:
    """The path of a folder, or of two; any other name as it is."""
    path = Path(place).expanduser()
    if place and path.is_dir():
        return str(path.absolute())
    return _BETWEEN.join(map(_whole, place.split(_BETWEEN))) if _BETWEEN in place else place
