"""The best walk from each seed to each node within reach: what the seed holds, times what each arc lets through.

An arc lets less than all through, so the best walk never visits a node twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.memory.modes.arcs import Arcs
from constraintsuite.memory.modes.base import BoolArray, FloatArray, IntArray

Passing = Callable[[IntArray], FloatArray]
"""What part of a value some arcs let through."""


class Transfer(NamedTuple):
    """What went over one arc in one hop."""

    arc: int
    hop: int
    held: float
    """What the source had."""
    passed: float
    """What of it arrived."""


class Gains(NamedTuple):
    """What got better in one hop: pairs of a seed and a node, each as one number, sorted."""

    pairs: IntArray
    arcs: IntArray
    values: FloatArray


class _Pairs(NamedTuple):
    seed: IntArray
    node: IntArray
    value: FloatArray


@dataclass(frozen=True)
class Reach:
    """What came from each seed to each node, and how."""

    arcs: Arcs
    starts: IntArray
    values: FloatArray  # (seeds, nodes)
    hops: npt.NDArray[np.int16]  # (seeds, nodes) in which hop that value came; 0 where none did
    gains: list[Gains]
    cut: BoolArray  # (seeds, nodes) left out of the beam when it was their turn

    @cached_property
    def foreign(self) -> FloatArray:
        """What came to each node from each seed, (seeds, nodes); nothing comes to a seed from itself."""
        foreign: FloatArray = np.where(self.hops > 0, self.values, 0.0)
        return foreign

    def last_arcs(self) -> IntArray:
        """Of each node the arc over which the most came, from whatever seed; -1 where nothing did."""
        seeds, nodes = self.values.shape
        last = np.full(seeds * nodes, -1, dtype=np.intp)
        for gains in self.gains:
            last[gains.pairs] = gains.arcs
        best: IntArray = last.reshape(seeds, nodes)[self.foreign.argmax(axis=0), np.arange(nodes)]
        return best

    def walk_to(self, node: int) -> tuple[int, list[Transfer]]:
        """The seed from which the most came to a node, and the way it came; no way if nothing did."""
        if not len(self.starts):
            return 0, []
        seed = int(np.where(self.hops[:, node] > 0, self.values[:, node], 0.0).argmax())
        return seed, self._walk(seed, node)

    def _walk(self, seed: int, node: int) -> list[Transfer]:
        walk: list[Transfer] = []
        for hop in range(int(self.hops[seed, node]), 0, -1):
            gains = self.gains[hop - 1]
            place = int(np.searchsorted(gains.pairs, seed * self.values.shape[1] + node))
            arc = int(gains.arcs[place])
            node = int(self.arcs.source[arc])
            walk.append(Transfer(arc, hop, self._held(seed, node, hop - 1), float(gains.values[place])))
        return walk[::-1]

    def _held(self, seed: int, node: int, hop: int) -> float:
        if hop == 0:
            return float(self.values[seed, self.starts[seed]])
        gains = self.gains[hop - 1]
        return float(gains.values[np.searchsorted(gains.pairs, seed * self.values.shape[1] + node)])


class Seeding(NamedTuple):
    """Where walks begin, and how far they go."""

    starts: IntArray
    held: FloatArray
    hops: int
    beam: int
    """How many pairs of a seed and a node go on at each hop."""


def reach(arcs: Arcs, passing: Passing, seeding: Seeding, open_at: Callable[[int], BoolArray] | None = None) -> Reach:
    """From each start hop by hop; `open_at` says from which nodes a walk may go on after so many hops."""
    starts, held, hops, beam = seeding
    nodes = len(arcs.first) - 1
    values = np.zeros((len(starts), nodes))
    seeds = np.arange(len(starts))
    values[seeds, starts] = held
    done = Reach(
        arcs, starts, values, np.zeros(values.shape, dtype=np.int16), [], np.zeros(values.shape, dtype=np.bool_)
    )
    front = _Pairs(seeds, starts, held)
    for hop in range(1, hops + 1):
        if open_at is not None:
            front = _among(front, open_at(hop - 1)[front.node])
        front = _kept(front, beam, done.cut)
        gains = _gains(arcs, passing, front, values)
        if not len(gains.pairs):
            break
        done.gains.append(gains)
        seed, node = np.divmod(gains.pairs, nodes)
        values[seed, node] = gains.values
        done.hops[seed, node] = hop
        front = _Pairs(seed, node, gains.values)
    return done


def _among(front: _Pairs, wanted: BoolArray) -> _Pairs:
    return _Pairs(front.seed[wanted], front.node[wanted], front.value[wanted])


def _kept(front: _Pairs, beam: int, cut: BoolArray) -> _Pairs:
    order = np.argsort(-front.value, kind="stable")
    kept, left = np.sort(order[:beam]), order[beam:]
    cut[front.seed[kept], front.node[kept]] = False
    cut[front.seed[left], front.node[left]] = True
    return _Pairs(front.seed[kept], front.node[kept], front.value[kept])


def _gains(arcs: Arcs, passing: Passing, front: _Pairs, values: FloatArray) -> Gains:
    """The best offer to each pair of a seed and a node that is better than what it has; of equal ones the first arc."""
    arc, which = arcs.leaving(front.node)
    offer = front.value[which] * passing(arc)
    seed, node = front.seed[which], arcs.target[arc]
    better = offer > values[seed, node]
    pair = (seed * values.shape[1] + node)[better]
    arc, offer = arc[better], offer[better]
    order = np.lexsort((arc, -offer, pair))
    pairs, first = np.unique(pair[order], return_index=True)
    return Gains(pairs, arc[order][first], offer[order][first])
