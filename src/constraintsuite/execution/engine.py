"""The local engine: a function over shards, in this process or in several, with the same result."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from constraintsuite.errors import UserError

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class LocalEngine:
    """Runs tasks on this machine."""

    workers: int = 1

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        done: Callable[[int], None] = lambda index: None,
    ) -> list[Result]:
        """`function` of every task, in the order of the tasks; `done` hears of each task as it ends."""
        if self.workers <= 1 or len(tasks) <= 1:
            return [self._one(function, task, index, done) for index, task in enumerate(tasks)]
        results: dict[int, Result] = {}
        with (
            _single_threaded(),
            ProcessPoolExecutor(min(self.workers, len(tasks)), mp_context=multiprocessing.get_context("spawn")) as pool,
        ):
            waiting = {pool.submit(function, task): index for index, task in enumerate(tasks)}
            try:
                while waiting:
                    finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in finished:
                        index = waiting.pop(future)
                        results[index] = future.result()
                        done(index)
            except BrokenProcessPool:
                raise UserError(
                    "A worker process was killed (out of memory?). What it had finished is kept: "
                    "run the same command again, with fewer --workers."
                ) from None
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [results[index] for index in range(len(tasks))]

    @staticmethod
    def _one(function: Callable[[Task], Result], task: Task, index: int, done: Callable[[int], None]) -> Result:
        result = function(task)
        done(index)
        return result


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
