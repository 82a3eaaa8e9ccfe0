"""Modes whose walks are summed: personalised PageRank (`ppr`), and activation that spreads for a few hops."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Self, TypeVar

import numpy as np
from pydantic import Field, field_validator, model_validator

from constraintsuite.memory.graph import FloatArray
from constraintsuite.memory.modes.base import IndexArray, best, parts_of, ranked
from constraintsuite.memory.modes.beam import ArcTransfer, reach
from constraintsuite.memory.modes.diffusion import ActivationSpread, SpreadRule
from constraintsuite.memory.modes.explanation import SearchExplanation, explain
from constraintsuite.memory.modes.graph_view import GraphView
from constraintsuite.memory.modes.visibility import factors_of, factors_over
from constraintsuite.memory.modes.walk import WalkMode, WalkSettings, WalkStart
from constraintsuite.memory.results import SearchAnswer, StopReason
from constraintsuite.models.base import ModelFact

TOLERANCE = 1e-6
"""The part of PageRank that may be left when its sum is broken off."""
_MOST_HOPS = 1_000
_LONGEST_PATH = 4  # hops of a walk that is shown; longer ones are in the sum too, and bring next to nothing
_BEAM = 256
_LEAST_SYNONYM = 0.5  # below, names of one field are all alike, and most of what is compared would have to be kept


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
    def _is_high_enough(cls, value: float) -> float:
        if 0 < value < _LEAST_SYNONYM:
            raise ValueError(f"must be 0, or {_LEAST_SYNONYM} and more")
        return value


P = TypeVar("P", bound=SpreadSettings)


class SpreadMode(WalkMode[P]):
    """A unit's score is all the activation that it held, summed over the hops."""

    @property
    def synonyms(self) -> float:
        """From which cosine on names of entities are joined; 0 joins none."""
        return self.settings.synonyms

    def walk(self, query: str, budget: int, start: WalkStart) -> SearchAnswer:
        """The units that held the most activation."""
        view, match, _ = start
        spread, seeds = self.spread(query, start)
        own = spread.layers[0][: len(match)]
        scores = spread.total()[: len(match)]
        chosen = best(scores, budget, scores > 0)
        paths, trace = _explain(spread, view, chosen, seeds)
        parts = {"match": match, "start": own, "arrived": scores - own} | self.further_parts(spread, chosen, len(match))
        named = parts_of(view.graph, chosen, parts)
        return SearchAnswer(query, self.name, ranked(view.graph, chosen, scores), paths, trace, named)

    @abstractmethod
    def spread(self, query: str, start: WalkStart) -> tuple[ActivationSpread, IndexArray]:
        """What every node held in every hop, and the nodes at which the paths to be shown begin."""

    def further_parts(self, spread: ActivationSpread, chosen: IndexArray, units: int) -> dict[str, FloatArray]:
        """What else a score is made of."""
        return {}

    def initial(self, start: WalkStart) -> FloatArray:
        """What each unit begins with: a seed its match, any other unit the background part of it."""
        initial = self.settings.background * start.match
        initial[start.starts] = start.match[start.starts]
        return initial


class PprSettings(SpreadSettings):
    """The options of `ppr`."""

    damping: float = Field(0.5, ge=0, le=0.95, description="how likely a walk goes on at each step")
    entities: float = Field(
        0.0,
        ge=0,
        le=1,
        description="what part of the walks begins at the entities that the query names, if it names any",
    )


class PprMode(SpreadMode[PprSettings]):
    """A unit's score is how often a walk that restarts at the seeds is found there.

    As in HippoRAG 2 (Gutiérrez et al. 2025), an entity counts the less the more units name it, every unit begins with a
    little of its match, and half of a walk goes on at each step. Unlike there, walks begin at units alone by default: among
    a thousand documents and more, starts at the names in a query did harm (docs/memory-public.md).
    """

    settings_type = PprSettings
    constants: ClassVar[Mapping[str, ModelFact]] = {"tolerance": TOLERANCE}

    def spread(self, query: str, start: WalkStart) -> tuple[ActivationSpread, IndexArray]:
        """PageRank whose walks restart at the best matches and, where asked, at the entities that the query names."""
        named = self.memory.entity_numbers(query, start.view.named).astype(np.intp)
        restart = self._restart(start, named)
        rule = SpreadRule(self.settings.damping, _MOST_HOPS, tolerance=TOLERANCE)
        spread = start.view.network.spread((1 - self.settings.damping) * restart, rule)
        return spread, np.concatenate([start.starts, named[restart[named] > 0]])

    def _restart(self, start: WalkStart, named: IndexArray) -> FloatArray:
        """Where walks begin: a distribution over units and entities; all zero where nothing matches."""
        units = self.initial(start)
        entities = np.zeros(len(start.view.graph.entities))
        inside = named - len(units)
        entities[inside] = start.view.rarity[inside]
        part = self.settings.entities if len(named) and units.any() else float(len(named) > 0)
        return np.concatenate([(1 - part) * _distribution(units), part * _distribution(entities)])


class ActivationSettings(SpreadSettings):
    """The options of `activation_spreading_static`."""

    decay: float = Field(0.75, gt=0, lt=1, description="what part of its activation a node passes on")
    threshold: float = Field(
        0.05, ge=0, le=1, description="what a node must hold to pass anything on; the best seed holds 1"
    )
    hops: int = Field(3, ge=0, le=20, description="how far activation goes; over an entity it is two")


class DynamicActivationSettings(ActivationSettings):
    """The options of the dynamic variant."""

    boost: float = Field(0.25, ge=0, le=10, description="what part of all that arrives at a unit a full strength adds")

    @model_validator(mode="after")
    def _fades(self) -> Self:
        if self.decay * (1 + self.boost) >= 1:
            raise ValueError("decay * (1 + boost) must be below 1, or activation would grow on its way")
        return self


class ActivationStaticMode(SpreadMode[ActivationSettings]):
    """`activation_spreading_static`: activation from all seeds at once, shared by degree; strengths do not count."""

    settings_type: type[ActivationSettings] = ActivationSettings

    @property
    def boost(self) -> float:
        """What a full strength adds to all that arrives at a unit."""
        return self.settings.boost if isinstance(self.settings, DynamicActivationSettings) else 0.0

    def spread(self, query: str, start: WalkStart) -> tuple[ActivationSpread, IndexArray]:
        """Activation that begins at the units alone; entities begin with nothing."""
        settings = self.settings
        initial = np.zeros(start.view.graph.size)
        initial[: len(start.match)] = self.initial(start)
        factors = factors_of(self.context, self.boost)
        rule = SpreadRule(settings.decay, settings.hops, settings.threshold, factors=factors)
        return start.view.network.spread(initial, rule), start.starts

    def further_parts(self, spread: ActivationSpread, chosen: IndexArray, units: int) -> dict[str, FloatArray]:
        """The factor of its strength, where strengths count."""
        return {"factor": factors_over(chosen, spread.rule.factors, units)} if self.boost else {}


class ActivationMode(ActivationStaticMode):
    """`activation_spreading_v1`, also called `activation_spreading_dynamic`; without a state it is the static one."""

    settings_type = DynamicActivationSettings


def _distribution(weights: FloatArray) -> FloatArray:
    total = weights.sum()
    return weights / total if total > 0 else weights


def _explain(spread: ActivationSpread, view: GraphView, chosen: IndexArray, seeds: IndexArray) -> SearchExplanation:
    """Paths and a trace of the walks that brought most, each of them one term of the sum that was computed."""

    def transfer(walked: ArcTransfer) -> ArcTransfer:
        held = float(spread.layers[walked.hop - 1][view.arcs.source[walked.arc]])
        return walked._replace(held=held, passed=held * float(spread.passing(np.array([walked.arc]))[0]))

    def stopped(_seed: int, node: int, hop: int) -> StopReason | None:
        if spread.layers[hop][node] < spread.rule.threshold:
            return "below_threshold"
        return "max_hops" if hop >= spread.rule.hops else None

    own = spread.layers[0]
    hops = min(_LONGEST_PATH, len(spread.layers) - 1)
    reached = reach(view.arcs, spread.passing, seeds, own[seeds], hops=hops, beam=_BEAM, goes_on=spread.fired)
    return explain(view, reached, own, chosen, stopped, transfer)
