"""An engine whose worker is elsewhere, as a cluster's are: another process, which begins in another folder, and stays."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from constraintsuite.core.execution.engine import Crash

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass
class Elsewhere:
    """What is patched in this process is not so there."""

    pool: ProcessPoolExecutor
    asked: list[str] = field(default_factory=list)
    """Names of the functions that were mapped."""
    lacks: Path | None = None
    """A folder that is not there for the worker."""

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        done: Callable[[int], None] = lambda index: None,
    ) -> list[Result | Crash]:
        self.asked.append(function.__name__)
        results: list[Result | Crash] = []
        with _hidden(self.lacks) if self.lacks else nullcontext():
            for index, result in enumerate(self.pool.map(function, tasks)):
                results.append(result)
                done(index)
        return results


@contextmanager
def starting_elsewhere(folder: Path) -> Iterator[Elsewhere]:
    """The worker, which begins in the folder."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, initializer=os.chdir, initargs=(folder,)) as pool:
        yield Elsewhere(pool)


@contextmanager
def _hidden(folder: Path) -> Iterator[None]:
    folder.rename(folder.with_name("hidden"))
    try:
        yield
    finally:
        folder.with_name("hidden").rename(folder)
