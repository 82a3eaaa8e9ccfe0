"""An engine that notes what every task takes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic

from constraintsuite.execution.engine import Crash, Done, Engine, Result, Task
from constraintsuite.forecast.clock import now, peak_bytes
from constraintsuite.forecast.costs import MapCost, TaskCost
from constraintsuite.forecast.sweeps import Sweeps


@dataclass
class WatchingEngine:
    """Does what another engine does, and keeps the cost of each map."""

    engine: Engine
    sweeps: Sweeps = field(default_factory=Sweeps)
    maps: list[MapCost] = field(default_factory=list)
    known: set[int] = field(default_factory=lambda: {os.getpid()})
    """Processes that have worked before; the driver is there from the beginning."""

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """See `Engine`."""
        begin, swept = now(), self.sweeps.seconds
        ends = self.engine.map(_Watched(function), tasks, done)
        spent = now() - begin
        seen = [end for end in ends if not isinstance(end, Crash)]
        costs = tuple(end.cost for end in seen)
        self.maps.append(MapCost(os.getpid(), costs, spent, self._started(seen), self.sweeps.seconds - swept))
        return [end if isinstance(end, Crash) else end.result for end in ends]

    def _started(self, ends: Sequence[_End[Result]]) -> tuple[float, ...]:
        before = {}
        for end in reversed(ends):  # so that the first task of each process has the last word
            before[end.cost.process] = end.before
        new = before.keys() - self.known
        self.known |= new
        return tuple(before[process] for process in sorted(new))

    def take(self) -> tuple[MapCost, ...]:
        """The costs since the last time."""
        costs, self.maps = tuple(self.maps), []
        return costs


@dataclass(frozen=True)
class _End(Generic[Result]):
    result: Result
    before: float
    """Processor seconds of its process before it."""
    cost: TaskCost


@dataclass(frozen=True)
class _Watched(Generic[Task, Result]):
    """The function of a task, with a clock beside it; it travels to the process that does the work."""

    function: Callable[[Task], Result]

    def __call__(self, task: Task) -> _End[Result]:
        before, begin = time.process_time(), now()
        result = self.function(task)
        return _End(result, before, TaskCost(os.getpid(), now() - begin, peak_bytes()))
