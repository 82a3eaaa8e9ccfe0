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


@dataclass
class WatchingEngine:
    """Does what another engine does, and keeps the cost of each map."""

    engine: Engine
    maps: list[MapCost] = field(default_factory=list)

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """See `Engine`."""
        begin = now()
        ends = self.engine.map(_Watched(function), tasks, done)
        costs = tuple(end.cost for end in ends if not isinstance(end, Crash))
        self.maps.append(MapCost(os.getpid(), costs, now() - begin))
        return [end if isinstance(end, Crash) else end.result for end in ends]

    def take(self) -> tuple[MapCost, ...]:
        """The costs since the last time."""
        costs, self.maps = tuple(self.maps), []
        return costs


@dataclass(frozen=True)
class _End(Generic[Result]):
    result: Result
    cost: TaskCost


@dataclass(frozen=True)
class _Watched(Generic[Task, Result]):
    """The function of a task, with a clock beside it; it travels to the process that does the work."""

    function: Callable[[Task], Result]

    def __call__(self, task: Task) -> _End[Result]:
        before, begin = time.process_time(), now()
        result = self.function(task)
        return _End(result, TaskCost(os.getpid(), before, now() - begin, peak_bytes()))
