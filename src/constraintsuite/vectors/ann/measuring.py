"""The clock: one query a call, all queries in one call, or several clients at once; never mixed in one figure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from constraintsuite.vectors.ann.data import IntArray, Vectors
from constraintsuite.vectors.ann.results import Repeat, Speed
from constraintsuite.vectors.ann.settings import Mode, Protocol

Search = Callable[[Vectors, int], IntArray]
_PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p999": 99.9}


class Measured(NamedTuple):
    """What was answered, and how fast."""

    rows: IntArray  # (queries, k)
    speed: Speed
    latencies: IntArray | None
    """Nanoseconds of each query, the median of its calls; None where a call holds more than one query."""


class _Pass(NamedTuple):
    start: int
    end: int
    calls: list[tuple[int, int]]
    """Number of the query, and how long its call took."""


def measure(search: Search, queries: Vectors, k: int, mode: Mode, clients: int, protocol: Protocol) -> Measured:
    """Answer all queries again and again by the protocol; what is answered is kept from a pass before the clock runs."""
    singles = [np.ascontiguousarray(queries[i : i + 1]) for i in range(len(queries))]
    if mode == "batch":
        rows = search(queries, k)
        return _measure_batch(search, queries, k, protocol, rows)
    rows = np.concatenate([search(single, k) for single in singles])
    for _ in range(max(0, protocol.warmup - 1)):  # the pass for the rows was the first
        _one_pass(search, singles, k, 0.0)
    if mode == "serial":
        passes = [_one_pass(search, singles, k, protocol.min_seconds) for _ in range(protocol.repeats)]
        return _single_calls(rows, passes, len(queries), clients)
    passes = [_many_clients(search, singles, k, clients, protocol.min_seconds) for _ in range(protocol.repeats)]
    return _single_calls(rows, passes, len(queries), clients)


def _measure_batch(search: Search, queries: Vectors, k: int, protocol: Protocol, rows: IntArray) -> Measured:
    for _ in range(max(0, protocol.warmup - 1)):
        search(queries, k)
    repeats, inside, wall = [], 0, 0
    for _ in range(protocol.repeats):
        done, start = 0, time.perf_counter_ns()
        end = start + int(protocol.min_seconds * 1e9)
        while True:
            before = time.perf_counter_ns()
            search(queries, k)
            now = time.perf_counter_ns()
            inside, done = inside + now - before, done + len(queries)
            if now >= end:
                break
        wall += now - start
        repeats.append(Repeat((now - start) / 1e9, done))
    return Measured(rows, Speed(tuple(repeats), None, inside / wall), None)


def _one_pass(search: Search, singles: Sequence[Vectors], k: int, seconds: float) -> _Pass:
    """All queries at least once, and whole passes until the time is over."""
    calls: list[tuple[int, int]] = []
    clock = time.perf_counter_ns
    start = clock()
    end = start + int(seconds * 1e9)
    while True:
        for number, single in enumerate(singles):
            before = clock()
            search(single, k)
            calls.append((number, clock() - before))
        now = clock()
        if now >= end:
            return _Pass(start, now, calls)


def _many_clients(search: Search, singles: Sequence[Vectors], k: int, clients: int, seconds: float) -> _Pass:
    """A closed loop: each client asks its share of the queries, one after the other, and begins again until the time is over.

    The clock runs from the first start to the last end, so that what clients lose on each other counts.
    """
    numbers = range(len(singles))

    def ask(client: int) -> _Pass:
        share = numbers[client::clients] or numbers
        mine = [singles[number] for number in share]
        search(mine[0], k)  # its connection is opened before its clock runs
        done = _one_pass(search, mine, k, seconds)
        return _Pass(done.start, done.end, [(share[number], nanoseconds) for number, nanoseconds in done.calls])

    with ThreadPoolExecutor(clients) as pool:
        asked = [one.result() for one in [pool.submit(ask, client) for client in range(clients)]]
    calls = [call for one in asked for call in one.calls]
    return _Pass(min(one.start for one in asked), max(one.end for one in asked), calls)


def _single_calls(rows: IntArray, passes: Sequence[_Pass], queries: int, clients: int) -> Measured:
    calls = np.array([call for one in passes for call in one.calls], dtype=np.int64)  # (calls, 2)
    wall = sum(one.end - one.start for one in passes)
    repeats = tuple(Repeat((one.end - one.start) / 1e9, len(one.calls)) for one in passes)
    share = min(1.0, float(calls[:, 1].sum()) / wall) if clients == 1 else None
    speed = Speed(repeats, percentiles(calls[:, 1]), share)
    return Measured(rows, speed, _by_query(calls, queries))


def percentiles(nanoseconds: IntArray) -> Mapping[str, float]:
    """In milliseconds; each is the time of a call that happened."""
    values = np.percentile(nanoseconds, list(_PERCENTILES.values()), method="higher") / 1e6
    return dict(zip(_PERCENTILES, values.tolist(), strict=True))


def _by_query(calls: IntArray, queries: int) -> IntArray:
    order = np.lexsort((calls[:, 1], calls[:, 0]))
    counts = np.bincount(calls[:, 0], minlength=queries)
    starts = np.cumsum(counts) - counts
    middles: IntArray = calls[order, 1][starts + (counts - 1) // 2]
    return middles
