"""How every search that walks begins: the graph of the moment, how well each unit matches, and where walks start."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field, field_validator

from constraintsuite.memory.modes.arcs import ArcSettings
from constraintsuite.memory.modes.base import FloatArray, IndexArray, ModeContext
from constraintsuite.memory.modes.ground import PresentGraph, PresentGraphCache, Walking
from constraintsuite.memory.modes.ranking import best
from constraintsuite.memory.modes.relevance import SeedSettings, relevance

_LEAST_ALIKE = 0.5  # below, names of one field are all alike, and most of what is compared would have to be kept


class WalkSettings(SeedSettings, ArcSettings):
    """The options of every mode that walks."""


class SpreadSettings(WalkSettings):
    """The options of every mode whose walks are summed."""

    background: float = Field(
        0.05, ge=0, le=1, description="what part of its match every unit that is no seed begins with"
    )
    synonyms: float = Field(
        0.0,
        ge=0,
        le=1,
        description="from which cosine of their names on entities are joined, such as 0.8; 0 joins none; needs an encoder",
    )

    @field_validator("synonyms")
    @classmethod
    def _is_telling(cls, value: float) -> float:
        if 0 < value < _LEAST_ALIKE:
            raise ValueError(f"must be 0, or {_LEAST_ALIKE} and more")
        return value


class Opening(NamedTuple):
    """What is known before the first step."""

    ground: PresentGraph
    match: FloatArray  # (units,)
    starts: IndexArray
    """The best matches, best first."""

    def begun(self, background: float) -> FloatArray:
        """What each unit begins with: a start its match, any other a part of it."""
        begun = background * self.match
        begun[self.starts] = self.match[self.starts]
        return begun


class Openings:
    """Begins searches over a place."""

    def __init__(
        self, place: ModeContext, settings: WalkSettings, *, weighted: bool = True, synonyms: float = 0.0
    ) -> None:
        self._memory, self._settings = place.memory, settings
        self._grounds = PresentGraphCache(place, Walking(settings, weighted, synonyms))

    def begin(self, query: str) -> Opening | None:
        """Where a search begins; None for an empty query."""
        if not query.strip():
            return None
        ground = self._grounds.now()
        match = relevance(self._memory, query, self._settings.seeds, ground.visible)
        return Opening(ground, match, best(match, self._settings.starts, match > 0))
