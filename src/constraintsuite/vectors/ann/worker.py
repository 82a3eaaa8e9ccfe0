"""One build and all its searches in a process of its own: memory starts clean, threads are pinned, a crash stays alone.

Run as `python -m constraintsuite.vectors.ann.worker JOB`; each finished cell is a line on stdout, its key.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.retrieval.topk import Neighbours
from constraintsuite.store.files import atomic_writer
from constraintsuite.vectors.ann.data import IntArray, Vectors, VectorSet
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import Engine, Persistent
from constraintsuite.vectors.ann.measuring import Measured, measure
from constraintsuite.vectors.ann.memory import memory_now
from constraintsuite.vectors.ann.metrics import PerQuery, TieRule, WrongAnswerError, judge, refuse_wrong, summarise
from constraintsuite.vectors.ann.plan import Build, Planned
from constraintsuite.vectors.ann.relevance import relevance_figures
from constraintsuite.vectors.ann.rerank import reranked
from constraintsuite.vectors.ann.results import CELLS, FAILED, PER_QUERY, Cell, Cost, Failure, read, write
from constraintsuite.vectors.ann.settings import Protocol
from constraintsuite.vectors.ann.staging import Staged, load_staged
from constraintsuite.vectors.ann.truth import scores_of

_LAST_LINES = 6  # of a traceback, in a failure


@dataclass(frozen=True)
class WorkerJob:
    """What a worker is told."""

    build: Build
    staged: Staged
    protocol: Protocol
    ties: TieRule
    out: Path


def work(job: WorkerJob) -> None:
    """Build, then measure cell by cell; what fails is written down, and the rest goes on."""
    pin(job.protocol.threads)
    data, truth = load_staged(job.staged)
    kind = ENGINES.load(job.build.engine)
    made: Engine | None = None

    def start() -> tuple[Engine, Cost]:
        nonlocal made
        made = kind(kind.build_settings.model_validate(job.build.params), data.metric, job.protocol.threads)
        return made, _build(made, data.base, job)

    try:
        begun = _or_failures(start, job, job.build.cells)
        if begun is not None:
            for planned in job.build.cells:
                cell = _Measurement(job, planned, data, truth, *begun)
                if _or_failures(cell.run, job, (planned,)) is not None:
                    sys.stdout.write(planned.key + "\n")
                    sys.stdout.flush()
    finally:
        if made is not None:
            made.close()


def pin(threads: int) -> None:
    """Keep this process, and the threads it starts, on as many processors as an engine may use."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, allowed[:threads])


def tuning_half(queries: Vectors) -> IntArray:
    """The queries on which parameters are chosen: by hash of the vector, so that order and number change nothing."""
    chosen = [hashlib.blake2b(query.tobytes(), digest_size=8).digest()[0] & 1 for query in queries]
    return np.flatnonzero(np.array(chosen) == 0).astype(np.int64)


def _build(engine: Engine, base: Vectors, job: WorkerJob) -> Cost:
    before = memory_now()
    start = time.perf_counter()
    engine.build(base)
    seconds = time.perf_counter() - start
    after = memory_now()
    grown = None if before.anonymous is None or after.anonymous is None else max(0, after.anonymous - before.anonymous)
    saved = loaded = None
    size = engine.bytes()
    if isinstance(engine, Persistent):
        with TemporaryDirectory(dir=job.staged.folder) as folder:
            start = time.perf_counter()
            engine.save(Path(folder))
            saved = time.perf_counter() - start
            start = time.perf_counter()
            engine.load(Path(folder))  # from now on it is searched as a user finds it the next day
            loaded = time.perf_counter() - start
            size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return Cost(seconds, saved, loaded, size, grown, after.peak)


class _Measurement:
    def __init__(
        self, job: WorkerJob, planned: Planned, data: VectorSet, truth: Neighbours, engine: Engine, cost: Cost
    ) -> None:
        self._job, self._planned, self._data, self._truth = job, planned, data, truth
        self._engine, self._cost = engine, cost

    def run(self) -> Cell:
        """Measure, judge, and write the cell last."""
        point, data = self._planned.point, self._data
        kind = type(self._engine)
        alone = point.mode == "concurrent"  # there each client has one thread, and all share the processors
        self._engine.configure(kind.search_settings.model_validate(point.search), 1 if alone else point.threads)
        search = reranked(self._engine.search, data, point.rerank)
        measured = measure(search, data.queries, point.k, point.mode, point.clients, self._job.protocol)
        refuse_wrong(measured.rows, len(data.base))
        scores = scores_of(data.queries, data.base, measured.rows, data.metric)
        values = judge(measured.rows, scores, self._truth, point.k, self._job.ties)
        figures = summarise(values, point.k, tuning_half(data.queries))
        if data.relevance:
            figures |= relevance_figures(measured.rows, self._truth.rows, data.relevance, point.k)
        self._write_queries(measured, values)
        library, exact = self._job.build.library, self._engine.exact
        content = self._job.staged.facts.content
        cell = Cell(self._planned.key, point, content, exact, figures, measured.speed, self._cost, library)
        write(self._job.out / CELLS / f"{cell.key}.json", cell)
        return cell

    def _write_queries(self, measured: Measured, values: PerQuery) -> None:
        latencies = {} if measured.latencies is None else {"latency_ns": measured.latencies}
        arrays: dict[str, Any] = {"rows": measured.rows, **values._asdict(), **latencies}
        with atomic_writer(self._job.out / PER_QUERY / f"{self._planned.key}.npz") as file:
            np.savez_compressed(file, **arrays)


def _or_failures(step: Callable[[], Any], job: WorkerJob, cells: tuple[Planned, ...]) -> Any:  # noqa: ANN401
    """What the step gives; if it fails, a record for each of the cells that need it, and None."""
    try:
        return step()
    except (UserError, WrongAnswerError) as error:
        said = str(error)
    except Exception as error:  # an engine of other people may raise anything, and the other cells shall go on
        lines = traceback.format_exception(error)[-_LAST_LINES:]
        said = f"{type(error).__name__}: {error}\n{''.join(lines)}"
    for planned in cells:
        write(job.out / FAILED / f"{planned.key}.json", Failure(planned.key, planned.point, said))
    return None


if __name__ == "__main__":
    work(read(Path(sys.argv[1]), WorkerJob))
