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
from constraintsuite.memory.modes.base import DescribedMode, FloatArray, IndexArray, ModeContext
from constraintsuite.memory.modes.diffusion import SpreadRule
from constraintsuite.memory.modes.naming import options_of
from constraintsuite.memory.modes.opening import Opening, Openings, SpreadSettings
from constraintsuite.memory.modes.ranking import best, parts_of, ranked
from constraintsuite.memory.recall import SearchAnswer
from constraintsuite.models.base import ModelFact
from constraintsuite.models.naming import ModelName

TOLERANCE = 1e-6
"""What may be left of the whole when the sum is broken off."""
_MOST_HOPS = 1_000


class PprSettings(SpreadSettings):
    """The options of `ppr`."""

    damping: float = Field(0.5, ge=0, le=0.95, description="how likely a walk goes on at each step")
    entities: float = Field(
        0.0,
        ge=0,
        le=1,
        description="what part of the walks begins at the entities that the query names, if it names any",
    )


def make_ppr(name: ModelName, place: ModeContext) -> DescribedMode:
    """`ppr`."""
    return PprMode(str(name), options_of(name, PprSettings), place)


class PprMode:
    """A unit's score is how often a walk that begins anew at the seeds is found there."""

    def __init__(self, name: str, settings: PprSettings, place: ModeContext) -> None:
        self.name = name
        self._settings = settings
        self._memory = place.memory
        self._openings = Openings(place, settings, synonyms=settings.synonyms)

    def search(self, query: str, budget: int) -> SearchAnswer:
        """The units where walks are most often found."""
        opening = self._openings.begin(query)
        if opening is None:
            return SearchAnswer(query, self.name, ())
        ground, match, starts = opening
        named = self._memory.entity_numbers(query, ground.named).astype(np.intp)
        start = self._start(opening, named)
        rule = SpreadRule(self._settings.damping, _MOST_HOPS, tolerance=TOLERANCE)
        spread = ground.network.spread((1 - self._settings.damping) * start, rule)
        scores = spread.total()[: len(match)]
        chosen = best(scores, budget, scores > 0)
        account = account_of(spread, ground, chosen, np.concatenate([starts, named[start[named] > 0]]))
        own = spread.layers[0][: len(match)]
        parts = parts_of(ground.graph, chosen, {"match": match, "start": own, "arrived": scores - own})
        return SearchAnswer(query, self.name, ranked(ground.graph, chosen, scores), *account, parts)

    def describe(self) -> Mapping[str, ModelFact]:
        """Its options, and where the sum is broken off."""
        return {"mode": "ppr", **self._settings.model_dump(), "tolerance": TOLERANCE}

    def _start(self, opening: Opening, named: IndexArray) -> FloatArray:
        """Where walks begin: a distribution over units and entities; all zero where nothing matches."""
        units = opening.begun(self._settings.background)
        entities = np.zeros(len(opening.ground.graph.entities))
        inside = named - len(units)
        entities[inside] = opening.ground.rarity[inside]
        part = self._settings.entities if len(named) and units.any() else float(len(named) > 0)
        return np.concatenate([(1 - part) * _distribution(units), part * _distribution(entities)])


def _distribution(weights: FloatArray) -> FloatArray:
    total = weights.sum()
    return weights / total if total > 0 else weights
