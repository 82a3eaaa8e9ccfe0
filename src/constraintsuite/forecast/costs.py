"""What a build took, as it was seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from constraintsuite.forecast.clock import Spent

SUITE = "suite"
"""The step behind the last stage: files are put together, audited and described."""


@dataclass(frozen=True)
class TaskCost:
    """What one shard took."""

    process: int
    spent: Spent
    peak: int
    """Bytes that its process held at most, up to its end."""


@dataclass(frozen=True)
class MapCost:
    """What the shards of one step took."""

    driver: int
    """The process that sent them out, and with one worker does them itself."""
    tasks: tuple[TaskCost, ...]
    spent: Spent
    """From the first to the last, as the driver saw it."""
    started: tuple[float, ...] = ()
    """Processor seconds of each worker that is new with this map, before its first task: Python and the program are loaded."""
    swept: float = 0.0
    """Seconds of full collections in the driver meanwhile; with one worker they are the shards' own."""

    @property
    def start(self) -> float:
        """Seconds until new workers have something to do; none where all were there, or the driver does the work."""
        return mean(self.started) if self.started else 0.0

    @property
    def load(self) -> float:
        """Seconds that a process needs before it is at its pace: its first task, less a usual one of its own."""
        loads = self._loads()
        return mean(loads) if loads else 0.0

    @property
    def warm(self) -> float:
        """Seconds of all tasks together, less the loading of each process."""
        return sum(task.spent.own for task in self.tasks) - sum(self._loads())

    @property
    def own(self) -> float:
        """Seconds from begin to end had nobody else used the machine: those of the busiest worker, and its start."""
        busiest = max((_seconds(tasks) for tasks in self._processes().values()), default=0.0)
        return self.start + busiest

    def _loads(self) -> list[float]:
        found = []
        for first, *rest in self._processes().values():
            if rest:
                found.append(max(0.0, first.spent.own - _seconds(rest) / len(rest)))
        return found

    def _processes(self) -> Mapping[int, list[TaskCost]]:
        found: dict[int, list[TaskCost]] = defaultdict(list)
        for task in self.tasks:
            found[task.process].append(task)
        return found


def _seconds(tasks: Sequence[TaskCost]) -> float:
    return sum(task.spent.own for task in tasks)


@dataclass(frozen=True)
class StageCost:
    """What one stage took."""

    name: str
    spent: Spent
    maps: tuple[MapCost, ...]
    peak: int
    """Bytes that the driver held at most."""
    stored: int
    """Bytes of the files it left."""
    swept: float = 0.0
    """Seconds of full collections in the driver, outside of its maps."""

    @property
    def driver(self) -> float:
        """Seconds of the driver alone, outside of its maps, without full collections of memory."""
        return max(0.0, self.spent.own - sum(each.spent.own for each in self.maps) - self.swept)

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
    sweep: float = 0.0
    """Seconds of one full collection in the driver at its end."""

    def stage(self, name: str) -> StageCost:
        """The stage of that name."""
        return next(stage for stage in self.stages if stage.name == name)

    @property
    def peak(self) -> int:
        """Bytes that the driver held at most."""
        return max(stage.peak for stage in self.stages)

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
    def stored(self) -> int:
        """Bytes of all files it left."""
        return sum(stage.stored for stage in self.stages)

    @property
    def worker_start(self) -> float:
        """Seconds until the workers have something to do, once; they stay until the build ends."""
        started = [seconds for stage in self.stages for each in stage.maps for seconds in each.started]
        return mean(started) if started else 0.0

    @property
    def swept(self) -> float:
        """Seconds of full collections in the driver."""
        return sum(stage.swept for stage in self.stages)

    @property
    def own(self) -> float:
        """Seconds that it would have taken had nobody else used the machine."""
        steps = sum(stage.driver + sum(each.own for each in stage.maps) for stage in self.stages)
        return self.start.own + steps + self.swept

    @property
    def wall(self) -> float:
        """Seconds it took."""
        return self.start.wall + sum(stage.spent.wall for stage in self.stages)
