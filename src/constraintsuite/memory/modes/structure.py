"""`structure_only` and `weighted_graph`: a unit's own match, plus the best walk to it from another unit that matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field

from constraintsuite.memory.graph import FloatArray
from constraintsuite.memory.modes.base import IndexArray, best, parts_of, ranked
from constraintsuite.memory.modes.paths import ArcShares, SeedReach, explain, reach
from constraintsuite.memory.modes.walk import Arcs, GraphView, WalkMode, WalkSettings, WalkStart
from constraintsuite.memory.results import SearchAnswer, StopReason
from constraintsuite.models.base import ModelFact

MATCH, REACH = 0.75, 0.25
"""The weights of a unit's own match and of the best walk to it."""
EXCEPTION, CONTRADICTION = 0.125, 0.125
"""What an exceptional role and an opposing unit add in `weighted_graph`, times the match."""
_CONSTANTS = {"match": MATCH, "reach": REACH}
_HAS_PARTNER = 0.45  # for a unit with an opposing unit, if the walk did not come from there


class StructureSettings(WalkSettings):
    """The options of `structure_only` and of `weighted_graph_static`."""

    decay: float = Field(0.75, gt=0, lt=1, description="largest share of a value that one step passes on")
    hops: int = Field(2, ge=0, le=8, description="maximum number of hops; going through an entity counts as two")
    beam: int = Field(256, ge=1, description="number of nodes that continue at each hop")


class WeightedSettings(StructureSettings):
    """The options of `weighted_graph`."""

    boost: float = Field(0.25, ge=0, le=10, description="relative boost of a unit's score at full strength")


class StructureMode(WalkMode[StructureSettings]):
    """`structure_only`: walks from the best matches support every unit, themselves included; all edges are alike."""

    settings_type: type[StructureSettings] = StructureSettings
    weighted = False
    constants: ClassVar[Mapping[str, ModelFact]] = _CONSTANTS

    def walk(self, query: str, budget: int, start: WalkStart) -> SearchAnswer:
        """Return the best units by their match, their support and, in `weighted_graph`, their weights."""
        view, match, starts = start
        if not len(starts):
            return SearchAnswer(query, self.name, ())
        settings = self.settings
        boost = settings.boost if isinstance(settings, WeightedSettings) else 0.0
        shares = _shares(view.arcs, settings.decay)
        reached = reach(view.arcs, shares, starts, match[starts], hops=settings.hops, beam=settings.beam)

        def stopped(seed: int, node: int, hop: int) -> StopReason | None:
            if hop >= settings.hops:
                return "max_hops"
            return "budget" if reached.was_cut(seed, node) else None

        parts = self._parts(view, match, reached)
        scores = sum(parts.values(), np.zeros(len(match)))
        strengths = self.context.strength_factors(boost)
        factors = strengths.over(np.flatnonzero(scores)) if strengths else np.ones(len(match))
        scores *= factors
        chosen = best(scores, budget, scores > 0)
        own = np.zeros(len(match))
        own[starts] = match[starts]
        paths, trace = explain(view, reached, own, chosen, stopped)
        named = parts_of(view.graph, chosen, parts | ({"factor": factors} if boost else {}))
        return SearchAnswer(query, self.name, ranked(view.graph, chosen, scores), paths, trace, named)

    def _parts(self, view: GraphView, match: FloatArray, reached: SeedReach) -> dict[str, FloatArray]:
        units = len(match)
        parts = {"match": MATCH * match, "reach": REACH * reached.arrived()[:units]}
        if self.weighted:
            parts["exception"] = EXCEPTION * match * view.exceptional
            parts["contradiction"] = CONTRADICTION * match * _opposition(view, reached)[:units]
        return parts


class WeightedStaticMode(StructureMode):
    """`weighted_graph_static`: edges and roles have weights; strengths do not count."""

    weighted = True
    constants: ClassVar[Mapping[str, ModelFact]] = {
        **_CONSTANTS,
        "exception": EXCEPTION,
        "contradiction": CONTRADICTION,
    }


class WeightedMode(WeightedStaticMode):
    """`weighted_graph`, also called `weighted_graph_dynamic`; without a state it is the static one."""

    settings_type = WeightedSettings


def _shares(arcs: Arcs, decay: float) -> ArcShares:
    """Let less through the more arcs leave a node (the fan effect of associative memory, Anderson 1974)."""

    def passing(some: IndexArray) -> FloatArray:
        share: FloatArray = decay * np.minimum(arcs.strength[some], 1.0) / (1.0 + np.log(arcs.fan(arcs.source[some])))
        return share

    return passing


def _opposition(view: GraphView, reached: SeedReach) -> FloatArray:
    """Return 1 for a node that was reached from an opposing unit, less for one that only has an opposing unit."""
    opposed = np.zeros(view.graph.size)
    opposed[view.arcs.target[view.opposing]] = _HAS_PARTNER
    last = reached.last_arcs()
    opposed[view.arcs.target[last[view.opposing[last]]]] = 1.0
    return opposed
