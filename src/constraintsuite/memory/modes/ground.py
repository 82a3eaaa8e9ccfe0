"""What a walk needs to know of the graph, kept as long as the same of it is there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from constraintsuite.memory.graph import EDGE_KINDS, Graph
from constraintsuite.memory.modes.arcs import Arcs, ArcSettings, arcs_of
from constraintsuite.memory.modes.base import BoolArray, FloatArray, Place
from constraintsuite.memory.modes.diffusion import Network
from constraintsuite.memory.modes.presence import Presence
from constraintsuite.memory.records import SemanticRole

_ROLES: Mapping[SemanticRole, float] = {"exception": 1.0, "remedy": 0.45, "escalation": 0.45}


class Ground:
    """The graph of a place at a time; two searches with nothing changed between them get the same object."""

    def __init__(self, graph: Graph, visible: BoolArray, settings: ArcSettings, weighted: bool) -> None:
        self.graph = graph
        self.visible = visible
        self._settings = settings
        self._weighted = weighted

    @cached_property
    def arcs(self) -> Arcs:
        """The arcs between what is there."""
        return arcs_of(self.graph, self._settings, self.visible, weighted=self._weighted)

    @cached_property
    def network(self) -> Network:
        """The same, ready to be spread over."""
        return Network(self.arcs)

    @cached_property
    def rarity(self) -> FloatArray:
        """Of each entity, one over the number of units that name it."""
        table, units = self.graph.edges, len(self.graph.units)
        naming = table.kind == EDGE_KINDS.index("mentions")
        naming[naming] = self.visible[table.source[naming]]
        counts = np.bincount(table.target[naming] - units, minlength=len(self.graph.entities))
        rarity: FloatArray = 1.0 / np.maximum(counts, 1)
        return rarity

    def is_end(self, node: int) -> bool:
        """Whether no arc leads from a node."""
        return bool(self.arcs.first[node] == self.arcs.first[node + 1])

    @cached_property
    def barred(self) -> BoolArray:
        """Nodes from which an edge leads whose kind is not walked."""
        table = self.graph.edges
        unwanted = ~np.isin(table.kind, [EDGE_KINDS.index(kind) for kind in self._settings.kinds])
        barred = np.zeros(self.graph.size, dtype=np.bool_)
        barred[table.source[unwanted]] = True
        if self._settings.backwards:
            barred[table.target[unwanted]] = True
        return barred

    @cached_property
    def exceptional(self) -> FloatArray:
        """Of each unit how much its roles make it one that is easily overlooked."""
        return np.array([max((_ROLES.get(role, 0.0) for role in unit.roles), default=0.0) for unit in self.graph.units])

    @cached_property
    def opposing(self) -> BoolArray:
        """Which arcs lead from a rule to its exception, between two that contradict each other, or back."""
        kinds = [EDGE_KINDS.index("exception_to"), EDGE_KINDS.index("contradicts")]
        return np.isin(self.graph.edges.kind[self.arcs.edge], kinds)


class Grounds:
    """Gives the ground of the moment."""

    def __init__(self, place: Place, settings: ArcSettings, *, weighted: bool = True) -> None:
        self._place, self._settings, self._weighted = place, settings, weighted
        self._presence = Presence(place)
        self._last: _Kept | None = None

    def now(self) -> Ground:
        """The graph as it is and as the state's clock shows it."""
        graph, visible = self._place.memory.graph, self._presence.visible()
        key = visible.tobytes()
        if self._last is None or self._last.graph is not graph or self._last.visible != key:
            self._last = _Kept(graph, key, Ground(graph, visible, self._settings, self._weighted))
        return self._last.ground


class _Kept(NamedTuple):
    graph: Graph
    visible: bytes
    ground: Ground
