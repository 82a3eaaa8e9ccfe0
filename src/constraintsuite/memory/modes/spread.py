"""Personalised PageRank (`ppr`) and spreading activation. `Activation` walks the graph, one layer per hop:

    layer 0     = start
    layer h + 1 = decay * sum over arcs u -> v of share(u -> v) * fired(layer h, u), times the factor of v
    share       = strength of the arc / strength of all arcs that leave u
    score       = the sum of all layers

A node fires if it holds at least the threshold. Without a threshold, and with layers until nothing is left, the sum is
personalised PageRank times a constant: what is lost at nodes without arcs is the same part of every start.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Self, TypeVar

import numpy as np
from pydantic import Field, field_validator, model_validator

from constraintsuite.memory.graph import BoolArray, FloatArray
from constraintsuite.memory.modes.base import IndexArray, StrengthFactors, best, parts_of, ranked
from constraintsuite.memory.modes.paths import ArcTransfer, SearchExplanation, explain, reach
from constraintsuite.memory.modes.walk import GraphView, WalkMode, WalkSettings, WalkStart
from constraintsuite.memory.results import SearchAnswer, StopReason
from constraintsuite.models.base import ModelFact

TOLERANCE = 1e-6
"""The part of PageRank that may be left when its sum ends."""
_MOST_HOPS = 1_000
_LONGEST_PATH = 4  # hops of a walk that is shown; longer walks are in the sum too, and bring next to nothing
_BEAM = 256
_FEW = 16  # if less than one node in this many fires, taking its rows is cheaper than using the full matrix
_LEAST_SYNONYM = 0.5  # below, all names of one field are alike, and most pairs would be links


class Activation:
    """The activation of every node in every hop, from a start until `hops` are done or at most the tolerance is left."""

    def __init__(
        self,
        view: GraphView,
        start: FloatArray,
        *,
        decay: float,
        hops: int,
        threshold: float = 0.0,
        tolerance: float = 0.0,
        factors: StrengthFactors | None = None,
    ) -> None:
        self.view, self.decay, self.hops, self.threshold, self.factors = view, decay, hops, threshold, factors
        self.layers = [self._multiplied(start)]
        enough = tolerance * float(self.layers[0].sum())
        while len(self.layers) <= hops and float(self.layers[-1].sum()) > enough:
            self.layers.append(self._multiplied(decay * self._pushed(self.layers[-1])))

    def _pushed(self, layer: FloatArray) -> FloatArray:
        """Return what arrives at each node; both ways add in the order of the sources, so they agree to the last digit."""
        nodes = np.flatnonzero(self._fires(layer))
        if len(nodes) * _FEW < len(layer):
            few: FloatArray = layer[nodes] @ self.view.transitions[nodes]
            return few
        pushed: FloatArray = np.where(self._fires(layer), layer, 0.0) @ self.view.transitions
        return pushed

    def _fires(self, layer: FloatArray) -> BoolArray:
        return layer >= self.threshold if self.threshold else layer > 0

    def _multiplied(self, layer: FloatArray) -> FloatArray:
        if self.factors is None:
            return layer
        nodes = np.flatnonzero(layer)
        result = layer.copy()
        result[nodes] *= self.factors(nodes)
        return result

    def total(self) -> FloatArray:
        """Return what each node held in all hops together."""
        total = self.layers[0].copy()
        for layer in self.layers[1:]:
            total += layer
        return total

    def fired(self, hop: int, nodes: IndexArray) -> BoolArray:
        """Say which of some nodes passed on what they held after a number of hops."""
        if hop >= len(self.layers) - 1:
            return np.zeros(len(nodes), dtype=np.bool_)
        return self._fires(self.layers[hop][nodes])

    def passing(self, arcs: IndexArray) -> FloatArray:
        """Return what part of a node's activation each of some arcs brings to its target."""
        part: FloatArray = self.view.transitions.data[arcs] * self.decay
        if self.factors is not None:
            part *= self.factors(self.view.arcs.target[arcs].astype(np.intp))
        return part


class SpreadSettings(WalkSettings):
    """The options of every mode whose walks are summed."""

    background: float = Field(
        0.05, ge=0, le=1, description="starting activation of non-seed units, as a fraction of their match"
    )
    synonyms: float = Field(
        0.0,
        ge=0,
        le=1,
        description="lowest cosine of two names at which entities are joined, such as 0.8; 0 joins none; needs an encoder",
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
        """The least cosine of the names of two entities that are linked; 0 links none."""
        return self.settings.synonyms

    def walk(self, query: str, budget: int, start: WalkStart) -> SearchAnswer:
        """Return the units that held the most activation."""
        view, match, _ = start
        spread, seeds = self.spread(query, start)
        own = spread.layers[0][: len(match)]
        scores = spread.total()[: len(match)]
        chosen = best(scores, budget, scores > 0)
        paths, trace = _explain(spread, chosen, seeds)
        parts = {"match": match, "start": own, "arrived": scores - own} | self.further_parts(spread, chosen)
        named = parts_of(view.graph, chosen, parts)
        return SearchAnswer(query, self.name, ranked(view.graph, chosen, scores), paths, trace, named)

    @abstractmethod
    def spread(self, query: str, start: WalkStart) -> tuple[Activation, IndexArray]:
        """Return what every node held in every hop, and the nodes at which the paths to show begin."""

    def further_parts(self, spread: Activation, chosen: IndexArray) -> dict[str, FloatArray]:
        """Return what else a score is made of."""
        return {}

    def initial(self, start: WalkStart) -> FloatArray:
        """Return what each unit begins with: a seed with its match, any other unit with the background part of it."""
        initial = self.settings.background * start.match
        initial[start.starts] = start.match[start.starts]
        return initial


class PprSettings(SpreadSettings):
    """The options of `ppr`."""

    damping: float = Field(0.5, ge=0, le=0.95, description="probability that a walk continues at each step")
    entities: float = Field(
        0.0,
        ge=0,
        le=1,
        description="share of the walks that start at the entities that the query names, if it names any",
    )


class PprMode(SpreadMode[PprSettings]):
    """A unit's score is how often a walk that restarts at the seeds is found there.

    As in HippoRAG 2 (Gutiérrez et al. 2025), an entity counts less the more units name it, every unit begins with a little
    of its match, and half of a walk continues at each step. Unlike there, walks begin at units only by default: among a
    thousand documents and more, starts at the names in a query did harm (docs/memory-public.md).
    """

    settings_type = PprSettings
    constants: ClassVar[Mapping[str, ModelFact]] = {"tolerance": TOLERANCE}

    def spread(self, query: str, start: WalkStart) -> tuple[Activation, IndexArray]:
        """Compute PageRank with restarts at the best matches and, where asked, at the entities that the query names."""
        named = self.memory.entity_numbers(query, start.view.named).astype(np.intp)
        restart = self._restart(start, named)
        damping = self.settings.damping
        spread = Activation(start.view, (1 - damping) * restart, decay=damping, hops=_MOST_HOPS, tolerance=TOLERANCE)
        return spread, np.concatenate([start.starts, named[restart[named] > 0]])

    def _restart(self, start: WalkStart, named: IndexArray) -> FloatArray:
        """Return where walks begin: a distribution over units and entities; all zero where nothing matches."""
        units = self.initial(start)
        entities = np.zeros(len(start.view.graph.entities))
        inside = named - len(units)
        entities[inside] = start.view.rarity[inside]
        part = self.settings.entities if len(named) and units.any() else float(len(named) > 0)
        return np.concatenate([(1 - part) * _distribution(units), part * _distribution(entities)])


class ActivationSettings(SpreadSettings):
    """The options of `activation_spreading_static`."""

    decay: float = Field(0.75, gt=0, lt=1, description="share of its activation that a node passes on")
    threshold: float = Field(
        0.05, ge=0, le=1, description="activation that a node needs to pass anything on; the best seed has 1"
    )
    hops: int = Field(3, ge=0, le=20, description="maximum number of hops; going through an entity counts as two")


class DynamicActivationSettings(ActivationSettings):
    """The options of the dynamic variant."""

    boost: float = Field(0.25, ge=0, le=10, description="relative boost of what arrives at a unit, at full strength")

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
        """The relative boost of what arrives at a unit, at full strength."""
        return self.settings.boost if isinstance(self.settings, DynamicActivationSettings) else 0.0

    def spread(self, query: str, start: WalkStart) -> tuple[Activation, IndexArray]:
        """Spread activation that begins at the units only; entities begin with nothing."""
        settings = self.settings
        initial = np.zeros(start.view.graph.size)
        initial[: len(start.match)] = self.initial(start)
        spread = Activation(
            start.view,
            initial,
            decay=settings.decay,
            hops=settings.hops,
            threshold=settings.threshold,
            factors=self.context.strength_factors(self.boost),
        )
        return spread, start.starts

    def further_parts(self, spread: Activation, chosen: IndexArray) -> dict[str, FloatArray]:
        """Return the factor of each unit's strength, where strengths count."""
        if not self.boost:
            return {}
        units = len(spread.view.graph.units)
        return {"factor": spread.factors.over(chosen) if spread.factors else np.ones(units)}


class ActivationMode(ActivationStaticMode):
    """`activation_spreading_v1`, also called `activation_spreading_dynamic`; without a state it is the static one."""

    settings_type = DynamicActivationSettings


def _distribution(weights: FloatArray) -> FloatArray:
    total = weights.sum()
    return weights / total if total > 0 else weights


def _explain(spread: Activation, chosen: IndexArray, seeds: IndexArray) -> SearchExplanation:
    """Return paths and a trace of the walks that brought most; each walk is one term of the sum that was computed."""
    view = spread.view

    def transfer(walked: ArcTransfer) -> ArcTransfer:
        held = float(spread.layers[walked.hop - 1][view.arcs.source[walked.arc]])
        return walked._replace(held=held, passed=held * float(spread.passing(np.array([walked.arc]))[0]))

    def stopped(_seed: int, node: int, hop: int) -> StopReason | None:
        if spread.layers[hop][node] < spread.threshold:
            return "below_threshold"
        return "max_hops" if hop >= spread.hops else None

    own = spread.layers[0]
    hops = min(_LONGEST_PATH, len(spread.layers) - 1)
    reached = reach(view.arcs, spread.passing, seeds, own[seeds], hops=hops, beam=_BEAM, continues=spread.fired)
    return explain(view, reached, own, chosen, stopped, transfer)
