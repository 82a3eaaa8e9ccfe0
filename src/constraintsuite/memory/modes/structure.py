"""structure_only and weighted_graph: a unit's own match, and the most that reaches it from another unit that matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from constraintsuite.memory.modes.arcs import Arcs
from constraintsuite.memory.modes.base import DescribedMode, FloatArray, IndexArray, ModeContext
from constraintsuite.memory.modes.beam import ArcShares, ArcTransfer, Seeding, SeedReach, reach
from constraintsuite.memory.modes.ground import PresentGraph
from constraintsuite.memory.modes.naming import options_of
from constraintsuite.memory.modes.opening import Openings, WalkSettings
from constraintsuite.memory.modes.presence import MemoryPresence, factors_over
from constraintsuite.memory.modes.ranking import best, parts_of, ranked
from constraintsuite.memory.modes.telling import tell
from constraintsuite.memory.recall import SearchAnswer, StopReason
from constraintsuite.models.base import ModelFact
from constraintsuite.models.naming import ModelName

MATCH, REACH = 0.75, 0.25
"""What a unit's own match and what reaches it count."""
EXCEPTION, CONTRADICTION = 0.125, 0.125
"""What a telling role and standing against another unit add in `weighted_graph`, times the match."""
_HAS_PARTNER = 0.45  # of a contradiction whose other side the walk did not come from


class StructureSettings(WalkSettings):
    """The options of `structure_only` and of `weighted_graph_static`."""

    decay: float = Field(0.75, gt=0, lt=1, description="what part of a value one step lets through at most")
    hops: int = Field(2, ge=0, le=8, description="how far a walk goes; over an entity it is two")
    beam: int = Field(256, ge=1, description="how many nodes go on at each hop")


class WeightedSettings(StructureSettings):
    """The options of `weighted_graph`."""

    boost: float = Field(0.25, ge=0, le=10, description="what a full strength adds to a unit's score, as a part of it")


def make_structure(name: ModelName, place: ModeContext) -> DescribedMode:
    """`structure_only`: all edges are alike, and so are all units."""
    return StructureMode(name, options_of(name, StructureSettings), place, weighted=False)


def make_weighted(name: ModelName, place: ModeContext) -> DescribedMode:
    """`weighted_graph`, also called `weighted_graph_dynamic`; without a state it is the static one."""
    settings = options_of(name, WeightedSettings)
    return StructureMode(name, settings, place, weighted=True, boost=settings.boost)


def make_weighted_static(name: ModelName, place: ModeContext) -> DescribedMode:
    """`weighted_graph_static`: strengths do not count."""
    return StructureMode(name, options_of(name, StructureSettings), place, weighted=True)


class StructureMode:
    """Walks from the best matches find support for every unit, themselves included."""

    def __init__(
        self, name: ModelName, settings: StructureSettings, place: ModeContext, *, weighted: bool, boost: float = 0.0
    ) -> None:
        self.name = str(name)
        self._mode = name.family
        self._settings, self._weighted, self._boost = settings, weighted, boost
        self._presence = MemoryPresence(place)
        self._openings = Openings(place, settings, weighted=weighted)

    def search(self, query: str, budget: int) -> SearchAnswer:
        """The best units by their match, their support and, in `weighted_graph`, their weights."""
        opening, settings = self._openings.begin(query), self._settings
        if opening is None or not len(opening.starts):
            return SearchAnswer(query, self.name, ())
        ground, match, starts = opening
        seeding = Seeding(starts, match[starts], settings.hops, settings.beam)
        reached = reach(ground.arcs, _through(ground.arcs, settings.decay), seeding)
        parts = self._parts(ground, match, reached)
        scores = sum(parts.values(), np.zeros(len(match)))
        factors = factors_over(np.flatnonzero(scores), self._presence.factors(self._boost), len(match))
        scores *= factors
        chosen = best(scores, budget, scores > 0)
        own = np.zeros(len(match))
        own[starts] = match[starts]
        account = tell(ground, reached, own, chosen, _Books(ground, reached, settings.hops))
        named = parts_of(ground.graph, chosen, parts | ({"factor": factors} if self._boost else {}))
        return SearchAnswer(query, self.name, ranked(ground.graph, chosen, scores), *account, named)

    def describe(self) -> Mapping[str, ModelFact]:
        """Its options and constants."""
        constants = {"match": MATCH, "reach": REACH}
        weights = {"exception": EXCEPTION, "contradiction": CONTRADICTION} if self._weighted else {}
        return {"mode": self._mode, **self._settings.model_dump(), **constants, **weights}

    def _parts(self, ground: PresentGraph, match: FloatArray, reached: SeedReach) -> dict[str, FloatArray]:
        units = len(match)
        parts = {"match": MATCH * match, "reach": REACH * reached.arrived()[:units]}
        if self._weighted:
            parts["exception"] = EXCEPTION * match * ground.exceptional
            parts["contradiction"] = CONTRADICTION * match * _opposition(ground, reached)[:units]
        return parts


@dataclass(frozen=True)
class _Books:
    """In a search for the best walks, what went over an arc is what the walk brought."""

    ground: PresentGraph
    reached: SeedReach
    hops: int

    def transfer(self, walked: ArcTransfer) -> ArcTransfer:
        return walked

    def stopped(self, seed: int, node: int, hop: int) -> StopReason | None:
        if self.ground.is_end(node):
            return "disallowed_edge_type" if self.ground.barred[node] else None
        if hop >= self.hops:
            return "max_hops"
        return "budget" if self.reached.was_cut(seed, node) else None


def _through(arcs: Arcs, decay: float) -> ArcShares:
    """A node with many ways on is a weaker clue to each of them (the fan effect of associative memory, Anderson 1974)."""

    def passing(some: IndexArray) -> FloatArray:
        let: FloatArray = decay * np.minimum(arcs.strength[some], 1.0) / (1.0 + np.log(arcs.fan(arcs.source[some])))
        return let

    return passing


def _opposition(ground: PresentGraph, reached: SeedReach) -> FloatArray:
    """1 for a node that was reached from what stands against it, less for one that only has such a partner."""
    opposed = np.zeros(ground.graph.size)
    opposed[ground.opposed] = _HAS_PARTNER
    last = reached.last_arcs()
    opposed[ground.arcs.target[last[ground.opposing[last]]]] = 1.0
    return opposed
