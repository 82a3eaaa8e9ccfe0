"""Clients of a server, each in its own process: threads would wait for Python's lock instead of the server."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from constraintsuite.vectors.ann.data import BenchmarkVectors, SearchFunction, VectorMetric, reranked
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import AnnEngine, ServedEngine
from constraintsuite.vectors.ann.metrics import MeasurementError, describe_failure
from constraintsuite.vectors.ann.results import OperatingPoint
from constraintsuite.vectors.ann.staged_data import Staged, load_staged
from constraintsuite.vectors.ann.timing import ClientGroup, Pass, ask_together, single_queries


@dataclass(frozen=True)
class ClientJob:
    """What each client process needs to search."""

    point: OperatingPoint
    staged: Staged
    place: str
    """Name of the table or collection on the server."""
    processors: Sequence[int]
    """Processors of the clients: more than the engine has, so that clients do not slow each other down."""


class ClientError(MeasurementError):
    """A client failed; the text is its error."""


def make_engine(point: OperatingPoint, metric: VectorMetric) -> AnnEngine:
    """Create the engine of a point; nothing is built or connected yet."""
    kind = ENGINES.load(point.engine)
    return kind(kind.build_settings.model_validate(point.build), metric, point.threads)


def prepare_search(engine: AnnEngine, point: OperatingPoint, data: BenchmarkVectors, threads: int) -> SearchFunction:
    """Configure the engine for a point; gives the search to measure, with rerank if there is one."""
    engine.configure(engine.search_settings.model_validate(point.search), threads)
    return reranked(engine.search, data, point.rerank)


def client_processes(job: ClientJob) -> ClientGroup:
    """Clients in processes; all have connected and searched once before any clock starts."""

    def ask(clients: int, repeats: int, seconds: float) -> list[list[Pass]]:
        # Fresh interpreters: a copy of this process would share its open connections.
        context = multiprocessing.get_context("spawn")
        together = context.Barrier(clients)
        pipes = [context.Pipe(duplex=False) for _ in range(clients)]
        running = [
            context.Process(
                target=_client, args=(job, (number, clients), repeats, seconds, together, pipes[number][1]), daemon=True
            )
            for number in range(clients)
        ]
        for process, (_, sender) in zip(running, pipes, strict=True):
            process.start()
            sender.close()  # so that the pipe ends if the client dies
        try:
            done = _gather([receiver for receiver, _ in pipes])
        finally:
            for process in running:
                process.terminate()
                process.join()
        return [list(repeat) for repeat in zip(*done, strict=True)]

    return ask


def _gather(receivers: Sequence[Connection]) -> list[list[Pass]]:
    """The passes of every client; the first failure ends the wait, since the other clients would wait for it forever."""
    done: dict[Connection, list[Pass]] = {}
    while len(done) < len(receivers):
        for receiver in wait([each for each in receivers if each not in done]):
            assert isinstance(receiver, Connection)
            try:
                received: list[Pass] | str = receiver.recv()
            except EOFError:
                received = "a client ended without a word"
            if isinstance(received, str):
                raise ClientError(received)
            done[receiver] = received
    return [done[receiver] for receiver in receivers]


def _client(
    job: ClientJob,
    which: tuple[int, int],
    repeats: int,
    seconds: float,
    together: Any,  # noqa: ANN401 - a barrier, whose type depends on how processes are started
    sender: Connection,
) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, job.processors)
        data, _ = load_staged(job.staged)
        engine = make_engine(job.point, data.metric)
        assert isinstance(engine, ServedEngine)
        engine.place = job.place
        search = prepare_search(engine, job.point, data, 1)
        done = ask_together(search, single_queries(data.queries), job.point.k, which, repeats, seconds, together.wait)
        engine.detach()
        sender.send(done)
    except Exception as error:  # an engine may raise anything
        sender.send(describe_failure(error))


def _end_with_parent() -> None:
    """End when the parent process ends, instead of waiting for it forever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
