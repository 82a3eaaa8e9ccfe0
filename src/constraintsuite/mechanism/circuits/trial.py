"""How fast this machine runs circuits, from a second of doing so."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from constraintsuite.execution.shards import keyed_random
from constraintsuite.mechanism.circuits.course import Call
from constraintsuite.mechanism.circuits.running import Bench, lots
from constraintsuite.mechanism.contrasts.tokens import TokenContrast

SECONDS = 1.0
_CIRCUITS = 8


def passes_a_second(
    bench: Bench, contrasts: Sequence[TokenContrast], seed: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Forward passes of one row in a second, of random circuits on contrasts of middle length."""
    chance = keyed_random(seed, "circuits", "trial")
    every = lots(contrasts)
    some = [contrasts[i] for i in every[len(every) // 2]]
    circuits = [frozenset(chance.sample(bench.sites, len(bench.sites) // 2)) for _ in range(_CIRCUITS)]
    call = Call(len(set(circuits)), len(some))
    bench.margins(circuits, some)  # the first time takes longer than all others
    start, done = clock(), 0
    while not done or clock() - start < SECONDS:
        bench.margins(circuits, some)
        done += call.passes
    return done / (clock() - start)
