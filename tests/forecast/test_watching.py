"""What is seen of tasks while they run."""

from __future__ import annotations

import os

import pytest

from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.forecast.clock import now, peak_bytes, reset_peak
from constraintsuite.forecast.costs import MeasuringEngine

MIB = 1 << 20


@pytest.mark.parametrize("workers", [1, 2])
def test_a_watched_engine_gives_the_same_results(workers: int) -> None:
    engine = MeasuringEngine(LocalEngine(workers))
    assert engine.map(abs, [-3, 2, -1]) == [3, 2, 1]
    (found,) = engine.take()
    assert len(found.tasks) == 3
    assert all((cost.process == os.getpid()) is (workers == 1) for cost in found.tasks)
    assert len(found.started) == len({cost.process for cost in found.tasks} - {os.getpid()})
    assert all(seconds > 0 for seconds in found.started)
    assert engine.take() == ()


def test_workers_that_stay_start_once() -> None:
    engine = MeasuringEngine(LocalEngine(2))
    for _ in range(4):
        engine.map(abs, [-3, 2, -1])
    maps = engine.take()
    started = sum(len(each.started) for each in maps)
    assert started == len({cost.process for each in maps for cost in each.tasks}) <= 2


def test_a_peak_of_memory_is_seen_after_it_is_gone() -> None:
    reset_peak()
    before = peak_bytes()
    held = bytearray(b"x") * (64 * MIB)
    del held
    assert peak_bytes() >= before + 48 * MIB


def test_no_more_is_own_than_passed() -> None:
    begin = now()
    sum(range(10_000))
    spent = now() - begin
    assert 0 <= spent.own <= spent.wall
