"""Ways to search a memory: each name points at the class of a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.memory.modes.base import ModeFactory

_HERE = "constraintsuite.memory.modes"
MODES: Catalogue[ModeFactory] = Catalogue(
    "mode",
    {
        "lexical_baseline": f"{_HERE}.flat:LexicalMode",
        "embedding_baseline": f"{_HERE}.flat:EmbeddingMode",
        "hybrid": f"{_HERE}.flat:HybridMode",
        "hybrid_rerank": f"{_HERE}.rerank:RerankMode",
        "structure_only": f"{_HERE}.structure:StructureMode",
        "weighted_graph": f"{_HERE}.structure:WeightedMode",
        "weighted_graph_static": f"{_HERE}.structure:WeightedStaticMode",
        "weighted_graph_dynamic": f"{_HERE}.structure:WeightedMode",
        "activation_spreading_v1": f"{_HERE}.spread:ActivationMode",
        "activation_spreading_static": f"{_HERE}.spread:ActivationStaticMode",
        "activation_spreading_dynamic": f"{_HERE}.spread:ActivationMode",
        "ppr": f"{_HERE}.spread:PprMode",
        "ppr_rerank": f"{_HERE}.rerank:RerankMode",
    },
)
