"""The encoder that a model string names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.process_cache import held_model

SHOWN_DIGITS = 16


def folder_name(fingerprint: str) -> str:
    """How the folder of an encoder's vectors is called."""
    return fingerprint[:SHOWN_DIGITS]


class EncoderAtWork(NamedTuple):
    """An encoder, and what has happened to it so far."""

    scorer: DenseScorer
    events: Sequence[str]


def encoder_for(model: str, fingerprint: str, texts: Sequence[str]) -> EncoderAtWork:
    """The encoder, to read these texts; loaded once in a process, not once a shard: see `held_model`."""
    held = held_model(model, fingerprint, texts)
    assert isinstance(held.scorer, DenseScorer)  # `load_encoder` has refused all others before
    return EncoderAtWork(held.scorer, held.bench.events)
