"""hybrid: the lexical and the dense ranking as one, by reciprocal rank (Cormack, Clarke & Büttcher 2009)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pydantic import Field

from constraintsuite.memory.modes.base import BoolArray, DescribedMode, FloatArray, ModeContext
from constraintsuite.memory.modes.naming import options_of
from constraintsuite.memory.modes.presence import MemoryPresence
from constraintsuite.memory.modes.ranking import best, parts_of, ranked
from constraintsuite.memory.recall import SearchAnswer
from constraintsuite.models.base import ModelFact
from constraintsuite.models.naming import ModelName, ModelSettings
from constraintsuite.retrieval.fusion import RANK_OFFSET


class HybridSettings(ModelSettings):
    """The options of `hybrid`."""

    candidates: int = Field(100, ge=1, description="how many places of each ranking count; at least the budget")
    coverage: bool = Field(
        False, description="yes or no: whether a lexical place counts by how much of the query the unit holds"
    )


def make_hybrid(name: ModelName, place: ModeContext) -> DescribedMode:
    """`hybrid`; needs a memory with an encoder."""
    return HybridMode(str(name), options_of(name, HybridSettings), place)


class HybridMode:
    """A unit's score is the sum of 1 / (60 + its rank) over both rankings; with `coverage` the lexical part is times that.

    A rank alone does not say how much is shared: where all units share but an accidental word, one of them is still the first.
    """

    def __init__(self, name: str, settings: HybridSettings, place: ModeContext) -> None:
        self.name = name
        self._settings = settings
        self._memory = place.memory
        self._presence = MemoryPresence(place)

    def search(self, query: str, budget: int) -> SearchAnswer:
        """The best units of both rankings together."""
        if not query.strip():
            return SearchAnswer(query, self.name, ())
        visible = self._presence.visible()
        depth = max(budget, self._settings.candidates)
        words = self._memory.lexical(query, visible)
        lexical = _shares(words, depth, visible & (words > 0))
        if self._settings.coverage:
            lexical *= self._memory.coverage(query, visible)
        dense = _shares(self._memory.dense(query), depth, visible)
        scores = lexical + dense
        chosen = best(scores, budget, scores > 0)
        graph = self._memory.graph
        parts = parts_of(graph, chosen, {"lexical": lexical, "dense": dense})
        return SearchAnswer(query, self.name, ranked(graph, chosen, scores), parts=parts)

    def describe(self) -> Mapping[str, ModelFact]:
        """Its options, and the constant of the fusion."""
        return {"mode": "hybrid", **self._settings.model_dump(), "rank_offset": RANK_OFFSET}


def _shares(scores: FloatArray, depth: int, among: BoolArray) -> FloatArray:
    shares = np.zeros(len(scores))
    first = best(scores, depth, among)
    shares[first] = 1 / (RANK_OFFSET + np.arange(1, len(first) + 1))
    return shares
