"""What a run is made with: the modes as they were settled, and the models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.experiments.output import split_facts
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.naming import load_mode
from constraintsuite.memory.modes.rerank import RerankMode
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.dense import DenseScorer

ENCODER, RERANKER = "encoder", "reranker "


class Making(NamedTuple):
    """What decides the answers, besides the documents and the questions."""

    options: dict[str, dict[str, ModelFact]]
    """Of each mode everything that it says of itself; where its models run is no part of it."""
    models: dict[str, str]
    """Fingerprints: of the `encoder`, and of each `reranker NAME`."""


def making_of(modes: Sequence[str], encoder: DenseScorer | None, bench: Workbench) -> Making:
    """Looked up before anything is run, so that a finished run of the same is recognised and one of another model is not."""
    empty = Memory(encoder)
    options: dict[str, dict[str, ModelFact]] = {}
    models = {ENCODER: encoder.fingerprint} if encoder is not None else {}
    for name in modes:
        mode = load_mode(name, empty, bench=bench)
        options[name] = split_facts(mode.describe()).own
        if isinstance(mode, RerankMode):
            models |= {f"{RERANKER}{model}": fingerprint for model, fingerprint in mode.fingerprints.items()}
    return Making(options, models)


def is_model(name: str) -> bool:
    """Whether an input of a run is a model, and not what was asked or searched."""
    return name == ENCODER or name.startswith(RERANKER)
