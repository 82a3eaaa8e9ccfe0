"""Engines: a function over tasks, in this process, in several, or on a cluster, with the same result."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from constraintsuite.core.errors import UserError

Task = TypeVar("Task")
Result = TypeVar("Result")
Done = Callable[[int], None]
_WATCH_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Crash:
    """In place of a result: every process that worked on the task died."""

    said: str = "a worker process was killed (out of memory?)"


class Engine(Protocol):
    """Where work is done. A task is small and can be pickled; what it makes, it writes itself."""

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """`function` of every task, in the order of the tasks; `done` hears of each task as it ends.

        A task whose process dies is tried again; an error that it raises ends the map.
        """


class LocalEngine:
    """Runs tasks on this machine: with one worker in this process, with more in processes of their own.

    Those stay between two maps, and so does what they have loaded; they end with the engine.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """Run the tasks in worker processes of this machine; results stand in the order of the tasks."""
        if self.workers <= 1 or not tasks:
            return [_one(function, task, index, done) for index, task in enumerate(tasks)]
        results: dict[int, Result | Crash] = {}

        def keep(index: int, result: Result | Crash) -> None:
            results[index] = result
            done(index)

        pending = deque(range(len(tasks)))
        with _single_threaded():
            while pending:
                for suspect in self._run(function, tasks, pending, keep):
                    # One of those that were running killed its process, nobody knows which: each gets one of its own.
                    if LocalEngine(1)._run(function, tasks, deque([suspect]), keep):
                        keep(suspect, Crash())
        return [results[index] for index in range(len(tasks))]

    def _run(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        pending: deque[int],
        keep: Callable[[int, Result], None],
    ) -> list[int]:
        """Work through `pending`, with no more tasks under way than there are workers.

        Gives the tasks that were under way when a process died; those behind them are still in `pending`.
        """
        running: dict[int, Future[Result]] = {}
        pool, self._pool = self._pool or _start_pool(self.workers), None
        try:
            while pending or running:
                while pending and len(running) < self.workers:
                    running[pending[0]] = pool.submit(function, tasks[pending[0]])
                    pending.popleft()
                wait(running.values(), return_when=FIRST_COMPLETED)
                for index in [index for index, future in running.items() if future.done()]:
                    result = running[index].result()
                    del running[index]
                    keep(index, result)
        except BrokenProcessPool:
            return sorted(running)
        except BaseException:
            pool.shutdown(cancel_futures=True)  # and wait: nobody writes once this is told
            raise
        self._pool = pool  # one that broke, or whose tasks nobody waits for, is not used again
        return []


def require_results(results: Iterable[Result | Crash]) -> list[Result]:
    """The results of a map; a crash is a UserError, for callers who cannot continue after one."""
    whole = []
    for result in results:
        if isinstance(result, Crash):
            raise UserError(
                f"Twice {result.said}. What was finished is kept: run the same command again, with fewer --workers."
            )
        whole.append(result)
    return whole


def _one(function: Callable[[Task], Result], task: Task, index: int, done: Done) -> Result:
    result = function(task)
    done(index)
    return result


def _start_pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _end_with_parent, (os.getpid(),))


def _end_with_parent(parent: int) -> None:
    """A worker whose command was killed would wait for ever for its next task."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Child processes use one thread each for arithmetic, however many of them there are."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
