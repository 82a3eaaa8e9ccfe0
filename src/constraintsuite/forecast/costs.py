"""What a build took: an engine that times every task, and the costs of tasks, steps and builds."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Generic

from constraintsuite.core.execution.engine import Crash, Done, Engine, Result, Task
from constraintsuite.forecast.clock import Spent, now, peak_bytes

SUITE = "suite"
"""The step behind the last stage: files are put together, audited and described."""


@dataclass(frozen=True)
class TaskCost:
    """The time and the memory that one shard took."""

    process: int
    spent: Spent
    peak: int
    """Bytes that its process held at most, up to its end."""


@dataclass(frozen=True)
class MapCost:
    """What the shards of one step took."""

    tasks: tuple[TaskCost, ...]
    spent: Spent
    """From the first to the last, as the driver saw it."""
    started: tuple[float, ...] = ()
    """Processor seconds of each worker that is new with this map, before its first task: Python and the program are loaded."""

    @property
    def load(self) -> float:
        """Seconds that a process needs before it is at its pace: its first task, less a usual one of its own."""
        loads = self._loads()
        return mean(loads) if loads else 0.0

    @property
    def warm(self) -> float:
        """Seconds of all tasks together, less the loading of each process."""
        return sum(task.spent.own for task in self.tasks) - sum(self._loads())

    def _loads(self) -> list[float]:
        found = []
        processes: dict[int, list[float]] = defaultdict(list)
        for task in self.tasks:
            processes[task.process].append(task.spent.own)
        for first, *rest in processes.values():
            if rest:
                found.append(max(0.0, first - mean(rest)))
        return found


@dataclass(frozen=True)
class StageCost:
    """The time, memory and storage that one stage took."""

    name: str
    spent: Spent
    maps: tuple[MapCost, ...]
    peak: int
    """Bytes that the driver held at most."""
    stored: int
    """Bytes of the files it left."""

    @property
    def driver(self) -> float:
        """Seconds of the driver alone, outside of its maps."""
        return max(0.0, self.spent.own - sum(each.spent.own for each in self.maps))

    @property
    def worker_peak(self) -> int:
        """Bytes that a worker held at most."""
        return max((task.peak for each in self.maps for task in each.tasks), default=0)


@dataclass(frozen=True)
class BuildCost:
    """What a whole build took."""

    documents: int
    workers: int
    examples: int
    """Main examples that came of it."""
    pairs: int
    """Distinct (query, text) pairs that an evaluation would score."""
    start: Spent
    """Until the first stage: the program is loaded."""
    stages: tuple[StageCost, ...]

    def stage(self, name: str) -> StageCost:
        """The stage of that name."""
        return next(stage for stage in self.stages if stage.name == name)

    def raised_by(self, names: Collection[str]) -> int:
        """Bytes by which these stages raised the most that the driver held."""
        before = raised = 0
        for stage in self.stages:
            if stage.name in names:
                raised += max(0, stage.peak - before)
            before = max(before, stage.peak)
        return raised

    @property
    def worker_peak(self) -> int:
        """Bytes that a worker held at most; with one worker the driver does its work."""
        return max(stage.worker_peak for stage in self.stages)

    @property
    def worker_start(self) -> float:
        """Seconds until the workers have something to do, once; they stay until the build ends."""
        started = [seconds for stage in self.stages for each in stage.maps for seconds in each.started]
        return mean(started) if started else 0.0

    @property
    def spans(self) -> list[Spent]:
        """The times of its start, of all stages and of all tasks."""
        tasks = [task.spent for stage in self.stages for each in stage.maps for task in each.tasks]
        return [self.start, *(stage.spent for stage in self.stages), *tasks]


@dataclass
class WatchingEngine:
    """Does what another engine does, and keeps the cost of each map."""

    engine: Engine
    maps: list[MapCost] = field(default_factory=list)
    known: set[int] = field(default_factory=lambda: {os.getpid()})
    """Processes that have worked before; the driver is there from the beginning."""

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """Run the tasks as the engine does, and note what each of them took."""
        begin = now()
        ends = self.engine.map(_Watched(function), tasks, done)
        spent = now() - begin
        seen = [end for end in ends if not isinstance(end, Crash)]
        costs = tuple(end.cost for end in seen)
        self.maps.append(MapCost(costs, spent, self._started(seen)))
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
