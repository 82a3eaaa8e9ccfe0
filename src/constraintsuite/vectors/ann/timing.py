"""The clock: one query a call, all queries in one call, or several clients at once; never mixed in one figure."""

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
    """What was answered, and how fast."""

    rows: IntArray  # (queries, k)
    speed: EngineSpeed
    latencies: IntArray | None
    """Nanoseconds of each query, the median of its calls; None where a call holds more than one query."""


class Pass(NamedTuple):
    """What one client asked, from its first call to its last."""

    start: int
    end: int
    numbers: Sequence[int]
    """Of its queries; it asks them in this order, again and again."""
    times: Sequence[int]
    """Nanoseconds of each call."""


ClientGroup = Callable[[int, int, float], list[list[Pass]]]
"""Clients that ask at the same time, in a closed loop. From their number, the number of repeats and the seconds of each: for
each repeat, what every client did."""


def measure(
    search: SearchFunction,
    queries: Vectors,
    k: int,
    mode: QueryMode,
    clients: int,
    protocol: MeasuringProtocol,
    group: ClientGroup | None = None,
) -> Measured:
    """Answer all queries again and again by the protocol; what is answered is kept from a pass before the clock runs.

    Clients are threads unless a `group` is given.
    """
    calls = [queries] if mode == "batch" else single_queries(queries)
    numbers = range(len(calls))
    rows = np.concatenate([search(call, k) for call in calls])
    for _ in range(protocol.warmup - 1):  # the pass for the rows was the first
        one_pass(search, calls, numbers, k, 0.0)
    if mode == "concurrent":
        group = group or client_threads(search, calls, k)
        repeats = group(clients, protocol.repeats, protocol.min_seconds)
    else:
        repeats = [[one_pass(search, calls, numbers, k, protocol.min_seconds)] for _ in range(protocol.repeats)]
    return _summarise(rows, repeats, batch=mode == "batch")


def single_queries(queries: Vectors) -> list[Vectors]:
    """Each query as a table of one row."""
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
    """All queries at least once, then again until the time is over; passes are `whole`, so that all queries count alike.

    Clients stop at the call with which the time is over: who finished his pass alone would have the machine for himself.
    """
    mine = [singles[number] for number in numbers]
    times: list[int] = []
    clock, keep = time.perf_counter_ns, times.append  # what stands between two calls counts against the engine
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
    """What one client did in each repeat; `which` is its number and how many there are, `wait` returns when all are ready.

    It asks its share of the queries, or all of them where there are more clients than queries.
    """
    number, clients = which
    mine = range(len(singles))[number::clients] or range(len(singles))
    search(singles[mine[0]], k)  # what a client needs at first is there before the clock runs
    passes = []
    for _ in range(repeats):
        wait()
        passes.append(one_pass(search, singles, mine, k, seconds, whole=False))
    return passes


def client_threads(search: SearchFunction, singles: Sequence[Vectors], k: int) -> ClientGroup:
    """Clients in this process: right for a library, which does its work outside Python's lock."""

    def ask(clients: int, repeats: int, seconds: float) -> list[list[Pass]]:
        together = threading.Barrier(clients)

        def client(number: int) -> list[Pass]:
            try:
                return ask_together(search, singles, k, (number, clients), repeats, seconds, together.wait)
            except BaseException:
                together.abort()  # nobody shall wait for this one
                raise

        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(client, number) for number in range(clients)]
        errors = [error for one in running if (error := one.exception()) is not None]
        if errors:  # the cause, and not that others were left waiting for it
            raise next((error for error in errors if not isinstance(error, threading.BrokenBarrierError)), errors[0])
        return [list(repeat) for repeat in zip(*(one.result() for one in running), strict=True)]

    return ask


def _summarise(rows: IntArray, repeats: Sequence[Sequence[Pass]], *, batch: bool) -> Measured:
    """The clock of a repeat runs from the first start to the last end, so that what clients lose on each other counts."""
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
    """In milliseconds; each is the time of a call that happened."""
    values = np.percentile(nanoseconds, list(_PERCENTILES.values()), method="higher") / 1e6
    return dict(zip(_PERCENTILES, values.tolist(), strict=True))


def _by_query(numbers: IntArray, times: IntArray, queries: int) -> IntArray:
    order = np.lexsort((times, numbers))
    counts = np.bincount(numbers, minlength=queries)
    starts = np.cumsum(counts) - counts
    middles: IntArray = times[order][starts + (counts - 1) // 2]
    return middles
