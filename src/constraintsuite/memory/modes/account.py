"""A spread told by the walks that brought most: each is one term of the sum that was computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraintsuite.memory.modes.base import IntArray
from constraintsuite.memory.modes.beam import Seeding, Transfer, reach
from constraintsuite.memory.modes.diffusion import Spread
from constraintsuite.memory.modes.ground import Ground
from constraintsuite.memory.modes.telling import Account, tell
from constraintsuite.memory.recall import StopReason

_LONGEST = 4  # hops of a walk that is told; longer ones are in the sum too, and bring next to nothing
_BEAM = 256


def account_of(spread: Spread, ground: Ground, chosen: IntArray, starts: IntArray) -> Account:
    """Paths to the chosen units and a trace; a walk goes only over nodes that passed something on in that hop."""
    own = spread.layers[0]
    seeding = Seeding(starts, own[starts], min(_LONGEST, len(spread.layers) - 1), _BEAM)
    reached = reach(ground.arcs, spread.passing, seeding, spread.fired)
    return tell(ground, reached, own, chosen, _Books(ground, spread))


@dataclass(frozen=True)
class _Books:
    ground: Ground
    spread: Spread

    def transfer(self, walked: Transfer) -> Transfer:
        arc, hop, _, _ = walked
        held = float(self.spread.layers[hop - 1][self.ground.arcs.source[arc]])
        return Transfer(arc, hop, held, held * float(self.spread.passing(np.array([arc]))[0]))

    def stopped(self, seed: int, node: int, hop: int) -> StopReason | None:
        if self.ground.is_end(node):
            return "disallowed_edge_type" if self.ground.barred[node] else None
        if self.spread.layers[hop][node] < self.spread.rule.threshold:
            return "below_threshold"
        return "max_hops" if hop >= self.spread.rule.hops else None
