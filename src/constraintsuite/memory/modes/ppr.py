"""ppr: personalised PageRank over units and entities, begun at units that match and, where asked, at entities of the query.

As in HippoRAG 2 (Gutiérrez et al. 2025), an entity counts the less the more units name it, every unit begins with a little of
its match, and half of a walk goes on at each step. Otherwise than there, walks begin at units alone unless told: among a
thousand documents and more, starts at the names in a query did harm (docs/memory-public.md).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pydantic import Field

from constraintsuite.memory.modes.account import account_of
from constraintsuite.memory.modes.arcs import ArcSettings
from constraintsuite.memory.modes.base import DescribedMode, FloatArray, IntArray, Place
from constraintsuite.memory.modes.diffusion import Rule
from constraintsuite.memory.modes.ground import Ground, Grounds
from constraintsuite.memory.modes.naming import options_of
from constraintsuite.memory.modes.ranking import best, parts_of, ranked
from constraintsuite.memory.modes.relevance import SeedSettings, relevance
from constraintsuite.memory.recall import Recall
from constraintsuite.models.base import Fact
from constraintsuite.models.naming import ModelName

TOLERANCE = 1e-6
"""What may be left of the whole when the sum is broken off."""
_MOST_HOPS = 1_000


class PprSettings(SeedSettings, ArcSettings):
    """The options of `ppr`."""

    damping: float = Field(0.5, ge=0, le=0.95, description="how likely a walk goes on at each step")
    entities: float = Field(
        0.0,
        ge=0,
        le=1,
        description="what part of the walks begins at the entities that the query names, if it names any",
    )
    background: float = Field(
        0.05, ge=0, le=1, description="what part of its match every unit that is no seed begins with"
    )


def make_ppr(name: ModelName, place: Place) -> DescribedMode:
    """`ppr`."""
    return PprMode(str(name), options_of(name, PprSettings), place)


class PprMode:
    """A unit's score is how often a walk that begins anew at the seeds is found there."""

    def __init__(self, name: str, settings: PprSettings, place: Place) -> None:
        self.name = name
        self._settings = settings
        self._memory = place.memory
        self._grounds = Grounds(place, settings)

    def search(self, query: str, budget: int) -> Recall:
        """The units where walks are most often found."""
        if not query.strip():
            return Recall(query, self.name, ())
        ground, settings = self._grounds.now(), self._settings
        match = relevance(self._memory, query, settings.seeds, ground.visible)
        starts = best(match, settings.starts, match > 0)
        named = self._memory.entity_numbers(query).astype(np.intp)
        start = self._start(ground, match, starts, named)
        rule = Rule(settings.damping, _MOST_HOPS, np.ones(len(start)), tolerance=TOLERANCE)
        spread = ground.network.spread((1 - settings.damping) * start, rule)
        scores = spread.total()[: len(match)]
        chosen = best(scores, budget, scores > 0)
        account = account_of(spread, ground, chosen, np.concatenate([starts, named[start[named] > 0]]))
        own = spread.layers[0][: len(match)]
        parts = parts_of(ground.graph, chosen, {"match": match, "start": own, "arrived": scores - own})
        return Recall(query, self.name, ranked(ground.graph, chosen, scores), *account, parts)

    def describe(self) -> Mapping[str, Fact]:
        """Its options, and where the sum is broken off."""
        return {"mode": "ppr", **self._settings.model_dump(), "tolerance": TOLERANCE}

    def _start(self, ground: Ground, match: FloatArray, starts: IntArray, named: IntArray) -> FloatArray:
        """Where walks begin: a distribution over units and entities; all zero where nothing matches."""
        units = self._settings.background * match
        units[starts] = match[starts]
        entities = np.zeros(len(ground.graph.entities))
        inside = named - len(units)
        entities[inside] = ground.rarity[inside]
        part = self._settings.entities if len(named) and units.any() else float(len(named) > 0)
        return np.concatenate([(1 - part) * _distribution(units), part * _distribution(entities)])


def _distribution(weights: FloatArray) -> FloatArray:
    total = weights.sum()
    return weights / total if total > 0 else weights
