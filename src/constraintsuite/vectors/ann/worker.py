"""One build and all its searches in a process of its own: memory starts clean, threads are pinned, a crash stays alone.

Run as `python -m constraintsuite.vectors.ann.worker JOB`; each finished cell is a line on stdout, its key.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from constraintsuite.retrieval.topk import FloatArray, IntArray, Neighbours
from constraintsuite.vectors.ann.clients import ClientJob, processes_of
from constraintsuite.vectors.ann.data import BenchmarkVectors, Vectors, tuning_half
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import AnnEngine, Persistent, ServedEngine
from constraintsuite.vectors.ann.failing import told
from constraintsuite.vectors.ann.host import Host, load_now
from constraintsuite.vectors.ann.measuring import Crowd, Measured, measure
from constraintsuite.vectors.ann.memory import memory_now
from constraintsuite.vectors.ann.metrics import (
    PerQuery,
    RecallTieRule,
    judge,
    mean,
    refuse_wrong,
    summarise,
)
from constraintsuite.vectors.ann.per_query import QueryResults, write_queries
from constraintsuite.vectors.ann.plan import Build, PlannedCell
from constraintsuite.vectors.ann.relevance import beside_ceiling
from constraintsuite.vectors.ann.rerank import reranked
from constraintsuite.vectors.ann.results import CELLS, FAILED, Cost, Failure, MeasuredCell, queries_file, read, write
from constraintsuite.vectors.ann.settings import MeasuringProtocol
from constraintsuite.vectors.ann.staging import Staged, load_staged
from constraintsuite.vectors.ann.threads import blas_threads
from constraintsuite.vectors.ann.truth import scores_of


@dataclass(frozen=True)
class WorkerJob:
    """What a worker is told."""

    build: Build
    staged: Staged
    protocol: MeasuringProtocol
    ties: RecallTieRule
    host: Host
    out: Path


def work(job: WorkerJob) -> None:
    """Build, then measure cell by cell; what fails is written down, and the rest goes on."""
    processors = pin(job.protocol.threads)
    kind = ENGINES.load(job.build.engine)
    made: AnnEngine | None = None

    def start() -> tuple[BenchmarkVectors, Neighbours, AnnEngine, Cost]:
        nonlocal made
        data, truth = load_staged(job.staged)
        made = kind(kind.build_settings.model_validate(job.build.params), data.metric, job.protocol.threads)
        return data, truth, made, _build(made, data.base, job)

    try:
        begun = _or_failures(start, job, job.build.cells)
        if begun is not None:
            data, truth, engine, cost = begun
            for planned in job.build.cells:
                cell = _Measurement(job, planned, data, truth, engine, cost, processors)
                if _or_failures(cell.run, job, (planned,)) is not None:
                    sys.stdout.write(planned.key + "\n")
                    sys.stdout.flush()
    finally:
        if made is not None:
            made.close()


def pin(threads: int) -> list[int]:
    """Keep this process, and the threads it starts, on as many processors as an engine may use; gives those it had before."""
    if not hasattr(os, "sched_setaffinity"):
        return []
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:threads])
    return allowed


def _build(engine: AnnEngine, base: Vectors, job: WorkerJob) -> Cost:
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


@dataclass(frozen=True)
class _Measurement:
    _job: WorkerJob
    _planned: PlannedCell
    _data: BenchmarkVectors
    _truth: Neighbours
    _engine: AnnEngine
    _cost: Cost
    _processors: Sequence[int]

    def run(self) -> MeasuredCell:
        """Measure, judge, and write the cell last."""
        point, data = self._planned.point, self._data
        kind = type(self._engine)
        # Of clients each has one thread, and all share the processors.
        threads = 1 if point.mode == "concurrent" else point.threads
        self._engine.configure(kind.search_settings.model_validate(point.search), threads)
        search = reranked(self._engine.search, data, point.rerank)
        crowd = self._crowd()
        with blas_threads(threads):
            measured = measure(search, data.queries, point.k, point.mode, point.clients, self._job.protocol, crowd)
        self._job.staged.base.refuse_changed()
        refuse_wrong(measured.rows, len(data.base))
        scores = scores_of(data.queries, data.base, measured.rows, data.metric)
        values = judge(measured.rows, scores, self._truth, point.k, self._job.ties)
        tuning = tuning_half(data.queries)
        figures = summarise(values, point.k, np.flatnonzero(tuning))
        judged = self._judge(measured.rows, point.k)
        figures |= {name: mean(of_queries) for name, of_queries in judged.items()}
        self._write_queries(measured, values, judged, tuning)
        cell = MeasuredCell(
            key=self._planned.key,
            point=point,
            content=self._job.staged.facts.content,
            exact=self._engine.exact,
            figures=figures,
            speed=measured.speed,
            cost=self._cost,
            library=self._job.build.library,
            code=self._job.build.code,
            host={**self._job.host, "load": load_now()},
        )
        write(self._job.out / CELLS / f"{cell.key}.json", cell)
        return cell

    def _judge(self, found: IntArray, k: int) -> dict[str, FloatArray]:
        data = self._data
        return beside_ceiling(found, self._truth.rows, data.relevance, k, data.min_relevance) if data.relevance else {}

    def _crowd(self) -> Crowd | None:
        """For a server, clients in processes of their own, wherever this machine lets them run."""
        job, engine = self._job, self._engine
        place = engine.place() if isinstance(engine, ServedEngine) else None
        if place is None:
            return None
        return processes_of(ClientJob(job.build, self._planned.point, job.staged, place, self._processors))

    def _write_queries(
        self, measured: Measured, values: PerQuery, judged: Mapping[str, FloatArray], tuning: npt.NDArray[np.bool_]
    ) -> None:
        results = QueryResults(
            query_row=self._data.query_rows,
            tuning=tuning,
            rows=measured.rows,
            recall_tie=values.recall_tie,
            recall=values.recall,
            kth_gap=values.kth_gap,
            latency_ns=measured.latencies,
            rel=judged,
        )
        write_queries(queries_file(self._job.out, self._planned.key), results)


def _or_failures(step: Callable[[], Any], job: WorkerJob, cells: tuple[PlannedCell, ...]) -> Any:  # noqa: ANN401
    """What the step gives; if it fails, a record for each of the cells that need it, and None."""
    try:
        return step()
    except Exception as error:  # an engine of other people may raise anything, and the other cells shall go on
        said = told(error)
    for planned in cells:
        write(job.out / FAILED / f"{planned.key}.json", Failure(planned.key, planned.point, said))
    return None


def _end_with_parent() -> None:
    """A worker that is left alone would disturb whoever measures next."""
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work(read(Path(sys.argv[1]), WorkerJob))
