"""Measure one build and all its searches in a fresh process, with its own memory, pinned to some processors.

Run as `python -m constraintsuite.vectors.ann.worker JOB`. It prints the key of each finished cell on stdout.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from constraintsuite.core.store.jsonl import read_json, write_json
from constraintsuite.models.retrieval.topk import Neighbours
from constraintsuite.vectors.ann import metrics
from constraintsuite.vectors.ann.clients import ClientJob, client_processes, make_engine, prepare_search
from constraintsuite.vectors.ann.data import BenchmarkVectors, Vectors, scores_of, tuning_half
from constraintsuite.vectors.ann.engines.base import AnnEngine, PersistentEngine, ServedEngine
from constraintsuite.vectors.ann.host import Host, blas_threads, current_load, memory_use
from constraintsuite.vectors.ann.plan import Build
from constraintsuite.vectors.ann.results import CELLS, FAILED, Cost, Failure, MeasuredCell, queries_file
from constraintsuite.vectors.ann.settings import MeasuringProtocol
from constraintsuite.vectors.ann.staged_data import Staged, load_staged
from constraintsuite.vectors.ann.timing import measure


@dataclass(frozen=True)
class WorkerJob:
    """The job of a worker: one build, its data and how to measure."""

    build: Build
    staged: Staged
    protocol: MeasuringProtocol
    ties: metrics.RecallTieRule
    host: Host
    out: Path


def work(job: WorkerJob) -> None:
    """Build the index and measure its cells; a failure is stored, and the other cells are still measured."""
    processors = pin(job.protocol.threads)
    with ExitStack() as open_engine:
        try:
            data, truth = load_staged(job.staged)
            engine = make_engine(job.build.point, data.metric)
            open_engine.callback(engine.close)
            cost = _build(engine, data.base, job.staged.folder)
        except Exception as error:  # an engine may raise anything
            for key in job.build.cells:
                _write_failure(job, key, error)
            return
        for key in job.build.cells:
            try:
                write_json(
                    job.out / CELLS / f"{key}.json", _measure_cell(job, key, processors, engine, cost, data, truth)
                )
            except Exception as error:
                _write_failure(job, key, error)
            else:
                sys.stdout.write(key + "\n")
                sys.stdout.flush()


def pin(threads: int) -> list[int]:
    """Pin this process and its threads to the first `threads` processors; gives those it was allowed before."""
    if not hasattr(os, "sched_setaffinity"):
        return []
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:threads])
    return allowed


def _build(engine: AnnEngine, base: Vectors, scratch: Path) -> Cost:
    before = memory_use()
    start = time.perf_counter()
    engine.build(base)
    seconds = time.perf_counter() - start
    after = memory_use()
    grown = None if before.anonymous is None or after.anonymous is None else max(0, after.anonymous - before.anonymous)
    saved = loaded = None
    size = engine.bytes()
    if isinstance(engine, PersistentEngine):
        with TemporaryDirectory(dir=scratch) as folder:
            start = time.perf_counter()
            engine.save(Path(folder))
            saved = time.perf_counter() - start
            start = time.perf_counter()
            engine.load(Path(folder))  # from now on it is searched as a user would load it
            loaded = time.perf_counter() - start
            size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return Cost(seconds, saved, loaded, size, grown, after.peak)


def _measure_cell(
    job: WorkerJob,
    key: str,
    processors: Sequence[int],
    engine: AnnEngine,
    cost: Cost,
    data: BenchmarkVectors,
    truth: Neighbours,
) -> MeasuredCell:
    """Measure one cell, and store what it found for each query."""
    point = job.build.cells[key]
    # Each client has one thread, and all share the processors.
    threads = 1 if point.mode == "concurrent" else point.threads
    search = prepare_search(engine, point, data, threads)
    place = engine.place if isinstance(engine, ServedEngine) else None
    group = None if place is None else client_processes(ClientJob(point, job.staged, place, processors))
    with blas_threads(threads):
        measured = measure(search, data.queries, point.k, point.mode, point.clients, job.protocol, group)
    job.staged.base.refuse_changed()
    metrics.refuse_wrong(measured.rows, len(data.base))
    scores = scores_of(data.queries, data.base, measured.rows, data.metric)
    values = metrics.judge(measured.rows, scores, truth, point.k, job.ties)
    judged = {}
    if data.relevance:
        judged = metrics.relevance_and_ceiling(measured.rows, truth.rows, data.relevance, point.k, data.min_relevance)
    tuning = tuning_half(data.queries)
    near = values.recall_tie, values.recall, values.kth_gap
    results = metrics.QueryResults(data.query_rows, tuning, measured.rows, *near, measured.latencies, judged)
    metrics.write_queries(queries_file(job.out, key), results)
    figures = metrics.summarise(values, point.k, np.flatnonzero(tuning))
    return MeasuredCell(
        key=key,
        point=point,
        content=job.staged.facts.content,
        exact=engine.exact,
        figures=figures | {name: metrics.mean(of_queries) for name, of_queries in judged.items()},
        speed=measured.speed,
        cost=cost,
        library=job.build.library,
        code=job.build.code,
        host={**job.host, "load": current_load()},
    )


def _write_failure(job: WorkerJob, key: str, error: Exception) -> None:
    write_json(job.out / FAILED / f"{key}.json", Failure(key, job.build.cells[key], metrics.describe_failure(error)))


def _end_with_parent() -> None:
    """End when the parent process ends: a worker that stays would disturb the next measurement."""
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work(read_json(Path(sys.argv[1]), WorkerJob))
