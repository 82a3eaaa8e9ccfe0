"""Times of searches, and the fixed work beside them."""

from __future__ import annotations

import pytest

from constraintsuite.memory.results import Latency
from constraintsuite.memory.runs.benchmarks import calibrate, timing_of


def test_a_query_counts_with_the_median_of_its_warm_times() -> None:
    def row(item: str, milliseconds: float) -> Latency:
        return Latency("ppr", item, 5, milliseconds / 1000)

    passes = [
        [row("a", 90), row("b", 50)],
        [row("a", 2), row("b", 4)],
        [row("a", 9), row("b", 4)],
        [row("a", 3), row("b", 4)],
    ]
    (speed,) = timing_of(passes, [2.0, 8.0, 3.0]).speeds
    assert (speed.items, speed.repetitions, speed.cold_ms) == (2, 3, 70.0)
    assert (speed.p50_ms, speed.p95_ms) == (3.5, 3.95)
    assert timing_of(passes, [2.0, 8.0, 3.0]).calibration_ms == 3.0
    (cold,) = timing_of(passes[:1], [2.0]).speeds
    assert (cold.repetitions, cold.p50_ms) == (0, 70.0)


def test_the_calibration_is_the_least_of_its_times() -> None:
    ticks = iter([0.0, 0.009] + [1.0, 1.002] + [0.0, 0.5] * 13)
    assert calibrate(lambda: next(ticks)) == pytest.approx(2.0)
