"""The lines of a plan: time, storage, memory and money, each with its formula and its range."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.forecast.amounts import in_bytes, in_growth, in_money, in_time, with_noun
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.growth import NOTHING, Fit, GrowthCurve, Range, exactly
from constraintsuite.forecast.rates import Rate, threads_of
from constraintsuite.forecast.steps import (
    BY_EXAMPLES,
    WRITE_EXAMPLES,
    BuildQuantity,
    Samples,
    StepCost,
    documents_of,
    estimate_examples,
    examples_of,
    portion_of,
)
from constraintsuite.suites.recipe import Recipe

_FLOAT = 4
PEAK_ERROR = 1 << 19
"""Bytes by which the peaks of two builds of equal size may differ: the allocator asks for memory in large pieces."""


@dataclass(frozen=True)
class ForecastLine:
    """One amount of a plan: its name, its formula and its range."""

    name: str
    arithmetic: str
    amount: Range


def total(lines: Iterable[ForecastLine]) -> Range:
    """The sum of the amounts of all lines."""
    return reduce(Range.plus, (line.amount for line in lines), NOTHING)


def start_line(samples: Samples, cluster: Cluster) -> ForecastLine:
    """Seconds until the first step begins, and until the workers have started."""
    program = samples.median(lambda build: build.start.own)
    if cluster.all_workers == 1:
        return ForecastLine("start", "load the program", exactly(program))
    workers = samples.median(lambda build: build.worker_start)
    arithmetic = f"{in_time(program)} to load the program, then {in_time(workers)} for all workers in parallel"
    return ForecastLine("start", arithmetic, exactly(program + workers))


def step_line(step: StepCost, cluster: Cluster) -> ForecastLine:
    """Seconds of one step of the build."""
    driver = f"driver: {in_growth(step.driver.best, step.units, in_time, step.unit)}"
    if step.spread is None:
        return ForecastLine(step.name, driver, step.seconds)
    spread = step.spread
    work = in_growth(spread.work.best, step.units, in_time)
    if cluster.all_workers > 1:
        share = spread.shards / (spread.turns * cluster.all_workers * spread.longest) * spread.efficiency
        workers = f"{with_noun(cluster.nodes, 'node')} x {with_noun(cluster.workers, 'worker')}"
        work = f"({work}) / ({workers} x {share:.2f})"
    return ForecastLine(step.name, f"{work} + load {in_time(spread.load)}; {driver}", step.seconds)


def source_line(seconds: float, documents: int) -> ForecastLine:
    """Seconds by which the source is slower to read than the sample files."""
    amount = seconds * documents
    return ForecastLine("source", f"driver: {in_time(seconds)} x {documents:,}", Range(amount, 0.0, amount))


def storage_lines(steps: Sequence[StepCost], embed: Rate | None, documents: int) -> list[ForecastLine]:
    """Bytes that each step, and the vectors, leave on disk."""
    lines = []
    for step in steps:
        unit = "examples" if step.name in WRITE_EXAMPLES else "documents"
        arithmetic = in_growth(step.stored.best, step.kept, in_bytes, unit)
        lines.append(ForecastLine(step.name, arithmetic, step.stored.at(step.kept)))
    if embed is not None:
        arithmetic = f"{documents:,} x {embed.dimensions} dimensions x {_FLOAT} bytes"
        lines.append(ForecastLine("vectors", arithmetic, exactly(documents * embed.dimensions * _FLOAT)))
    return lines


def money_lines(seconds: Range, stored: Range, cluster: Cluster, prices: Prices) -> list[ForecastLine]:
    """The cost of machines and of storage, as far as prices are given."""
    lines = []
    if prices.node_hour is not None:
        arithmetic = f"{with_noun(cluster.nodes, 'node')} x {seconds.value / 3600:.3g} h x {in_money(prices.node_hour)}"
        lines.append(ForecastLine("nodes", arithmetic, seconds.times(cluster.nodes / 3600 * prices.node_hour)))
    if prices.gb_month is not None:
        arithmetic = f"{stored.value / 1e9:.3g} GB x {prices.gb_month:g} per month"
        lines.append(ForecastLine("storage, a month", arithmetic, stored.times(prices.gb_month / 1e9)))
    return lines


class _MemoryPart(NamedTuple):
    """Memory that grows with one quantity."""

    fit: Fit
    size: float
    unit: str
    apart: float
    """Difference between the largest and the smallest sample, in that quantity."""

    def amount(self) -> Range:
        """Bytes; the range is at least as wide as the error of a peak, extrapolated."""
        found = self.fit.at(self.size)
        error = PEAK_ERROR * self.size / self.apart if self.apart else 0.0
        low = max(min(found.low, self.fit.best.fixed), found.low - error)
        return Range(found.value, low, found.high + error)

    def arithmetic(self) -> str:
        """The formula of the amount."""
        return in_growth(self.fit.best, self.size, in_bytes, self.unit)


def memory_lines(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster) -> list[ForecastLine]:
    """Peak bytes of the driver, of a worker, and of the node that runs the driver and its workers."""
    driver = driver_line(recipe, samples, documents)
    if cluster.all_workers == 1:
        return [driver]
    part = _by_portion(recipe, samples, documents, lambda build: build.worker_peak)
    worker = ForecastLine("worker", part.arithmetic(), part.amount())
    amount = driver.amount.plus(worker.amount.times(cluster.workers))
    workers = f"{with_noun(cluster.workers, 'worker')} x {in_bytes(worker.amount.value)}"
    return [driver, worker, ForecastLine("first node", f"{in_bytes(driver.amount.value)} + {workers}", amount)]


def driver_line(recipe: Recipe, samples: Samples, documents: int) -> ForecastLine:
    """Peak bytes of the driver. They grow with documents and examples; with one worker also with the size of a shard."""
    parts = list(_driver_parts(recipe, samples, documents))
    formulas = (part.arithmetic() for part in parts if part.fit.best != GrowthCurve(0.0, 0.0))
    return ForecastLine("driver", " + ".join(formulas), reduce(Range.plus, (part.amount() for part in parts)))


def _driver_parts(recipe: Recipe, samples: Samples, documents: int) -> Iterator[_MemoryPart]:
    stages = samples.large[0].stages
    spread = {stage.name for stage in stages if stage.maps} if samples.large[0].workers == 1 else set()
    few = set(BY_EXAMPLES)
    others = {stage.name for stage in stages} - spread - few
    sizes = [build.documents for build in samples.all]
    fit = samples.fit_memory(lambda build: build.raised_by(others), documents_of)
    yield _MemoryPart(fit, documents, "documents", max(sizes) - min(sizes))
    if spread:
        yield _by_portion(recipe, samples, documents, lambda build: build.raised_by(spread))
    fit = samples.fit_memory(lambda build: build.raised_by(few), examples_of)
    yield _MemoryPart(fit, estimate_examples(recipe, samples, documents), "examples", 0)


def _by_portion(recipe: Recipe, samples: Samples, documents: int, peak: BuildQuantity) -> _MemoryPart:
    sizes = [samples.portion(build) for build in samples.all]
    portion, fit = portion_of(documents, recipe.documents.shards), samples.fit_memory(peak, samples.portion)
    return _MemoryPart(fit, portion, "documents per worker", max(sizes) - min(sizes))


def check_threads(model: str, cluster: Cluster) -> None:
    """Refuse a model that asks for more threads than a node has cores."""
    threads = threads_of(model)
    if threads.fixed and threads.count > cluster.cores:
        raise UserError(
            f"{model}: a worker takes {threads.count} threads, and a node has {with_noun(cluster.cores, 'core')}. Give fewer "
            "threads, or --cores-per-node."
        )


def rate_line(name: str, rate: Rate, count: float, cluster: Cluster) -> ForecastLine:
    """Seconds of a model on `count` texts or pairs. The worker with the most shards decides."""
    each = f"{in_time(rate.seconds.value)} x {count:,.0f} {rate.what}"
    if rate.shard is None:
        return ForecastLine(name, f"driver: {each}", rate.seconds.times(count))
    if rate.on_gpu:
        copies, speed, words = cluster.gpus, 1.0, with_noun(cluster.gpus, "GPU")
    else:
        threads = rate.threads.count if rate.threads.fixed else cluster.cores
        workers = max(1, cluster.cores // threads)
        copies, speed = cluster.nodes * workers, threads / rate.threads.count
        words = f"{with_noun(cluster.nodes, 'node')} x {with_noun(workers, 'worker')} x "
        words += f"{threads} threads / {rate.threads.count} here"
    shards = max(1, math.ceil(count / rate.shard))
    turns = math.ceil(shards / copies)
    seconds = rate.seconds.times(count * turns / shards / speed)
    return ForecastLine(name, f"{each} / ({words} x {shards / (turns * copies):.2f})", seconds)
