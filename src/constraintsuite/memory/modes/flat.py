"""Modes that walk no edge: `lexical_baseline`, `embedding_baseline` and `hybrid`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field

from constraintsuite.memory.graph import BoolArray, FloatArray
from constraintsuite.memory.modes.base import Mode, best, parts_of, ranked
from constraintsuite.memory.results import SearchAnswer
from constraintsuite.models.base import ModelFact
from constraintsuite.models.model_names import ModelSettings
from constraintsuite.models.retrieval.fusion import RANK_OFFSET


class LexicalMode(Mode[ModelSettings]):
    """Ranks units that share a term with the query by BM25; the constants of BM25 belong to the memory's index."""

    settings_type = ModelSettings

    def find(self, query: str, budget: int) -> SearchAnswer:
        """Return the units with the highest BM25."""
        scores = self.memory.lexical(query, self.context.visible())
        chosen = best(scores, budget, scores > 0)
        return SearchAnswer(query, self.name, ranked(self.memory.graph, chosen, scores))


class EmbeddingMode(Mode[ModelSettings]):
    """Ranks all units by the similarity of their vectors to the query's vector, however low it is."""

    settings_type = ModelSettings

    def find(self, query: str, budget: int) -> SearchAnswer:
        """Return the visible units whose vectors are nearest to the query's."""
        scores = self.memory.dense(query)
        chosen = best(scores, budget, self.context.visible())
        return SearchAnswer(query, self.name, ranked(self.memory.graph, chosen, scores))


class HybridSettings(ModelSettings):
    """The options of `hybrid`."""

    candidates: int = Field(100, ge=1, description="how many places of each ranking count; at least the budget")
    coverage: bool = Field(
        False, description="yes or no: whether a lexical place counts by how much of the query the unit holds"
    )


class HybridMode(Mode[HybridSettings]):
    """Fuses the lexical and the dense ranking by reciprocal rank (Cormack, Clarke & Büttcher 2009).

    A unit's score is the sum of 1 / (60 + its rank) over both rankings. With `coverage` the lexical part is multiplied by
    the share of the query that the unit holds: where all units share only an accidental word, one still ranks first.
    """

    settings_type = HybridSettings
    constants: ClassVar[Mapping[str, ModelFact]] = {"rank_offset": RANK_OFFSET}

    def find(self, query: str, budget: int) -> SearchAnswer:
        """Return the best units of both rankings together."""
        visible = self.context.visible()
        depth = max(budget, self.settings.candidates)
        words = self.memory.lexical(query, visible)
        lexical = _reciprocal_ranks(words, depth, visible & (words > 0))
        if self.settings.coverage:
            lexical *= self.memory.coverage(query, visible)
        dense = _reciprocal_ranks(self.memory.dense(query), depth, visible)
        scores = lexical + dense
        chosen = best(scores, budget, scores > 0)
        graph = self.memory.graph
        parts = parts_of(graph, chosen, {"lexical": lexical, "dense": dense})
        return SearchAnswer(query, self.name, ranked(graph, chosen, scores), parts=parts)


def _reciprocal_ranks(scores: FloatArray, depth: int, among: BoolArray) -> FloatArray:
    reciprocal = np.zeros(len(scores))
    first = best(scores, depth, among)
    reciprocal[first] = 1 / (RANK_OFFSET + np.arange(1, len(first) + 1))
    return reciprocal
