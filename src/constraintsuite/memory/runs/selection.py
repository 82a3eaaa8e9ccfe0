"""Which modes are meant: `all`, or names, those of the earlier engine included."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.errors import UserError
from constraintsuite.memory.modes import MODES
from constraintsuite.models.naming import parse_model

ALIASES = {"weighted_graph_dynamic": "weighted_graph", "activation_spreading_dynamic": "activation_spreading_v1"}
"""Names that mean the same mode."""
_ENCODED = ("embedding_baseline", "hybrid", "hybrid_rerank")
_NEED_MODEL = ("hybrid_rerank", "ppr_rerank")


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
