"""The clock: whole passes, calls counted, percentiles only of single queries."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from constraintsuite.vectors.ann.data import IntArray, Vectors
from constraintsuite.vectors.ann.settings import MeasuringProtocol
from constraintsuite.vectors.ann.timing import measure, one_pass, percentiles

QUERIES = np.arange(6, dtype=np.float32)[:, np.newaxis]


class Slow:
    """Answers each query with its own number, after a millisecond."""

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.threads: set[int] = set()
        self.inside = self.together = 0
        """Calls at this moment, and the most there ever were."""
        self._lock = threading.Lock()

    def search(self, queries: Vectors, k: int) -> IntArray:
        with self._lock:
            self.calls.append(len(queries))
            self.threads.add(threading.get_ident())
            self.inside += 1
            self.together = max(self.together, self.inside)
        time.sleep(0.001)
        with self._lock:
            self.inside -= 1
        return np.repeat(queries.astype(np.int64), k, axis=1)


def test_serial_asks_one_query_a_call() -> None:
    slow = Slow()
    found = measure(slow.search, QUERIES, 2, "serial", 1, MeasuringProtocol(repeats=3, min_seconds=0, warmup=2))
    assert found.rows.tolist() == [[n, n] for n in range(6)]
    assert slow.calls == [1] * 6 * (2 + 3)  # two passes before the clock runs
    assert [repeat.queries for repeat in found.speed.repeats] == [6, 6, 6]
    assert found.speed.latencies_ms is not None
    assert found.speed.latencies_ms["p50"] >= 1
    assert found.latencies is not None
    assert (found.latencies >= 1_000_000).all()
    assert found.speed.engine_share is not None
    assert 0 < found.speed.engine_share <= 1
    assert found.speed.qps < 1_000


def test_a_batch_has_no_latencies() -> None:
    slow = Slow()
    found = measure(slow.search, QUERIES, 1, "batch", 1, MeasuringProtocol(repeats=2, min_seconds=0))
    assert slow.calls == [6] * 3
    assert (found.speed.latencies_ms, found.latencies) == (None, None)


def test_a_short_measurement_goes_over_the_queries_again() -> None:
    found = measure(Slow().search, QUERIES, 1, "batch", 1, MeasuringProtocol(repeats=2, min_seconds=0.02))
    assert all(repeat.seconds >= 0.02 and repeat.queries >= 12 for repeat in found.speed.repeats)


@pytest.mark.parametrize("clients", [1, 3, 9])
def test_clients_ask_at_the_same_time_and_every_query_is_asked(clients: int) -> None:
    slow = Slow()
    found = measure(slow.search, QUERIES, 1, "concurrent", clients, MeasuringProtocol(repeats=1, min_seconds=0.03))
    assert found.rows.tolist() == [[n] for n in range(6)]
    assert found.latencies is not None
    assert (found.latencies > 0).all()
    assert found.speed.repeats[0].queries >= 6
    assert len(slow.threads) >= clients
    assert (slow.together > 1) == (clients > 1)


def test_an_error_of_a_client_is_not_lost() -> None:
    slow = Slow()

    def fails_in_threads(queries: Vectors, k: int) -> IntArray:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("no connection")
        return slow.search(queries, k)

    with pytest.raises(RuntimeError, match="no connection"):
        measure(fails_in_threads, QUERIES, 1, "concurrent", 2, MeasuringProtocol(repeats=1, min_seconds=0))


def test_a_percentile_is_the_time_of_a_call_that_happened() -> None:
    times = np.arange(1, 101, dtype=np.int64) * 1_000_000
    assert percentiles(times) == {"p50": 51.0, "p95": 96.0, "p99": 100.0, "p999": 100.0}


class Ticks:
    """A clock that goes on by one whenever it is read."""

    def __init__(self) -> None:
        self.now = 0

    def read(self) -> int:
        self.now += 1
        return self.now


def test_the_clock_is_read_twice_a_call_and_nothing_else_is_done_between(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Ticks()
    monkeypatch.setattr("constraintsuite.vectors.ann.timing.time.perf_counter_ns", clock.read)

    def answer(queries: Vectors, k: int) -> IntArray:
        clock.now += 97  # of a hundred, with both readings and one between two calls
        return np.zeros((len(queries), k), dtype=np.int64)

    found = measure(answer, QUERIES, 1, "serial", 1, MeasuringProtocol(repeats=2, min_seconds=0))
    assert found.speed.latencies_ms == dict.fromkeys(("p50", "p95", "p99", "p999"), 98 / 1e6)
    assert found.speed.repeats[0].seconds == pytest.approx(6 * 99 / 1e9)
    assert found.speed.engine_share == pytest.approx(98 / 99)


@pytest.mark.parametrize(("whole", "calls"), [(True, 6), (False, 4)])
def test_clients_stop_with_the_time_and_others_with_the_pass(
    whole: bool, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Ticks()
    monkeypatch.setattr("constraintsuite.vectors.ann.timing.time.perf_counter_ns", clock.read)

    def answer(queries: Vectors, k: int) -> IntArray:
        clock.now += 98
        return np.zeros((len(queries), k), dtype=np.int64)

    singles = [QUERIES[i : i + 1] for i in range(3)]
    done = one_pass(answer, singles, range(3), 1, 350e-9, whole=whole)
    assert len(done.times) == calls
    assert done.end - done.start == calls * 100


def test_no_client_starts_before_all_of_them_have_asked_once() -> None:
    lock = threading.Lock()
    asked: list[int] = []

    def answer(queries: Vectors, k: int) -> IntArray:
        with lock:
            asked.append(threading.get_ident())
        return np.zeros((len(queries), k), dtype=np.int64)

    measure(answer, QUERIES, 1, "concurrent", 3, MeasuringProtocol(repeats=2, min_seconds=0))
    by_clients = asked[6:]  # the first pass gave the answers
    assert len(set(by_clients[:3])) == 3
    assert len(by_clients) == 3 + 2 * 6
