"""The lines of a plan on time, storage, memory and money: name, arithmetic, and amount with its range."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.forecast.amounts import counted, in_bytes, in_growth, in_money, in_time
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.costs import BuildCost
from constraintsuite.forecast.growth import NOTHING, Fit, GrowthCurve, Range
from constraintsuite.forecast.rates import Rate, threads_of
from constraintsuite.forecast.steps import BY_EXAMPLES, WRITE_EXAMPLES, Samples, StepCost, estimate_examples, portion_of
from constraintsuite.suites.recipe import Recipe

_FLOAT = 4


@dataclass(frozen=True)
class ForecastLine:
    """One amount of a plan: its name, how it was worked out, and its range."""

    name: str
    arithmetic: str
    amount: Range


def total(lines: Iterable[ForecastLine]) -> Range:
    """The sum of the amounts of all lines."""
    amount = NOTHING
    for line in lines:
        amount = amount.plus(line.amount)
    return amount


def start_line(samples: Samples, cluster: Cluster) -> ForecastLine:
    """Seconds until the first step begins, and once until the workers have something to do."""
    program = samples.middle(lambda build: build.start.own)
    if cluster.all_workers == 1:
        return ForecastLine("start", "the program is loaded", Range(program, program, program))
    workers = samples.middle(lambda build: build.worker_start)
    seconds = program + workers
    arithmetic = f"the program is loaded: {in_time(program)}; then by the workers, side by side: {in_time(workers)}"
    return ForecastLine("start", arithmetic, Range(seconds, seconds, seconds))


def step_line(step: StepCost, cluster: Cluster) -> ForecastLine:
    """Seconds of a step of the build."""
    alone = in_growth(step.driver.best, step.units, in_time, step.unit)
    if step.spread is None:
        return ForecastLine(step.name, f"driver: {alone}", step.seconds)
    spread = step.spread
    work = in_growth(spread.work.best, step.units, in_time)
    rest = f" + load {in_time(spread.load)}; driver: {alone}"
    if cluster.all_workers == 1:
        return ForecastLine(step.name, f"{work}{rest}", step.seconds)
    share = spread.shards / (spread.turns * cluster.all_workers * spread.longest) * spread.efficiency
    workers = f"{counted(cluster.nodes, 'node')} x {counted(cluster.workers, 'worker')}"
    return ForecastLine(step.name, f"({work}) / ({workers} x {share:.2f}){rest}", step.seconds)


def source_line(seconds: float, documents: int) -> ForecastLine:
    """Seconds by which the source is slower to read than the sample was."""
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
        size = float(documents * embed.dimensions * _FLOAT)
        arithmetic = f"{documents:,} x {embed.dimensions} dimensions x {_FLOAT} bytes"
        lines.append(ForecastLine("vectors", arithmetic, Range(size, size, size)))
    return lines


def money_lines(seconds: Range, stored: Range, cluster: Cluster, prices: Prices) -> list[ForecastLine]:
    """What it costs, as far as somebody said what things cost."""
    lines = []
    if prices.node_hour is not None:
        arithmetic = f"{counted(cluster.nodes, 'node')} x {seconds.value / 3600:.3g} h x {in_money(prices.node_hour)}"
        lines.append(ForecastLine("nodes", arithmetic, seconds.times(cluster.nodes / 3600 * prices.node_hour)))
    if prices.gb_month is not None:
        arithmetic = f"{stored.value / 1e9:.3g} GB x {prices.gb_month:g} a month"
        lines.append(ForecastLine("storage, a month", arithmetic, stored.times(prices.gb_month / 1e9)))
    return lines


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
        """The arithmetic that leads to the amount."""
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
    yield _Part(fit, estimate_examples(recipe, samples, documents), "examples", 0)


def _by_portion(recipe: Recipe, samples: Samples, documents: int, held: Callable[[BuildCost], float]) -> _Part:
    sizes = [samples.portion(build) for build in samples.all]
    portion = portion_of(documents, recipe.documents.shards)
    return _Part(samples.fit_memory(held, samples.portion), portion, "of a shard at once", max(sizes) - min(sizes))


@dataclass(frozen=True)
class _Places:
    """Where copies of a model work side by side."""

    count: int
    speed: float
    """Of each, to the one that was measured."""
    words: str


def check_threads(model: str, cluster: Cluster) -> None:
    """Refuse a model that asks for more threads than a node has cores."""
    threads = threads_of(model)
    if threads.fixed and threads.count > cluster.cores:
        raise UserError(
            f"{model}: a worker takes {threads.count} threads, and a node has {counted(cluster.cores, 'core')}. Give fewer threads, "
            "or --cores-per-node."
        )


def rate_line(name: str, rate: Rate, count: float, cluster: Cluster) -> ForecastLine:
    """Seconds of a model on so many texts or pairs; the worker with most shards decides."""
    each = f"{in_time(rate.seconds.value)} x {count:,.0f} {rate.what}"
    if rate.shard is None:
        return ForecastLine(name, f"driver: {each}", rate.seconds.times(count))
    places = _places(rate, cluster)
    shards = max(1, math.ceil(count / rate.shard))
    turns = math.ceil(shards / places.count)
    even = shards / (turns * places.count)
    return ForecastLine(
        name, f"{each} / ({places.words} x {even:.2f})", rate.seconds.times(count * turns / shards / places.speed)
    )


def _places(rate: Rate, cluster: Cluster) -> _Places:
    """A card each, or on processors as many as their threads leave room for."""
    if rate.on_gpu:
        return _Places(cluster.gpus, 1.0, counted(cluster.gpus, "GPU"))
    threads = rate.threads.count if rate.threads.fixed else cluster.cores
    workers = max(1, cluster.cores // threads)
    words = f"{counted(cluster.nodes, 'node')} x {counted(workers, 'worker')} x "
    words += f"{threads} threads / {rate.threads.count} here"
    return _Places(cluster.nodes * workers, threads / rate.threads.count, words)
