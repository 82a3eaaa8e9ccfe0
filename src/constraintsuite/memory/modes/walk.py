"""What all modes that walk share: the graph at the time of the search, how well each unit matches, and where walks start."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from pydantic import Field

from constraintsuite.memory.graph import BoolArray, FloatArray
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.arcs import ArcSettings
from constraintsuite.memory.modes.base import IndexArray, Mode, ModeContext, best
from constraintsuite.memory.modes.graph_view import GraphView
from constraintsuite.memory.modes.visibility import Visibility
from constraintsuite.memory.results import SearchAnswer
from constraintsuite.models.model_names import ModelName

Seeds = Literal["auto", "lexical", "dense", "hybrid", "covered"]


class WalkSettings(ArcSettings):
    """The options of every mode that begins at units which match the query, and walks on from there."""

    seeds: Seeds = Field(
        "auto",
        description="what a match is: lexical, dense, hybrid (the mean), covered (the mean, words by how much of the query "
        "they are), or auto: hybrid where there is an encoder",
    )
    starts: int = Field(3, ge=1, description="how many of the best matches a walk begins at")


W = TypeVar("W", bound=WalkSettings)


class WalkStart(NamedTuple):
    """What is known before the first step."""

    view: GraphView
    match: FloatArray  # (units,)
    starts: IndexArray
    """The best matches, best first."""


class WalkMode(Mode[W]):
    """Begins at the units that match best. The view of the graph is kept as long as the same units are visible."""

    weighted: ClassVar[bool] = True
    """Whether the weights of edges count."""

    def __init__(self, name: ModelName, context: ModeContext) -> None:
        super().__init__(name, context)
        self.context = context
        self._visibility = Visibility(context)
        self._view: GraphView | None = None

    @property
    def synonyms(self) -> float:
        """From which cosine on names of entities are joined; 0 joins none."""
        return 0.0

    def find(self, query: str, budget: int) -> SearchAnswer:
        """Walk on from the best matches."""
        view = self._current_view()
        match = relevance(self.memory, query, self.settings.seeds, view.visible)
        return self.walk(query, budget, WalkStart(view, match, best(match, self.settings.starts, match > 0)))

    @abstractmethod
    def walk(self, query: str, budget: int, start: WalkStart) -> SearchAnswer:
        """The best units by what walks bring to them, with the paths that they took."""

    def _current_view(self) -> GraphView:
        graph, visible = self.memory.graph, self._visibility.mask()
        if self._view is None or self._view.graph is not graph or not np.array_equal(self._view.visible, visible):
            self._view = GraphView(self.memory, graph, visible, self.settings, self.weighted, self.synonyms)
        return self._view


def relevance(memory: Memory, query: str, seeds: Seeds, visible: BoolArray) -> FloatArray:
    """The match of every unit: 1 for the best, 0 for those that share nothing and those that are not visible."""
    if seeds == "auto":
        seeds = "hybrid" if memory.encoder is not None else "lexical"
    matches = []
    if seeds in ("lexical", "hybrid"):
        matches.append(_scaled(memory.lexical(query, visible), visible, lowest=0.0))
    if seeds == "covered":
        # Not BM25 over the best one: where a question is put in other words, its best match may be an accident, and no 1.
        matches.append(memory.coverage(query, visible))
    if seeds in ("dense", "hybrid", "covered"):
        matches.append(_scaled(memory.dense(query), visible, lowest=None))
    # One alone has 1 as its highest already: to scale it again would change no bit.
    return matches[0] if len(matches) == 1 else _scaled(np.mean(matches, axis=0), visible, lowest=0.0)


def _scaled(scores: FloatArray, visible: BoolArray, lowest: float | None) -> FloatArray:
    """To 0..1 over the visible units, from `lowest` or from the least of them; all equal and above it are all 1."""
    scaled = np.zeros(len(scores))
    among = slice(None) if visible.all() else visible  # most often nothing is hidden, and nothing need be copied
    held = scores[among]
    if not len(held):
        return scaled
    low = float(held.min()) if lowest is None else lowest
    span = float(held.max()) - low
    all_equal = 1.0 if lowest is None else 0.0
    scaled[among] = np.maximum(held - low, 0.0) / span if span > 0 else all_equal
    return scaled
