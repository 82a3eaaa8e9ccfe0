"""The best walk from each seed to each node within reach: what the seed holds, times what each arc lets through.

An arc lets less than all through, so the best walk never visits a node twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.memory.graph import BoolArray, FloatArray
from constraintsuite.memory.modes.arcs import Arcs
from constraintsuite.memory.modes.base import IndexArray

ArcShares = Callable[[IndexArray], FloatArray]
"""What part of a value some arcs let through."""
GoesOn = Callable[[int, IndexArray], BoolArray]
"""After so many hops, from which of some nodes a walk goes on."""


class ArcTransfer(NamedTuple):
    """What went over one arc in one hop."""

    arc: int
    hop: int
    held: float
    """What the source had."""
    passed: float
    """What of it arrived."""


class Gains(NamedTuple):
    """What got better in one hop: pairs of a seed and a node, each as one number, sorted."""

    pairs: IndexArray
    arcs: IndexArray
    values: FloatArray


@dataclass
class _Best:
    """The best that has come to each pair so far; pairs that nothing came to are not there, however many nodes there are."""

    pairs: IndexArray
    """Sorted."""
    values: FloatArray
    hops: npt.NDArray[np.int16]
    """In which hop that value came; 0 for a start."""
    arcs: IndexArray
    """Over which arc; -1 for a start."""
    cut: BoolArray
    """Left out of the beam when it was their turn."""

    def find(self, pairs: IndexArray) -> tuple[IndexArray, BoolArray]:
        """Where some pairs stand, and which of them do."""
        places = np.minimum(np.searchsorted(self.pairs, pairs), len(self.pairs) - 1)
        return places, self.pairs[places] == pairs

    def value(self, pairs: IndexArray) -> FloatArray:
        """The best value of each of some pairs; 0 where nothing has come."""
        places, known = self.find(pairs)
        return np.where(known, self.values[places], 0.0)

    def take(self, gains: Gains, hop: int) -> None:
        """Put what was gained in the place of what was there."""
        places, known = self.find(gains.pairs)
        old, new = places[known], ~known
        self.values[old], self.arcs[old], self.hops[old] = gains.values[known], gains.arcs[known], hop
        count = int(new.sum())
        order = np.argsort(np.concatenate([self.pairs, gains.pairs[new]]), kind="stable")
        self.pairs = np.concatenate([self.pairs, gains.pairs[new]])[order]
        self.values = np.concatenate([self.values, gains.values[new]])[order]
        self.arcs = np.concatenate([self.arcs, gains.arcs[new]])[order]
        self.hops = np.concatenate([self.hops, np.full(count, hop, dtype=np.int16)])[order]
        self.cut = np.concatenate([self.cut, np.zeros(count, dtype=np.bool_)])[order]


@dataclass(frozen=True)
class SeedReach:
    """What came from each seed to each node, and how."""

    arcs: Arcs
    starts: IndexArray
    best: _Best
    gains: list[Gains]

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.arcs.first) - 1

    def arrived(self) -> FloatArray:
        """Of each node the most that came to it from any one seed; nothing comes to a seed from itself."""
        arrived = np.zeros(self.size)
        came = self.best.hops > 0
        np.maximum.at(arrived, self.best.pairs[came] % self.size, self.best.values[came])
        return arrived

    def last_arcs(self) -> IndexArray:
        """The arc over which the most came, of each node that something came to; of equal ones the first seed's."""
        came = np.flatnonzero(self.best.hops > 0)
        seed, node = np.divmod(self.best.pairs[came], self.size)
        order = np.lexsort((seed, -self.best.values[came], node))
        _, first = np.unique(node[order], return_index=True)
        return self.best.arcs[came[order[first]]]

    def was_cut(self, seed: int, node: int) -> bool:
        """Whether a node that was reached from a seed was left out of the beam."""
        places, known = self.best.find(np.array([seed * self.size + node]))
        return bool(known[0] and self.best.cut[places[0]])

    def walk_to(self, node: int) -> tuple[int, list[ArcTransfer]]:
        """The seed from which the most came to a node, and the way it came; no way if nothing did."""
        places, known = self.best.find(np.arange(len(self.starts)) * self.size + node)
        came = known & (self.best.hops[places] > 0)
        if not came.any():
            return 0, []
        seed = int(np.where(came, self.best.values[places], 0.0).argmax())
        return seed, self._walk(seed, node, int(self.best.hops[places[seed]]))

    def _walk(self, seed: int, node: int, hops: int) -> list[ArcTransfer]:
        walk: list[ArcTransfer] = []
        for hop in range(hops, 0, -1):
            gains = self.gains[hop - 1]
            place = int(np.searchsorted(gains.pairs, seed * self.size + node))
            arc = int(gains.arcs[place])
            node = int(self.arcs.source[arc])
            walk.append(ArcTransfer(arc, hop, self._held(seed, node, hop - 1), float(gains.values[place])))
        return walk[::-1]

    def _held(self, seed: int, node: int, hop: int) -> float:
        pair = seed * self.size + node
        if hop == 0:
            return float(self.best.value(np.array([pair]))[0])
        gains = self.gains[hop - 1]
        return float(gains.values[np.searchsorted(gains.pairs, pair)])


def reach(
    arcs: Arcs,
    passing: ArcShares,
    starts: IndexArray,
    held: FloatArray,
    *,
    hops: int,
    beam: int,
    goes_on: GoesOn | None = None,
) -> SeedReach:
    """Walk from each start hop by hop; what it holds at the beginning is `held`.

    At each hop the best `beam` pairs of a seed and a node go on; `goes_on` says from which nodes a walk may.
    """
    size = len(arcs.first) - 1
    pairs, values = np.arange(len(starts)) * size + starts, held
    best = _Best(
        pairs,
        held.copy(),
        np.zeros(len(starts), dtype=np.int16),
        np.full(len(starts), -1, dtype=np.intp),
        np.zeros(len(starts), dtype=np.bool_),
    )
    done = SeedReach(arcs, starts, best, [])
    for hop in range(1, hops + 1):
        if goes_on is not None:
            going = goes_on(hop - 1, pairs % size)
            pairs, values = pairs[going], values[going]
        order = np.argsort(-values, kind="stable")
        kept, left = np.sort(order[:beam]), order[beam:]
        best.cut[best.find(pairs[kept])[0]] = False
        best.cut[best.find(pairs[left])[0]] = True
        gains = _gains(arcs, passing, pairs[kept], values[kept], best)
        if not len(gains.pairs):
            break
        done.gains.append(gains)
        best.take(gains, hop)
        pairs, values = gains.pairs, gains.values
    return done


def _gains(arcs: Arcs, passing: ArcShares, pairs: IndexArray, values: FloatArray, best: _Best) -> Gains:
    """The best offer to each pair of a seed and a node that is better than what it has; of equal ones the first arc."""
    nodes = pairs % (len(arcs.first) - 1)
    arc, which = arcs.leaving(nodes)
    offer = values[which] * passing(arc)
    pair = (pairs - nodes)[which] + arcs.target[arc]
    # Pairs are sorted and so are arcs: of the offers to one pair, the first arc's comes first, and a stable sort keeps that.
    order = np.argsort(pair, kind="stable")
    pair, arc, offer = pair[order], arc[order], offer[order]
    begin = np.flatnonzero(np.diff(pair, prepend=-1))
    most = np.maximum.reduceat(offer, begin) if len(begin) else offer
    highest = np.flatnonzero(offer == np.repeat(most, np.diff(begin, append=len(pair))))
    chosen = highest[np.searchsorted(highest, begin)]
    better = offer[chosen] > best.value(pair[chosen])
    return Gains(pair[chosen][better], arc[chosen][better], offer[chosen][better])
