"""The modes of a run: which are meant by their names, how they were settled, and the models that they use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.experiments.output import split_facts
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes import MODES
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.modes.rerank import RerankMode
from constraintsuite.models.base import ModelFact, Workbench
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.model_names import parse_model

ALIASES = {"weighted_graph_dynamic": "weighted_graph", "activation_spreading_dynamic": "activation_spreading_v1"}
"""Names that mean the same mode."""
_ENCODED = ("embedding_baseline", "hybrid", "hybrid_rerank")
_NEED_MODEL = ("hybrid_rerank", "ppr_rerank")
ENCODER, RERANKER = "encoder", "reranker "


def choose_modes(names: Sequence[str], *, encoder: bool) -> list[str]:
    """The modes of a run, each once; `all` are those that need no further model, and without an encoder no vectors.

    Of two names for the same mode the first is kept. A palace mode of the earlier engine is a UserError.
    """
    chosen: dict[str, str] = {}
    for name in _expanded(names, encoder):
        family = parse_model(name).family
        if family.startswith("palace_"):
            raise UserError(
                f"Mode {name!r}: spaces and routes have no counterpart here. Use {family.removeprefix('palace_')!r}."
            )
        MODES.load(family)  # a name that is not there is refused
        if family in _ENCODED and not encoder:
            raise UserError(f"Mode {name!r} compares vectors. Name an encoder, such as dense:all-MiniLM-L6-v2.")
        chosen.setdefault(ALIASES.get(name, name), name)
    return list(chosen.values())


def _expanded(names: Sequence[str], encoder: bool) -> list[str]:
    every = [name for name in MODES.names() if name not in (*ALIASES, *_NEED_MODEL)]
    able = [name for name in every if encoder or name not in _ENCODED]
    return [each for name in names for each in (able if name == "all" else [name])]


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
