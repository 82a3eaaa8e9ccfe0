"""The lines of a plan: each with its arithmetic, what comes of it, and between what it may lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from constraintsuite.forecast.amounts import counted, in_bytes, in_growth, in_money, in_time
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.growth import NOTHING, Range
from constraintsuite.forecast.rates import Rate
from constraintsuite.forecast.steps import WRITE_EXAMPLES, Samples, StepCost

_FLOAT = 4
SWEEPS = "memory sweeps"
"""Python looks through all that the driver holds; that comes in lumps, in any step."""


@dataclass(frozen=True)
class ForecastLine:
    """One amount."""

    name: str
    arithmetic: str
    amount: Range


def total(lines: Iterable[ForecastLine]) -> Range:
    """The sum of all."""
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


def sweep_line(samples: Samples, documents: int) -> ForecastLine:
    """Seconds of full collections in the driver."""
    each = samples.swept
    return ForecastLine(SWEEPS, f"driver: {in_time(each.value)} x {documents:,}", each.times(documents))


def source_line(seconds: float, documents: int) -> ForecastLine:
    """Seconds by which the source is slower to read than the sample was."""
    amount = seconds * documents
    return ForecastLine("source", f"driver: {in_time(seconds)} x {documents:,}", Range(amount, 0.0, amount))


def storage_lines(steps: Sequence[StepCost], embed: Rate | None, documents: int) -> list[ForecastLine]:
    """Bytes that stay."""
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
