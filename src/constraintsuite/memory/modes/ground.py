"""What a walk needs to know of the graph, kept as long as the same of it is there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from constraintsuite.memory.graph import EDGE_KINDS
from constraintsuite.memory.modes.arcs import Arcs, ArcSettings, arcs_of
from constraintsuite.memory.modes.base import BoolArray, FloatArray, IndexArray, ModeContext
from constraintsuite.memory.modes.diffusion import Network
from constraintsuite.memory.modes.presence import MemoryPresence
from constraintsuite.memory.records import SemanticRole

if TYPE_CHECKING:
    from constraintsuite.memory.memory import Memory

_ROLES: Mapping[SemanticRole, float] = {"exception": 1.0, "remedy": 0.45, "escalation": 0.45}


class PresentGraph:
    """The graph as it is at one time; two searches with nothing changed between them get the same object."""

    def __init__(self, memory: Memory, visible: BoolArray, options: Walking) -> None:
        self.graph = memory.graph
        self.visible = visible
        self._memory = memory
        self._options = options

    @cached_property
    def arcs(self) -> Arcs:
        """The arcs between what is there."""
        settings, weighted, alike = self._options
        synonyms = self._memory.synonyms(alike, self.named) if alike else None
        return arcs_of(self.graph, settings, self.visible, weighted=weighted, synonyms=synonyms)

    @cached_property
    def network(self) -> Network:
        """The same, ready to be spread over."""
        return Network(self.arcs)

    @cached_property
    def rarity(self) -> FloatArray:
        """Of each entity, one over the number of units that are there and name it; 0 for one that none does."""
        table, units = self.graph.edges, len(self.graph.units)
        naming = table.kind == EDGE_KINDS.index("mentions")
        naming[naming] = self.visible[table.source[naming]]
        counts = np.bincount(table.target[naming] - units, minlength=len(self.graph.entities))
        rarity: FloatArray = np.where(counts > 0, 1.0 / np.maximum(counts, 1), 0.0)
        return rarity

    @cached_property
    def named(self) -> BoolArray:
        """Which entities are there: those that a unit names which is there."""
        return self.rarity > 0

    def is_end(self, node: int) -> bool:
        """Whether no arc leads from a node."""
        return bool(self.arcs.first[node] == self.arcs.first[node + 1])

    @cached_property
    def barred(self) -> BoolArray:
        """Nodes from which an edge leads whose kind is not walked."""
        table = self.graph.edges
        unwanted = ~np.isin(table.kind, [EDGE_KINDS.index(kind) for kind in self._options.settings.kinds])
        barred = np.zeros(self.graph.size, dtype=np.bool_)
        barred[table.source[unwanted]] = True
        if self._options.settings.backwards:
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
        return np.isin(self.arcs.kind, kinds)

    @cached_property
    def opposed(self) -> IndexArray:
        """The nodes to which such an arc leads."""
        return np.unique(self.arcs.target[self.opposing]).astype(np.intp)


class Walking(NamedTuple):
    """What a mode walks over."""

    settings: ArcSettings
    weighted: bool = True
    """Whether the weights of edges count."""
    alike: float = 0.0
    """From which cosine on names of entities are joined; 0 joins none."""


class PresentGraphCache:
    """Gives the graph as it is at the moment."""

    def __init__(self, place: ModeContext, options: Walking) -> None:
        self._memory, self._options = place.memory, options
        self._presence = MemoryPresence(place)
        self._last: PresentGraph | None = None

    def now(self) -> PresentGraph:
        """The graph as it is and as the state's clock shows it."""
        visible, last = self._presence.visible(), self._last
        if last is None or last.graph is not self._memory.graph or not _same(last.visible, visible):
            last = self._last = PresentGraph(self._memory, visible, self._options)
        return last


def _same(one: BoolArray, other: BoolArray) -> bool:
    return one is other or np.array_equal(one, other)
