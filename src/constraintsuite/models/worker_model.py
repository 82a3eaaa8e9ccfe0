"""A model in worker processes: what a worker is sent, how it loads the model, and how it keeps it between shards.

The kind of device is part of a fingerprint. The machine that plans the work often has no GPU, while the workers of a cluster
do. So one of the workers is asked for the fingerprint, and workers with another one refuse the work.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError, prefixed_errors
from constraintsuite.core.execution.engine import Engine, LocalEngine, require_results
from constraintsuite.models.base import Scorer, Workbench, is_spreadable
from constraintsuite.models.model_names import load_scorer, parse_model

_MOST_CHARACTERS = 50_000_000
_FOLDER_OPTIONS = ("query", "document")  # of `dpr`
_FOLDER_SEPARATOR = "|"  # between the two folders of `dpr`


@dataclass(frozen=True)
class WorkerSpec:
    """What a worker needs to load a model."""

    name: str
    """The model string with absolute paths; runs record the one that the user wrote."""
    fingerprint: str
    """The fingerprint that workers compute."""
    away: bool = False
    """Whether the workers are on other machines, so this one does not know how the model runs there."""


def make_worker_spec(model: str, scorer: Scorer, engine: Engine) -> WorkerSpec:
    """What the workers of an engine are sent; `scorer` is the model as it was loaded here."""
    if isinstance(engine, LocalEngine) or not is_spreadable(scorer):
        return WorkerSpec(model, scorer.fingerprint)
    name = with_absolute_paths(model)
    (fingerprint,) = require_results(engine.map(_compute_fingerprint, [name]))
    return WorkerSpec(name, fingerprint, away=True)


def _compute_fingerprint(model: str) -> str:
    with machine_in_errors():
        return load_scorer(model, Workbench()).fingerprint


def with_absolute_paths(model: str) -> str:
    """The model string with absolute paths for its folders, since workers start in another folder."""
    name = parse_model(model)
    options = ((key, _absolute(value) if key in _FOLDER_OPTIONS else value) for key, value in name.options)
    return str(name._replace(argument=_absolute(name.argument), options=tuple(options)))


def _absolute(place: str) -> str:
    """The absolute path of one folder, or of two with a | between them; any other name unchanged."""
    path = Path(place).expanduser()
    if place and path.is_dir():
        return str(path.absolute())
    if _FOLDER_SEPARATOR in place:
        return _FOLDER_SEPARATOR.join(map(_absolute, place.split(_FOLDER_SEPARATOR)))
    return place


@dataclass
class CachedModel:
    """A loaded model with its workbench."""

    scorer: Scorer
    bench: Workbench
    characters: int = 0
    """The length of all texts that it has read; it keeps their tokens."""


# At most one model: a module variable is the only way for a worker process to keep it between shards.
_cached: dict[tuple[str, str, Path | None], CachedModel] = {}


def cached_model(model: str, fingerprint: str, texts: Iterable[str], cache: Path | None = None) -> CachedModel:
    """The model that will read these texts, loaded once per process and not once per shard.

    A model keeps the tokens of every text that it has read. To bound that memory it is loaded again after fifty million
    characters. Raises UserError if the model has another fingerprint.
    """
    key = (model, fingerprint, cache)
    found = _cached.get(key)
    if found is None or found.characters > _MOST_CHARACTERS:
        bench = Workbench(cache=cache) if found is None else found.bench
        found = None
        _cached.clear()  # before the next one is loaded, so that only one model is in memory
        with machine_in_errors():
            scorer = load_scorer(model, bench)
            refuse_other_model(model, scorer.fingerprint, fingerprint)
        found = _cached[key] = CachedModel(scorer, bench)
    found.characters += sum(map(len, texts))
    return found


def refuse_other_model(model: str, found: str, expected: str) -> None:
    """Raises UserError if the fingerprint of a loaded model is not the expected one."""
    if found != expected:
        raise UserError(
            f"Model {model!r}: it differs from the one that planned the run (weights, library versions, threads or device), "
            "or its files changed during the run. Run the same command again, on machines that are alike."
        )


def machine_in_errors() -> AbstractContextManager[None]:
    """Put the name of this machine before the message of a UserError, for work that another machine sent."""
    return prefixed_errors(f"On {platform.node()}")


@contextmanager
def model_in_cache(spec: WorkerSpec, scorer: Scorer, bench: Workbench) -> Iterator[None]:
    """While the block runs, `cached_model` gives this scorer in this process; afterwards the process keeps no model."""
    with temporary_model_cache():
        _cached.clear()
        _cached[spec.name, spec.fingerprint, bench.cache] = CachedModel(scorer, bench)
        yield


@contextmanager
def temporary_model_cache() -> Iterator[None]:
    """When the block ends, this process keeps no model."""
    try:
        yield
    finally:
        _cached.clear()
