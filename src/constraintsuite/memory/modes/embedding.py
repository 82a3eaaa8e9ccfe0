"""embedding_baseline: how near the encoder's vectors of a query and a unit are."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.memory.modes.base import DescribedMode, ModeContext
from constraintsuite.memory.modes.naming import options_of
from constraintsuite.memory.modes.presence import MemoryPresence
from constraintsuite.memory.modes.ranking import best, ranked
from constraintsuite.memory.recall import SearchAnswer
from constraintsuite.models.base import ModelFact
from constraintsuite.models.naming import ModelName, ModelSettings


def make_embedding(name: ModelName, place: ModeContext) -> DescribedMode:
    """`embedding_baseline`; the encoder belongs to the memory."""
    options_of(name, ModelSettings)
    return EmbeddingMode(str(name), place)


class EmbeddingMode:
    """The nearest units, however far they are."""

    def __init__(self, name: str, place: ModeContext) -> None:
        self.name = name
        self._memory = place.memory
        self._presence = MemoryPresence(place)

    def search(self, query: str, budget: int) -> SearchAnswer:
        """The nearest units."""
        if not query.strip():
            return SearchAnswer(query, self.name, ())
        scores = self._memory.dense(query)
        chosen = best(scores, budget, self._presence.visible())
        return SearchAnswer(query, self.name, ranked(self._memory.graph, chosen, scores))

    def describe(self) -> Mapping[str, ModelFact]:
        """It has no options."""
        return {"mode": "embedding_baseline"}
