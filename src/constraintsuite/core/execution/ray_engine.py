"""The cluster engine: runs tasks in actors on the nodes of a Ray cluster, each with its own processors or GPU."""

from __future__ import annotations

import os
import platform
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, cast

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.cores import THREADS, cores
from constraintsuite.core.execution.engine import Crash, Done, Result, Task
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.execution.ray_cluster import connect
from constraintsuite.core.store.environment import TEXT_LIBRARIES, library_versions
from constraintsuite.core.store.files import sha256_text

_ATTEMPTS = 3  # of one task: a node may be lost, and the next one too
_NEWS_SECONDS = 30.0
_COUNT_SECONDS = 5.0
_LONGEST_WAIT = 600.0  # a cluster that grows on demand may need minutes for a first node
_MOST_FAILED_STARTS = 5  # per wanted worker, one after another, before any worker answers
_DEATHS = ("RayActorError", "ObjectLostError", "OutOfMemoryError", "NodeDiedError", "WorkerCrashedError")
_LOST = "the workers of the cluster died (out of memory, or their nodes were lost)"


@dataclass(frozen=True, slots=True)
class WorkerResources:
    """The processors and GPUs of its node that one worker gets."""

    processors: int = 1
    cards: float = 0.0

    def places(self, node: Mapping[str, Any]) -> int:
        """How many workers fit on a node."""
        available = node["Resources"] if node["Alive"] else {}
        places = available.get("CPU", 0) / self.processors
        return int(min(places, available.get("GPU", 0) / self.cards) if self.cards else places)

    def __str__(self) -> str:
        words = "one processor" if self.processors == 1 else f"{self.processors} processors"
        return f"{words} and {self.cards:g} graphics cards" if self.cards else words


class RayEngine:
    """Runs tasks on a cluster.

    Workers, and the models that they have loaded, stay between two maps. Each worker has one task at a time, so that tasks
    do not queue at slow workers, and the task at which a worker died is known.
    """

    def __init__(
        self,
        address: str | None = None,
        workers: int = 0,
        share: WorkerResources | None = None,
        reporter: Reporter | None = None,
    ) -> None:
        """With `workers` 0 there are as many workers as fit on the cluster, also on nodes that join later."""
        self._address, self._workers, self._share = address, workers, share or WorkerResources()
        self._reporter = reporter or Silent()
        self._pool: _WorkerPool | None = None

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """The results in the order of the tasks, computed by the workers of the cluster."""
        if not tasks:
            return []
        if self._pool is None:
            self._pool = _WorkerPool(connect(self._address), self._workers, self._share, self._reporter)
        pool = self._pool
        pool.check_idle()
        waiting = deque(range(len(tasks)))
        deaths: Counter[int] = Counter()
        results: dict[int, Result | Crash] = {}
        try:
            while len(results) < len(tasks):
                pool.start_missing(len(tasks) - len(results))
                while waiting and pool.idle:
                    index = waiting.popleft()
                    pool.assign(index, function, tasks[index])
                for index, result in pool.wait():
                    deaths[index] += isinstance(result, Crash)
                    if isinstance(result, Crash) and deaths[index] < _ATTEMPTS:
                        waiting.appendleft(index)
                        continue
                    results[index] = cast("Result | Crash", result)
                    done(index)
        except BaseException:
            pool.kill_all()
            raise
        return [results[index] for index in range(len(tasks))]


class _WorkerPool:
    """The workers of a cluster: starting, idle and busy ones."""

    def __init__(self, ray: Any, wanted: int, share: WorkerResources, reporter: Reporter) -> None:  # noqa: ANN401 - a module without types
        self._ray, self._wanted, self._share, self._reporter = ray, wanted, share, reporter
        self._size, self._counted_at = 0, -_COUNT_SECONDS
        self._reported = (0, 0)  # places for workers, and nodes
        self.idle: list[Any] = []
        self._starting: dict[Any, Any] = {}  # the future of its first answer: the worker
        self._busy: dict[Any, tuple[Any, int]] = {}  # the future of its result: the worker, and the index of the task
        self._failed_starts = 0
        self._last_news = time.monotonic()

    def check_idle(self) -> None:
        """Ask idle workers for a sign of life: their nodes may have been lost since the last map."""
        for worker in self.idle:
            self._starting[worker.identify.remote()] = worker
        self.idle = []

    def start_missing(self, tasks: int) -> None:
        """Start workers until there is one per task, or the cluster is full; this replaces workers that died."""
        self._count_places()
        kind = self._ray.remote(_Worker).options(
            num_cpus=self._share.processors, num_gpus=self._share.cards, max_restarts=0
        )
        for _ in range(min(self._size, tasks) - len(self.idle) - len(self._starting) - len(self._busy)):
            worker = kind.remote({THREADS: str(cores())})
            self._starting[worker.identify.remote()] = worker

    def assign(self, index: int, function: Callable[[Any], object], task: object) -> None:
        """Give a task to an idle worker."""
        worker = self.idle.pop()
        self._busy[worker.run.remote(function, task)] = worker, index

    def wait(self) -> Iterator[tuple[int, object]]:
        """Wait for news; yield the index of each task that ended, with its result, or a Crash if its worker died."""
        ended, _ = self._ray.wait([*self._starting, *self._busy], num_returns=1, timeout=_NEWS_SECONDS)
        for answer in ended:
            self._last_news = time.monotonic()
            if answer in self._starting:
                self._accept_started(answer)
            else:
                worker, index = self._busy.pop(answer)
                result = self._get(answer)
                if isinstance(result, Crash):
                    self._ray.kill(worker)  # it may still be running on a node that cannot be reached
                    self._reporter.note("ray: a worker was lost; another one does its shard again")
                else:
                    self.idle.append(worker)
                yield index, result
        if not self._busy and not self.idle:
            self._report_waiting()

    def kill_all(self) -> None:
        """Stop all workers that are starting or busy, when their results are no longer wanted."""
        for worker in [*self._starting.values(), *(worker for worker, _ in self._busy.values())]:
            self._ray.kill(worker)
        self._starting, self._busy = {}, {}

    def _count_places(self) -> None:
        """Count the places for workers every few seconds, since nodes come and go."""
        if time.monotonic() < self._counted_at + _COUNT_SECONDS:
            return
        self._counted_at = time.monotonic()
        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        places = sum(map(self._share.places, nodes))
        if (places, len(nodes)) != self._reported:
            room = _counted(self._wanted or places, "worker") + f" of {self._share}"
            self._reporter.note(
                f"ray: {_counted(len(nodes), 'node')}, {_counted(_total(nodes, 'CPU'), 'processor')}; "
                + (room if places else f"none with room for a worker of {self._share}; waiting for one to join")
            )
            self._last_news = time.monotonic()
        self._reported, self._size = (places, len(nodes)), self._wanted or max(1, places)

    def _accept_started(self, answer: Any) -> None:  # noqa: ANN401
        worker = self._starting.pop(answer)
        identity = self._get(answer)
        if isinstance(identity, Crash):  # its node was lost, and another worker will be started
            self._failed_starts += 1
            if self._failed_starts > _MOST_FAILED_STARTS * self._size:
                raise UserError("Workers die as soon as they start. Is constraintsuite installed on every node?")
            return
        self._failed_starts = 0
        node, version = identity
        if version != package_hash():
            raise UserError(
                f"The node {node} has another version of constraintsuite, or of a library that can change a result. Install the "
                "same on all nodes."
            )
        self.idle.append(worker)

    def _get(self, answer: Any) -> Any:  # noqa: ANN401
        try:
            return self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except tuple(getattr(self._ray.exceptions, name) for name in _DEATHS):
            return Crash(_LOST)

    def _report_waiting(self) -> None:
        waited = time.monotonic() - self._last_news
        if waited < _NEWS_SECONDS:
            return
        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        state = f"The cluster has {_total(nodes, 'CPU'):g} processors and {_total(nodes, 'GPU'):g} graphics cards"
        if not any(map(self._share.places, nodes)):
            state += f", and no node with {self._share} for a worker (--worker-cpus, --worker-gpus)"
        if waited > _LONGEST_WAIT:
            raise UserError(
                f"{state}, and gave no worker for ten minutes. Is it busy with other work, too small, or were its nodes lost? A "
                f"worker asks for {self._share}. What was finished is kept: run the same command again."
            )
        self._reporter.note(f"{state}; waiting for a free place")


class _Worker:
    """The actor on a node; it lives, with its models, as long as the command that started it."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        os.environ.update(settings)

    def identify(self) -> tuple[str, str]:
        """The name of its node, and the hash of the package there."""
        return platform.node(), package_hash()

    def run(self, function: Callable[[Any], object], task: object) -> object:
        """The result of the function for the task."""
        return function(task)


def _total(nodes: Sequence[Mapping[str, Any]], kind: str) -> float:
    return sum(float(node["Resources"].get(kind, 0)) for node in nodes)


def _counted(number: float, name: str) -> str:
    return f"{number:g} {name}" if number == 1 else f"{number:g} {name}s"


@cache
def package_hash() -> str:
    """Hash of all files of the package and of the versions of its libraries: driver and workers must have the same.

    Fingerprints of artifacts use a declared revision instead (`core/store/revisions.py`).
    """
    root = Path(str(resources.files("constraintsuite")))
    files = sorted(p for p in root.rglob("*") if p.suffix in {".py", ".yaml", ".json", ".jsonl", ".tsv"})
    texts = [f"{p.relative_to(root)}\n{p.read_text(encoding='utf-8')}" for p in files]
    return sha256_text(*texts, *(f"{name}=={version}" for name, version in library_versions(TEXT_LIBRARIES).items()))
