"""The lines of a plan on memory: what the driver holds, a worker, and the node that has both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from constraintsuite.forecast.amounts import counted, in_bytes, in_growth
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.costs import BuildCost
from constraintsuite.forecast.growth import NOTHING, Fit, GrowthCurve, Range
from constraintsuite.forecast.lines import ForecastLine
from constraintsuite.forecast.steps import BY_EXAMPLES, Samples, foretell_examples, portion_of
from constraintsuite.suites.recipe import Recipe

BLUR = 1 << 19
"""Bytes by which the peaks of two builds of as many documents may differ: the allocator asks for memory in lumps."""


class _Part(NamedTuple):
    """What grows with one thing."""

    fit: Fit
    size: float
    unit: str
    apart: float
    """How far the sizes of the samples are apart."""

    def amount(self) -> Range:
        """Bytes; the range is at least as wide as the blur, carried on."""
        found = self.fit.at(self.size)
        blur = BLUR * self.size / self.apart if self.apart else 0.0
        low = max(min(found.low, self.fit.best.fixed), found.low - blur)
        return Range(found.value, low, found.high + blur)

    def words(self) -> str:
        """The arithmetic."""
        return in_growth(self.fit.best, self.size, in_bytes, self.unit)


def memory_lines(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster) -> list[ForecastLine]:
    """Bytes of the driver and of a worker at their most, and of the node that runs both."""
    driver = driver_line(recipe, samples, documents)
    if cluster.all_workers == 1:
        return [driver]
    part = _by_portion(recipe, samples, documents, lambda build: build.worker_peak)
    worker = ForecastLine("worker", part.words(), part.amount())
    amount = driver.amount.plus(worker.amount.times(cluster.workers))
    arithmetic = (
        f"{in_bytes(driver.amount.value)} + {counted(cluster.workers, 'worker')} x {in_bytes(worker.amount.value)}"
    )
    return [driver, worker, ForecastLine("first node", arithmetic, amount)]


def driver_line(recipe: Recipe, samples: Samples, documents: int) -> ForecastLine:
    """Bytes of the driver: by documents, with one worker also by those of a shard that it has at once, and by examples."""
    parts = list(_driver_parts(recipe, samples, documents))
    amount = NOTHING
    for part in parts:
        amount = amount.plus(part.amount())
    return ForecastLine(
        "driver", " + ".join(part.words() for part in parts if part.fit.best != GrowthCurve(0.0, 0.0)), amount
    )


def _driver_parts(recipe: Recipe, samples: Samples, documents: int) -> Iterator[_Part]:
    stages = samples.large[0].stages
    spread = {stage.name for stage in stages if stage.maps} if samples.large[0].workers == 1 else set()
    few = set(BY_EXAMPLES)
    others = {stage.name for stage in stages} - spread - few
    sizes = [build.documents for build in samples.all]
    fit = samples.fit_memory(lambda build: build.raised_by(others), lambda build: build.documents)
    yield _Part(fit, documents, "documents", max(sizes) - min(sizes))
    if spread:
        yield _by_portion(recipe, samples, documents, lambda build: build.raised_by(spread))
    fit = samples.fit_memory(lambda build: build.raised_by(few), lambda build: build.examples)
    yield _Part(fit, foretell_examples(recipe, samples, documents), "examples", 0)


def _by_portion(recipe: Recipe, samples: Samples, documents: int, held: Callable[[BuildCost], float]) -> _Part:
    sizes = [samples.portion(build) for build in samples.all]
    portion = portion_of(documents, recipe.documents.shards)
    return _Part(samples.fit_memory(held, samples.portion), portion, "of a shard at once", max(sizes) - min(sizes))
