"""The time, memory and storage of builds, and an engine that measures every task."""

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
"""The step after the last stage, which writes, audits and describes the suite."""


@dataclass(frozen=True)
class TaskCost:
    """Time and memory of one shard."""

    process: int
    spent: Spent
    peak: int
    """Peak bytes of its process until its end."""


@dataclass(frozen=True)
class MapCost:
    """Time and memory of the shards of one step."""

    tasks: tuple[TaskCost, ...]
    spent: Spent
    """From the first to the last shard, measured by the driver."""
    started: tuple[float, ...] = ()
    """Processor seconds that each new worker needed to load Python and the program, before its first task."""

    @property
    def load(self) -> float:
        """Mean seconds that a process spends on loading: its first task less the mean of its others."""
        loads = self._loads()
        return mean(loads) if loads else 0.0

    @property
    def work_seconds(self) -> float:
        """Seconds of all tasks together, without the loading."""
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
    """Time, memory and storage of one stage."""

    name: str
    spent: Spent
    maps: tuple[MapCost, ...]
    peak: int
    """Peak bytes of the driver."""
    stored: int
    """Bytes of the files it wrote."""

    @property
    def driver(self) -> float:
        """Seconds of the driver alone, outside of the shards."""
        return max(0.0, self.spent.own - sum(each.spent.own for each in self.maps))

    @property
    def worker_peak(self) -> int:
        """Peak bytes of a worker."""
        return max((task.peak for each in self.maps for task in each.tasks), default=0)


@dataclass(frozen=True)
class BuildCost:
    """Time, memory and storage of a build."""

    documents: int
    workers: int
    examples: int
    """Main examples that it made."""
    pairs: int
    """Distinct (query, text) pairs that an evaluation would score."""
    start: Spent
    """Loading of the program, before the first stage."""
    stages: tuple[StageCost, ...]

    def stage(self, name: str) -> StageCost:
        """The stage of that name."""
        return next(stage for stage in self.stages if stage.name == name)

    def raised_by(self, names: Collection[str]) -> int:
        """Bytes by which these stages raised the peak of the driver."""
        before = raised = 0
        for stage in self.stages:
            if stage.name in names:
                raised += max(0, stage.peak - before)
            before = max(before, stage.peak)
        return raised

    @property
    def worker_peak(self) -> int:
        """Peak bytes of a worker; 0 if the driver does the work."""
        return max(stage.worker_peak for stage in self.stages)

    @property
    def worker_start(self) -> float:
        """Mean seconds until a worker has started; workers stay until the build ends."""
        started = [seconds for stage in self.stages for each in stage.maps for seconds in each.started]
        return mean(started) if started else 0.0

    @property
    def spans(self) -> list[Spent]:
        """The times of its start, of all stages and of all tasks."""
        tasks = [task.spent for stage in self.stages for each in stage.maps for task in each.tasks]
        return [self.start, *(stage.spent for stage in self.stages), *tasks]


@dataclass
class MeasuringEngine:
    """An engine that runs tasks on another one, and keeps the cost of each map."""

    engine: Engine
    maps: list[MapCost] = field(default_factory=list)
    known: set[int] = field(default_factory=lambda: {os.getpid()})
    """Processes that have worked before, and the driver."""

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """Run the tasks, and keep the cost of each."""
        begin = now()
        measured = self.engine.map(_MeasuredFunction(function), tasks, done)
        spent = now() - begin
        seen = [one for one in measured if not isinstance(one, Crash)]
        costs = tuple(one.cost for one in seen)
        self.maps.append(MapCost(costs, spent, self._started(seen)))
        return [one if isinstance(one, Crash) else one.result for one in measured]

    def _started(self, measured: Sequence[_MeasuredResult[Result]]) -> tuple[float, ...]:
        before = {}
        for one in reversed(measured):  # so that the first task of each process wins
            before[one.cost.process] = one.before
        new = before.keys() - self.known
        self.known |= new
        return tuple(before[process] for process in sorted(new))

    def take(self) -> tuple[MapCost, ...]:
        """The costs since the last call."""
        costs, self.maps = tuple(self.maps), []
        return costs


@dataclass(frozen=True)
class _MeasuredResult(Generic[Result]):
    result: Result
    before: float
    """Processor seconds of the process before the task."""
    cost: TaskCost


@dataclass(frozen=True)
class _MeasuredFunction(Generic[Task, Result]):
    """A function that also measures the task. It is pickled and sent to the worker process."""

    function: Callable[[Task], Result]

    def __call__(self, task: Task) -> _MeasuredResult[Result]:
        before, begin = time.process_time(), now()
        result = self.function(task)
        return _MeasuredResult(result, before, TaskCost(os.getpid(), now() - begin, peak_bytes()))
