"""What is read out of the costs of shards."""

from __future__ import annotations

import pytest

from constraintsuite.forecast.clock import Spent
from constraintsuite.forecast.costs import MapCost
from forecast.watched_builds import build, in_shards, stage, task

TWO_WORKERS = MapCost(
    (
        task(7, 3.0, peak=10),
        task(8, 4.0, peak=12),
        task(7, 1.0, peak=11),
        task(8, 1.0, peak=12),
        task(7, 1.0, peak=11),
    ),
    Spent(9.0, 8.0),
    started=(1.5, 2.5),
)
SAME_WORKERS = MapCost((task(7, 1.0), task(8, 3.0)), Spent(3.0, 3.0))


def test_the_first_shard_of_a_worker_carries_its_loading() -> None:
    assert TWO_WORKERS.load == pytest.approx((2.0 + 3.0) / 2)
    assert TWO_WORKERS.work_seconds == pytest.approx(5.0)


def test_workers_start_once_in_a_build() -> None:
    found = build(100, stage("mentions", 0.0, TWO_WORKERS), stage("kept", 0.0, SAME_WORKERS))
    assert found.worker_start == pytest.approx(2.0)
    assert build(100, stage("mentions", 0.0, in_shards(8.0))).worker_start == 0.0


def test_a_map_without_shards_takes_nothing() -> None:
    empty = MapCost((), Spent(0.0, 0.0))
    assert (empty.load, empty.work_seconds) == (0.0, 0.0)


def test_a_build_adds_up() -> None:
    found = build(
        100,
        stage("documents", 2.0, peak=5, stored=100),
        stage("mentions", 0.5, TWO_WORKERS, peak=4, stored=300),
    )
    assert found.stage("mentions").driver == pytest.approx(0.5)
    assert sum(span.own for span in found.spans) == pytest.approx(1.0 + 2.0 + (0.5 + 8.0) + 10.0)
    assert found.worker_peak == 12
