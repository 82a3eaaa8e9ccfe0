"""Builds as they might have been watched, with all numbers in sight."""

from __future__ import annotations

from constraintsuite.forecast.clock import Spent
from constraintsuite.forecast.costs import BuildCost, MapCost, StageCost, TaskCost
from constraintsuite.forecast.steps import STEPS

DRIVER = 1


def task(process: int, seconds: float, *, peak: int = 0) -> TaskCost:
    return TaskCost(process, Spent(seconds, seconds), peak)


def stage(name: str, driver: float, *maps: MapCost, peak: int = 0, stored: int = 0) -> StageCost:
    seconds = driver + sum(each.spent.own for each in maps)
    return StageCost(name, Spent(seconds, seconds), maps, peak, stored)


def build(documents: int, *stages: StageCost, examples: int = 0, workers: int = 1) -> BuildCost:
    """Stages that are not given took nothing."""
    given = {each.name: each for each in stages}
    return BuildCost(
        documents,
        workers,
        examples,
        6 * examples,
        Spent(1.0, 1.0),
        tuple(given.get(name, stage(name, 0.0)) for name in STEPS),
    )


def in_shards(seconds: float, shards: int = 4) -> MapCost:
    """Done by the driver, one shard after the other, all alike."""
    return MapCost(tuple(task(DRIVER, seconds / shards) for _ in range(shards)), Spent(seconds, seconds))
