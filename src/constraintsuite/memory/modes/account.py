"""A spread told by the walks that brought most: each is one term of the sum that was computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraintsuite.memory.modes.base import IndexArray
from constraintsuite.memory.modes.beam import ArcTransfer, Seeding, reach
from constraintsuite.memory.modes.diffusion import ActivationSpread
from constraintsuite.memory.modes.ground import PresentGraph
from constraintsuite.memory.modes.telling import Account, tell
from constraintsuite.memory.recall import StopReason

_LONGEST = 4  # hops of a walk that is told; longer ones are in the sum too, and bring next to nothing
_BEAM = 256


def account_of(spread: ActivationSpread, ground: PresentGraph, chosen: IndexArray, starts: IndexArray) -> Account:
    """Paths to the chosen units and a trace; a walk goes only over nodes that passed something on in that hop."""
    own = spread.layers[0]
    seeding = Seeding(starts, own[starts], min(_LONGEST, len(spread.layers) - 1), _BEAM)
    reached = reach(ground.arcs, spread.passing, seeding, spread.fired)
    return tell(ground, reached, own, chosen, _Books(ground, spread))


@dataclass(frozen=True)
class _Books:
    ground: PresentGraph
    spread: ActivationSpread

    def transfer(self, walked: ArcTransfer) -> ArcTransfer:
        arc, hop, _, _ = walked
        held = float(self.spread.layers[hop - 1][self.ground.arcs.source[arc]])
        return ArcTransfer(arc, hop, held, held * float(self.spread.passing(np.array([arc]))[0]))

    def stopped(self, seed: int, node: int, hop: int) -> StopReason | None:
        if self.ground.is_end(node):
            return "disallowed_edge_type" if self.ground.barred[node] else None
        if self.spread.layers[hop][node] < self.spread.rule.threshold:
            return "below_threshold"
        return "max_hops" if hop >= self.spread.rule.hops else None
