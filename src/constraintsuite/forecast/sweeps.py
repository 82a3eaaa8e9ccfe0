"""Full collections of Python's memory: what they take depends on what the process holds, not on the step they fall into."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from constraintsuite.forecast.clock import Spent, now

_FULL = 2


@dataclass
class Sweeps:
    """Seconds of all full collections of this process since it watches."""

    seconds: float = 0.0
    _begin: Spent | None = None

    def note(self, phase: str, info: dict[str, int]) -> None:
        """As the collector calls it."""
        if info["generation"] < _FULL:
            return
        if phase == "start":
            self._begin = now()
        elif self._begin is not None:
            self.seconds += (now() - self._begin).own


@contextmanager
def watching_sweeps() -> Iterator[Sweeps]:
    """While the block runs, full collections are timed."""
    sweeps = Sweeps()
    note = sweeps.note
    gc.callbacks.append(note)
    try:
        yield sweeps
    finally:
        gc.callbacks.remove(note)
