"""The encoder that a model string names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from constraintsuite.errors import UserError
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.encoders import load_encoder

SHOWN_DIGITS = 16
_MOST_CHARACTERS = 50_000_000


def folder_name(fingerprint: str) -> str:
    """How the folder of an encoder's vectors is called."""
    return fingerprint[:SHOWN_DIGITS]


@dataclass
class _Held:
    """The encoder that this process works with."""

    scorer: DenseScorer
    characters: int = 0
    """Of the texts it has read, of which it keeps much."""


_held: dict[tuple[str, str], _Held] = {}  # one at most; a worker process has no other way to keep it between two shards


def encoder_for(model: str, fingerprint: str, texts: Sequence[str]) -> DenseScorer:
    """The encoder, to read these texts; loaded once in a process, not once a shard.

    An encoder keeps the tokens of every text it has read, which would grow with the corpus: behind fifty million characters
    it is loaded anew. Weights that are not those of the fingerprint are a UserError.
    """
    name = (model, fingerprint)
    held = _held.get(name)
    if held is None or held.characters > _MOST_CHARACTERS:
        _held.clear()  # before the next one is loaded: one model is in memory
        held = _held[name] = _Held(load_encoder(model))
        if held.scorer.fingerprint != fingerprint:
            raise UserError(f"Model {model!r}: its files were changed while it was in use. Run the same command again.")
    held.characters += sum(map(len, texts))
    return held.scorer


@contextmanager
def letting_go() -> Iterator[None]:
    """When the block ends, this process keeps no encoder."""
    try:
        yield
    finally:
        _held.clear()
