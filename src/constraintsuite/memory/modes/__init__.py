"""Ways to search a memory: one file a way, one line a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.memory.modes.base import ModeFactory

_HERE = "constraintsuite.memory.modes"
MODES: Catalogue[ModeFactory] = Catalogue(
    "mode",
    {
        "lexical_baseline": f"{_HERE}.lexical:make_lexical",
        "embedding_baseline": f"{_HERE}.embedding:make_embedding",
        "hybrid": f"{_HERE}.hybrid:make_hybrid",
        "hybrid_rerank": f"{_HERE}.rerank:make_hybrid_rerank",
        "structure_only": f"{_HERE}.structure:make_structure",
        "weighted_graph": f"{_HERE}.structure:make_weighted",
        "weighted_graph_static": f"{_HERE}.structure:make_weighted_static",
        "weighted_graph_dynamic": f"{_HERE}.structure:make_weighted",
        "activation_spreading_v1": f"{_HERE}.spreading:make_spreading",
        "activation_spreading_static": f"{_HERE}.spreading:make_spreading_static",
        "activation_spreading_dynamic": f"{_HERE}.spreading:make_spreading",
        "ppr": f"{_HERE}.ppr:make_ppr",
        "ppr_rerank": f"{_HERE}.rerank:make_ppr_rerank",
    },
)
