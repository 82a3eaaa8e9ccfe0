"""Activation that spreads in layers: each node shares what it holds among its neighbours, and what arrives is summed.

    layer 0     = start
    layer h + 1 = decay * sum over arcs u -> v of share(u -> v) * fired(layer h, u), times the factor of v
    share       = strength of the arc / strength of all arcs that leave u

A node fires when it holds at least the threshold. Without one, and with layers until nothing is left, the sum of all layers
is personalised PageRank times a constant: what is lost at nodes without arcs is the same part of every start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.memory.graph import BoolArray, FloatArray
from constraintsuite.memory.modes.arcs import Arcs
from constraintsuite.memory.modes.base import IndexArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # type: ignore[import-untyped,unused-ignore]

_FEW = 16  # below one arc in so many, walking them one by one is cheaper than the whole matrix


class Network:
    """The arcs of a graph with their shares, ready to be spread over."""

    def __init__(self, arcs: Arcs) -> None:
        self.arcs = arcs
        nodes = len(arcs.first) - 1
        leaving = np.bincount(arcs.source, arcs.strength, minlength=nodes)
        self.share: FloatArray = arcs.strength / leaving[arcs.source]
        self._push = _matrix(self.share[arcs.into], arcs.source[arcs.into], arcs.into_first)

    def spread(self, start: FloatArray, rule: SpreadRule) -> ActivationSpread:
        """All layers, until `hops` are done or no more than the tolerance is left."""
        layers = [rule.multiplied(start)]
        enough = rule.tolerance * float(layers[0].sum())
        while len(layers) <= rule.hops and float(layers[-1].sum()) > enough:
            layers.append(rule.multiplied(rule.decay * self._pushed(layers[-1], rule.fires(layers[-1]))))
        return ActivationSpread(self, rule, layers)

    def _pushed(self, held: FloatArray, fires: BoolArray) -> FloatArray:
        """What arrives at each node; both ways add up in the order of the sources, so they agree to the last digit."""
        if int(np.count_nonzero(fires)) * _FEW <= len(self.share):
            nodes = np.flatnonzero(fires)
            if int(self.arcs.fan(nodes).sum()) * _FEW <= len(self.share):
                arc, which = self.arcs.leaving(nodes)
                passed = self.share[arc] * held[nodes][which]
                return np.bincount(self.arcs.target[arc], passed, minlength=len(held)).astype(np.float64, copy=False)
        pushed: FloatArray = self._push @ np.where(fires, held, 0.0)
        return pushed


@dataclass(frozen=True)
class SpreadRule:
    """How activation spreads: what is lost per hop, how far it goes, and which nodes pass it on."""

    decay: float
    hops: int
    threshold: float = 0.0
    tolerance: float = 0.0
    factors: Callable[[IndexArray], FloatArray] | None = None
    """What is multiplied at some nodes; without it, nothing is."""

    def fires(self, held: FloatArray) -> BoolArray:
        """Which nodes pass on what they hold."""
        return held >= self.threshold if self.threshold else held > 0

    def multiplied(self, held: FloatArray) -> FloatArray:
        """What arrived, times the factors of where it did."""
        if self.factors is None:
            return held
        nodes = np.flatnonzero(held)
        result = held.copy()
        result[nodes] *= self.factors(nodes)
        return result


@dataclass(frozen=True)
class ActivationSpread:
    """What every node held in every hop."""

    network: Network
    rule: SpreadRule
    layers: list[FloatArray]

    def total(self) -> FloatArray:
        """What each node held in all hops together."""
        total = self.layers[0].copy()
        for layer in self.layers[1:]:
            total += layer
        return total

    def fired(self, hop: int, nodes: IndexArray) -> BoolArray:
        """Which of some nodes passed on what they held after so many hops."""
        if hop >= len(self.layers) - 1:
            return np.zeros(len(nodes), dtype=np.bool_)
        return self.rule.fires(self.layers[hop][nodes])

    def passing(self, arcs: IndexArray) -> FloatArray:
        """What part of a node's activation some arcs bring to their targets."""
        let: FloatArray = self.network.share[arcs] * self.rule.decay
        if self.rule.factors is not None:
            let *= self.rule.factors(self.network.arcs.target[arcs].astype(np.intp))
        return let


def _matrix(values: FloatArray, columns: np.ndarray, first: np.ndarray) -> csr_array:
    try:
        from scipy.sparse import csr_array  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("memory", "Walking the graph of a memory") from None
    size = len(first) - 1
    # As wide as the columns, where they suffice: scipy would widen those instead, and take an eighth longer.
    narrow = first.astype(columns.dtype) if len(values) <= np.iinfo(columns.dtype).max else first
    return csr_array((values, columns, narrow), shape=(size, size))
