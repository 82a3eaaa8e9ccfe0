"""Measure speed: one query per call, all queries in one call, or several clients at once."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from constraintsuite.vectors.ann.data import IntArray, SearchFunction, Vectors
from constraintsuite.vectors.ann.results import EngineSpeed, Repeat
from constraintsuite.vectors.ann.settings import MeasuringProtocol, QueryMode

_PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p999": 99.9}


class Measured(NamedTuple):
    """The answers, and their speed."""

    rows: IntArray  # (queries, k)
    speed: EngineSpeed
    latencies: IntArray | None
    """Median nanoseconds of the calls of each query; None if a call holds more than one query."""


class Pass(NamedTuple):
    """The calls of one client in one repeat."""

    start: int
    end: int
    numbers: Sequence[int]
    """Numbers of its queries, which it repeats in this order."""
    times: Sequence[int]
    """Nanoseconds of each call."""


ClientGroup = Callable[[int, int, float], list[list[Pass]]]
"""Runs clients at the same time. It takes their number, the number of repeats and the seconds of each; it gives the passes of
all clients for each repeat."""


def measure(
    search: SearchFunction,
    queries: Vectors,
    k: int,
    mode: QueryMode,
    clients: int,
    protocol: MeasuringProtocol,
    group: ClientGroup | None = None,
) -> Measured:
    """Repeat all queries as the protocol says; the answers come from the warm-up, before the clock starts.

    Clients are threads unless a `group` is given.
    """
    calls = [queries] if mode == "batch" else single_queries(queries)
    numbers = range(len(calls))
    rows = np.concatenate([search(call, k) for call in calls])
    for _ in range(protocol.warmup - 1):  # the pass above was the first
        one_pass(search, calls, numbers, k, 0.0)
    if mode == "concurrent":
        group = group or _client_threads(search, calls, k)
        repeats = group(clients, protocol.repeats, protocol.min_seconds)
    else:
        repeats = [[one_pass(search, calls, numbers, k, protocol.min_seconds)] for _ in range(protocol.repeats)]
    return _summarise(rows, repeats, batch=mode == "batch")


def single_queries(queries: Vectors) -> list[Vectors]:
    """Each query as an array of one row."""
    return [np.ascontiguousarray(queries[i : i + 1]) for i in range(len(queries))]


def one_pass(
    search: SearchFunction,
    singles: Sequence[Vectors],
    numbers: Sequence[int],
    k: int,
    seconds: float,
    *,
    whole: bool = True,
) -> Pass:
    """Send all queries at least once, then again until the time is over; with `whole` every pass is finished.

    Clients do not finish their last pass: the last one would have the machine to itself.
    """
    mine = [singles[number] for number in numbers]
    times: list[int] = []
    clock, keep = (
        time.perf_counter_ns,
        times.append,
    )  # local names: the time between two calls counts against the engine
    start = clock()
    end = start + int(seconds * 1e9)
    stop = math.inf
    while True:
        for single in mine:
            before = clock()
            search(single, k)
            now = clock()
            keep(now - before)
            if now >= stop:
                return Pass(start, now, numbers, times)
        if now >= end:
            return Pass(start, now, numbers, times)
        stop = math.inf if whole else end


def ask_together(
    search: SearchFunction,
    singles: Sequence[Vectors],
    k: int,
    which: tuple[int, int],
    repeats: int,
    seconds: float,
    wait: Callable[[], object],
) -> list[Pass]:
    """The passes of one client; `which` is its number and the number of clients, `wait` returns when all are ready.

    It sends its share of the queries, or all of them if there are more clients than queries.
    """
    number, clients = which
    mine = range(len(singles))[number::clients] or range(len(singles))
    search(singles[mine[0]], k)  # whatever the first call sets up is ready before the clock starts
    passes = []
    for _ in range(repeats):
        wait()
        passes.append(one_pass(search, singles, mine, k, seconds, whole=False))
    return passes


def _client_threads(search: SearchFunction, singles: Sequence[Vectors], k: int) -> ClientGroup:
    """Clients as threads of this process, for a library that works outside of Python's lock."""

    def ask(clients: int, repeats: int, seconds: float) -> list[list[Pass]]:
        together = threading.Barrier(clients)

        def client(number: int) -> list[Pass]:
            try:
                return ask_together(search, singles, k, (number, clients), repeats, seconds, together.wait)
            except BaseException:
                together.abort()  # the other clients must not wait for this one
                raise

        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(client, number) for number in range(clients)]
        errors = [error for one in running if (error := one.exception()) is not None]
        if errors:  # raise the cause, not the broken barrier of the other clients
            raise next((error for error in errors if not isinstance(error, threading.BrokenBarrierError)), errors[0])
        return [list(repeat) for repeat in zip(*(one.result() for one in running), strict=True)]

    return ask


def _summarise(rows: IntArray, repeats: Sequence[Sequence[Pass]], *, batch: bool) -> Measured:
    """Speeds and latencies. A repeat lasts from the first start to the last end of its clients."""
    every = [one for repeat in repeats for one in repeat]
    times = np.concatenate([np.array(one.times, dtype=np.int64) for one in every])
    inside = float(times.sum()) / sum(one.end - one.start for one in every)
    speeds = tuple(
        Repeat(
            (max(one.end for one in repeat) - min(one.start for one in repeat)) / 1e9,
            sum(len(one.times) for one in repeat) * (len(rows) if batch else 1),
        )
        for repeat in repeats
    )
    if batch:
        return Measured(rows, EngineSpeed(speeds, None, inside), None)
    numbers = np.concatenate([np.resize(np.array(one.numbers, dtype=np.int64), len(one.times)) for one in every])
    return Measured(rows, EngineSpeed(speeds, percentiles(times), inside), _by_query(numbers, times, len(rows)))


def percentiles(nanoseconds: IntArray) -> Mapping[str, float]:
    """Percentiles in milliseconds; each is the time of an actual call."""
    values = np.percentile(nanoseconds, list(_PERCENTILES.values()), method="higher") / 1e6
    return dict(zip(_PERCENTILES, values.tolist(), strict=True))


def _by_query(numbers: IntArray, times: IntArray, queries: int) -> IntArray:
    order = np.lexsort((times, numbers))
    counts = np.bincount(numbers, minlength=queries)
    starts = np.cumsum(counts) - counts
    middles: IntArray = times[order][starts + (counts - 1) // 2]
    return middles
