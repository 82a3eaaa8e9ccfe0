"""The graph as a mode walks it: the arcs between what is visible, and what is known of the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from constraintsuite.memory.graph import EDGE_KINDS, BoolArray, FloatArray
from constraintsuite.memory.modes.arcs import Arcs, ArcSettings, arcs_of
from constraintsuite.memory.modes.base import IndexArray
from constraintsuite.memory.modes.diffusion import Network
from constraintsuite.memory.records import SemanticRole

if TYPE_CHECKING:
    from constraintsuite.memory.graph import MemoryGraph
    from constraintsuite.memory.memory import Memory

_ROLES: Mapping[SemanticRole, float] = {"exception": 1.0, "remedy": 0.45, "escalation": 0.45}


@dataclass(frozen=True)
class GraphView:
    """The visible part of a graph; everything is computed when it is first asked for, and kept."""

    memory: Memory
    graph: MemoryGraph
    visible: BoolArray
    settings: ArcSettings
    weighted: bool = True
    """Whether the weights of edges count."""
    synonyms: float = 0.0
    """From which cosine on names of entities are joined; 0 joins none."""

    @cached_property
    def arcs(self) -> Arcs:
        """The arcs between visible nodes."""
        synonyms = self.memory.synonyms(self.synonyms, self.named) if self.synonyms else None
        return arcs_of(self.graph, self.settings, self.visible, weighted=self.weighted, synonyms=synonyms)

    @cached_property
    def network(self) -> Network:
        """The same arcs, ready to be spread over."""
        return Network(self.arcs)

    @cached_property
    def rarity(self) -> FloatArray:
        """For each entity, one over the number of visible units that name it; 0 for one that none does."""
        table, units = self.graph.edges, len(self.graph.units)
        naming = table.kind == EDGE_KINDS.index("mentions")
        naming[naming] = self.visible[table.source[naming]]
        counts = np.bincount(table.target[naming] - units, minlength=len(self.graph.entities))
        rarity: FloatArray = np.where(counts > 0, 1.0 / np.maximum(counts, 1), 0.0)
        return rarity

    @cached_property
    def named(self) -> BoolArray:
        """Which entities are visible: those that a visible unit names."""
        return self.rarity > 0

    def is_end(self, node: int) -> bool:
        """Whether no arc leads from a node."""
        return bool(self.arcs.first[node] == self.arcs.first[node + 1])

    @cached_property
    def barred(self) -> BoolArray:
        """Nodes from which an edge leads whose kind is not walked."""
        table = self.graph.edges
        unwanted = ~np.isin(table.kind, [EDGE_KINDS.index(kind) for kind in self.settings.kinds])
        barred = np.zeros(self.graph.size, dtype=np.bool_)
        barred[table.source[unwanted]] = True
        if self.settings.backwards:
            barred[table.target[unwanted]] = True
        return barred

    @cached_property
    def exceptional(self) -> FloatArray:
        """For each unit, how much its roles make it one that is easily overlooked."""
        return np.array([max((_ROLES.get(role, 0.0) for role in unit.roles), default=0.0) for unit in self.graph.units])

    @cached_property
    def opposing(self) -> BoolArray:
        """Which arcs lead from a rule to its exception, between two that contradict each other, or back."""
        kinds = [EDGE_KINDS.index("exception_to"), EDGE_KINDS.index("contradicts")]
        return np.isin(self.arcs.kind, kinds)

    @cached_property
    def opposed(self) -> IndexArray:
        """The nodes to which such an arc leads."""
        return np.unique(self.arcs.target[self.opposing]).astype(np.intp)
