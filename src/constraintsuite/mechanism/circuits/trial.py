"""How fast this machine runs circuits, from a second of doing so."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from constraintsuite.execution.shards import keyed_random
from constraintsuite.mechanism.circuits.course import Call
from constraintsuite.mechanism.circuits.running import CircuitRunner, lots
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.explain.trial import done_a_second

_CIRCUITS = 8


def passes_a_second(
    bench: CircuitRunner, contrasts: Sequence[TokenContrast], seed: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Forward passes of one row in a second, of random circuits on contrasts of middle length."""
    chance = keyed_random(seed, "circuits", "trial")
    every = lots(contrasts)
    some = [contrasts[i] for i in every[len(every) // 2]]
    circuits = [frozenset(chance.sample(bench.sites, len(bench.sites) // 2)) for _ in range(_CIRCUITS)]
    call = Call(len(set(circuits)), len(some))

    def run() -> int:
        bench.margins(circuits, some)
        return call.passes

    return done_a_second(run, clock)
