"""lexical_baseline: BM25 over each unit and the headings above it."""

from __future__ import annotations

from collections.abc import Mapping

from constraintsuite.memory.modes.base import DescribedMode, ModeContext
from constraintsuite.memory.modes.naming import options_of
from constraintsuite.memory.modes.presence import MemoryPresence
from constraintsuite.memory.modes.ranking import best, ranked
from constraintsuite.memory.recall import SearchAnswer
from constraintsuite.models.base import ModelFact
from constraintsuite.models.naming import ModelName, ModelSettings


def make_lexical(name: ModelName, place: ModeContext) -> DescribedMode:
    """`lexical_baseline`; the constants of BM25 belong to the memory's index."""
    options_of(name, ModelSettings)
    return LexicalMode(str(name), place)


class LexicalMode:
    """Units that share a term with the query, by BM25."""

    def __init__(self, name: str, place: ModeContext) -> None:
        self.name = name
        self._memory = place.memory
        self._presence = MemoryPresence(place)

    def search(self, query: str, budget: int) -> SearchAnswer:
        """The best units by score."""
        scores = self._memory.lexical(query, self._presence.visible())
        chosen = best(scores, budget, scores > 0)
        return SearchAnswer(query, self.name, ranked(self._memory.graph, chosen, scores))

    def describe(self) -> Mapping[str, ModelFact]:
        """It has no options."""
        return {"mode": "lexical_baseline"}
