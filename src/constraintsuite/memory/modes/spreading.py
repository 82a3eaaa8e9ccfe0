"""activation_spreading_v1: activation from all seeds at once, shared by degree, summed over a few hops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from constraintsuite.memory.modes.account import account_of
from constraintsuite.memory.modes.base import DescribedMode, FloatArray, ModeContext
from constraintsuite.memory.modes.diffusion import SpreadRule
from constraintsuite.memory.modes.naming import options_of
from constraintsuite.memory.modes.opening import Opening, Openings, SpreadSettings
from constraintsuite.memory.modes.presence import MemoryPresence, factors_over
from constraintsuite.memory.modes.ranking import best, parts_of, ranked
from constraintsuite.memory.recall import SearchAnswer
from constraintsuite.models.base import ModelFact
from constraintsuite.models.naming import ModelName


class StaticSpreadingSettings(SpreadSettings):
    """The options of `activation_spreading_static`."""

    decay: float = Field(0.75, gt=0, lt=1, description="what part of its activation a node passes on")
    threshold: float = Field(
        0.05, ge=0, le=1, description="what a node must hold to pass anything on; the best seed holds 1"
    )
    hops: int = Field(3, ge=0, le=20, description="how far activation goes; over an entity it is two")


class SpreadingSettings(StaticSpreadingSettings):
    """The options of the dynamic variant."""

    boost: float = Field(0.25, ge=0, le=10, description="what part of all that arrives at a unit a full strength adds")

    @model_validator(mode="after")
    def _fades(self) -> Self:
        if self.decay * (1 + self.boost) >= 1:
            raise ValueError("decay * (1 + boost) must be below 1, or activation would grow on its way")
        return self


def make_spreading(name: ModelName, place: ModeContext) -> DescribedMode:
    """`activation_spreading_v1`, also called `activation_spreading_dynamic`; without a state it is the static one."""
    settings = options_of(name, SpreadingSettings)
    return SpreadingMode(name, settings, place, settings.boost)


def make_spreading_static(name: ModelName, place: ModeContext) -> DescribedMode:
    """`activation_spreading_static`: strengths do not count."""
    return SpreadingMode(name, options_of(name, StaticSpreadingSettings), place, 0.0)


class SpreadingMode:
    """A unit's score is all the activation that it held, hop by hop."""

    def __init__(self, name: ModelName, settings: StaticSpreadingSettings, place: ModeContext, boost: float) -> None:
        self.name = str(name)
        self._mode = name.family
        self._settings, self._boost = settings, boost
        self._presence = MemoryPresence(place)
        self._openings = Openings(place, settings, synonyms=settings.synonyms)

    def search(self, query: str, budget: int) -> SearchAnswer:
        """The most activated units."""
        opening, settings = self._openings.begin(query), self._settings
        if opening is None:
            return SearchAnswer(query, self.name, ())
        ground, match, starts = opening
        factors = self._presence.factors(self._boost)
        rule = SpreadRule(settings.decay, settings.hops, settings.threshold, factors=factors)
        spread = ground.network.spread(_start(opening, settings.background), rule)
        scores = spread.total()[: len(match)]
        chosen = best(scores, budget, scores > 0)
        account = account_of(spread, ground, chosen, starts)
        parts = {"match": match, "start": spread.layers[0], "arrived": scores - spread.layers[0][: len(match)]}
        parts |= {"factor": factors_over(chosen, factors, len(match))} if self._boost else {}
        named = parts_of(ground.graph, chosen, parts)
        return SearchAnswer(query, self.name, ranked(ground.graph, chosen, scores), *account, named)

    def describe(self) -> Mapping[str, ModelFact]:
        """Its options."""
        return {"mode": self._mode, **self._settings.model_dump()}


def _start(opening: Opening, background: float) -> FloatArray:
    """Over all nodes: entities begin with nothing."""
    start = np.zeros(opening.ground.graph.size)
    start[: len(opening.match)] = opening.begun(background)
    return start
