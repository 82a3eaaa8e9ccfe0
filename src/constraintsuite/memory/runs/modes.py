"""The modes of a run: which ones a list of names means, their options, and the models that they use."""

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
    """Return the modes of a run, each once; `all` means those that need no model, and without an encoder no vectors.

    Of two names for the same mode the first is kept.
    """
    chosen: dict[str, str] = {}
    for name in _expanded(names, encoder):
        family = parse_model(name).family
        MODES.load(family)  # an unknown name is refused
        if family in _ENCODED and not encoder:
            raise UserError(f"Mode {name!r} compares vectors. Name an encoder, such as dense:all-MiniLM-L6-v2.")
        chosen.setdefault(ALIASES.get(name, name), name)
    return list(chosen.values())


def _expanded(names: Sequence[str], encoder: bool) -> list[str]:
    every = [name for name in MODES.names() if name not in (*ALIASES, *_NEED_MODEL)]
    able = [name for name in every if encoder or name not in _ENCODED]
    return [each for name in names for each in (able if name == "all" else [name])]


class Making(NamedTuple):
    """What decides the answers of a run in addition to documents and questions."""

    options: dict[str, dict[str, ModelFact]]
    """For each mode all that it describes, except where its models run."""
    models: dict[str, str]
    """Fingerprints of the `encoder`, and of each `reranker NAME`."""


def making_of(modes: Sequence[str], encoder: DenseScorer | None, bench: Workbench) -> Making:
    """Describe the modes before they run, so that a finished run with the same models and options is recognised."""
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
    """Whether an input of a run is a model, rather than questions or documents."""
    return name == ENCODER or name.startswith(RERANKER)
