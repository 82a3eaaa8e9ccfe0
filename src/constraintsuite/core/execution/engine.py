"""Engines run a function on many tasks: in this process, in several processes, or on a cluster, with the same results."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol, TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.cores import environment_variables

Task = TypeVar("Task")
Result = TypeVar("Result")
Done = Callable[[int], None]
_WATCH_SECONDS = 0.5
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Crash:
    """Stands in place of a result when every process that worked on the task died."""

    reason: str = "a worker process was killed (out of memory?)"


class Engine(Protocol):
    """Runs tasks somewhere. A task is small and can be pickled; large output is written to files."""

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """The result of `function` for every task, in the order of the tasks; `done` is called with the index of a finished one.

        A task whose process dies is tried again. An error that the function raises ends the map.
        """


class LocalEngine:
    """Runs tasks on this machine: in this process if there is one worker, else in that many worker processes.

    Worker processes, and the models that they have loaded, stay until the engine ends.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], done: Done = lambda index: None
    ) -> list[Result | Crash]:
        """The results in the order of the tasks, computed by processes of this machine."""
        if self.workers <= 1 or not tasks:
            return [_run_here(function, task, index, done) for index, task in enumerate(tasks)]
        results: dict[int, Result | Crash] = {}

        def keep(index: int, result: Result | Crash) -> None:
            results[index] = result
            done(index)

        pending = deque(range(len(tasks)))
        with environment_variables(dict.fromkeys(_THREAD_VARIABLES, "1")):
            while pending:
                for suspect in self._run(function, tasks, pending, keep):
                    # One of the running tasks killed its process, but which one is not known: each is run again on its own.
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
        """Run the tasks in `pending`, never more at a time than there are workers.

        Returns the tasks that were running when a process died; later tasks are still in `pending` then.
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
            pool.shutdown(cancel_futures=True)  # and wait, so that no worker writes files after the error
            raise
        self._pool = pool  # a pool that broke, or still has tasks, is not used again
        return []


def require_results(results: Iterable[Result | Crash]) -> list[Result]:
    """The results of a map, for callers that need all of them. Raises UserError after a crash."""
    complete = []
    for result in results:
        if isinstance(result, Crash):
            raise UserError(
                f"Twice {result.reason}. What was finished is kept: run the same command again, with fewer --workers."
            )
        complete.append(result)
    return complete


def _run_here(function: Callable[[Task], Result], task: Task, index: int, done: Done) -> Result:
    result = function(task)
    done(index)
    return result


def _start_pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _end_with_parent, (os.getpid(),))


def _end_with_parent(parent: int) -> None:
    """End this worker process when its parent is killed; otherwise it would wait for its next task for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
