"""The model that this process works with: loaded once, and kept from one shard to the next."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.model_names import load_scorer

_MOST_CHARACTERS = 50_000_000


@dataclass
class CachedModel:
    """A loaded model, with the workbench that it was given."""

    scorer: Scorer
    bench: Workbench
    characters: int = 0
    """Of the texts it has read, of which it keeps much."""


# One model at most: a worker has no other way to keep it between shards.
_held: dict[tuple[str, str, Path | None], CachedModel] = {}


def cached_model(model: str, fingerprint: str, texts: Iterable[str], cache: Path | None = None) -> CachedModel:
    """The model, to read these texts; loaded once per process, not once per shard.

    A model keeps the tokens of every text it has read, which would grow with the corpus: behind fifty million characters it is
    loaded again. A model that has another fingerprint is a UserError.
    """
    name = (model, fingerprint, cache)
    held = _held.get(name)
    if held is None or held.characters > _MOST_CHARACTERS:
        bench = Workbench(cache=cache) if held is None else held.bench
        held = None
        _held.clear()  # before the next one is loaded: one model is in memory
        with name_machine_in_errors():
            scorer = load_scorer(model, bench)
            same = scorer.fingerprint == fingerprint
        held = _held[name] = CachedModel(scorer, bench)
        if not same:
            _held.clear()
            raise UserError(
                f"Model {model!r}: its files were changed while it was in use, or on {platform.node()} it is not the same: "
                "other weights, versions of libraries, threads or device. Run the same command again, on machines that are "
                "alike."
            )
    held.characters += sum(map(len, texts))
    return held


@contextmanager
def name_machine_in_errors() -> Iterator[None]:
    """A model that others planned with cannot be had here: that is told with the name of this machine."""
    try:
        yield
    except UserError as error:
        raise UserError(f"On {platform.node()}: {error}") from None


@contextmanager
def holding(model: str, fingerprint: str, scorer: Scorer, bench: Workbench) -> Iterator[None]:
    """While the block runs, shards of this process use this very scorer; when it ends, the process keeps none."""
    _held.clear()
    _held[model, fingerprint, bench.cache] = CachedModel(scorer, bench)
    with letting_go():
        yield


@contextmanager
def letting_go() -> Iterator[None]:
    """When the block ends, this process keeps no model."""
    try:
        yield
    finally:
        _held.clear()
