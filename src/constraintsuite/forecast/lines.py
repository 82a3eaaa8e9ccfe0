"""The lines of a plan: each with its arithmetic, what comes of it, and between what it may lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from constraintsuite.forecast.amounts import in_bytes, in_growth, in_money, in_range, in_time
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.growth import NOTHING, Fit, Range
from constraintsuite.forecast.rates import Rate
from constraintsuite.forecast.steps import WRITE_EXAMPLES, Samples, Step

_GIB = 1 << 30
_FLOAT = 4


@dataclass(frozen=True)
class Line:
    """One amount."""

    name: str
    arithmetic: str
    amount: Range


def total(lines: Iterable[Line]) -> Range:
    """The sum of all."""
    amount = NOTHING
    for line in lines:
        amount = amount.plus(line.amount)
    return amount


def step_line(step: Step, cluster: Cluster) -> Line:
    """Seconds of a step of the build."""
    alone = in_growth(step.driver.best, step.units, in_time, step.unit)
    if step.spread is None:
        return Line(step.name, f"driver: {alone}", step.seconds)
    spread = step.spread
    work = in_growth(spread.work.best, step.units, in_time)
    if cluster.all_workers == 1:
        return Line(step.name, f"{work} + load {in_time(spread.load)}; driver: {alone}", step.seconds)
    share = spread.shards / (spread.turns * cluster.all_workers * spread.longest) * spread.efficiency
    return Line(
        step.name,
        f"({work}) / ({_count(cluster.nodes, 'node')} x {_count(cluster.workers, 'worker')} x {share:.2f}) + "
        f"start {in_time(spread.start)} + load {in_time(spread.load)}; driver: {alone}",
        step.seconds,
    )


def source_line(seconds: float, documents: int) -> Line:
    """Seconds by which the source is slower to read than the sample was."""
    amount = seconds * documents
    return Line("source", f"driver: {in_time(seconds)} x {documents:,}", Range(amount, 0.0, amount))


def rate_line(name: str, rate: Rate, count: float, cluster: Cluster) -> Line:
    """Seconds of a model on so many texts or pairs."""
    each = f"{in_time(rate.seconds.value)} x {count:,.0f} {rate.what}"
    if rate.on_gpu:
        return Line(name, f"{each} / {_count(cluster.gpus, 'GPU')}", rate.seconds.times(count / cluster.gpus))
    share = rate.cores / (cluster.nodes * cluster.cores)
    return Line(
        name,
        f"{each} x {_count(rate.cores, 'core')} here / ({_count(cluster.nodes, 'node')} x {_count(cluster.cores, 'core')})",
        rate.seconds.times(count * share),
    )


def memory_lines(samples: Samples, documents: int, cluster: Cluster) -> list[Line]:
    """Bytes of the driver and of a worker at their most, and of the node that runs both."""
    driver = _memory("driver", samples.fit(lambda build: build.peak), documents)
    if cluster.all_workers == 1:
        return [driver]
    worker = _memory("worker", samples.fit(lambda build: build.worker_peak), documents)
    amount = driver.amount.plus(worker.amount.times(cluster.workers))
    arithmetic = (
        f"{in_bytes(driver.amount.value)} + {_count(cluster.workers, 'worker')} x {in_bytes(worker.amount.value)}"
    )
    return [driver, worker, Line("first node", arithmetic, amount)]


def storage_lines(steps: Sequence[Step], embed: Rate | None, documents: int) -> list[Line]:
    """Bytes that stay."""
    lines = []
    for step in steps:
        unit = "examples" if step.name in WRITE_EXAMPLES else "documents"
        arithmetic = in_growth(step.stored.best, step.kept, in_bytes, unit)
        lines.append(Line(step.name, arithmetic, step.stored.at(step.kept)))
    if embed is not None:
        size = float(documents * embed.dimensions * _FLOAT)
        arithmetic = f"{documents:,} x {embed.dimensions} dimensions x {_FLOAT} bytes"
        lines.append(Line("vectors", arithmetic, Range(size, size, size)))
    return lines


def money_lines(seconds: Range, stored: Range, cluster: Cluster, prices: Prices) -> list[Line]:
    """What it costs, as far as somebody said what things cost."""
    lines = []
    if prices.node_hour is not None:
        arithmetic = f"{_count(cluster.nodes, 'node')} x {seconds.value / 3600:.3g} h x {in_money(prices.node_hour)}"
        lines.append(Line("nodes", arithmetic, seconds.times(cluster.nodes / 3600 * prices.node_hour)))
    if prices.gb_month is not None:
        arithmetic = f"{stored.value / 1e9:.3g} GB x {prices.gb_month:g} a month"
        lines.append(Line("storage, a month", arithmetic, stored.times(prices.gb_month / 1e9)))
    return lines


def memory_alarm(lines: Sequence[Line], cluster: Cluster) -> str | None:
    """What to say where a node is too small."""
    most = lines[-1].amount
    if cluster.memory is None or most.high <= cluster.memory * _GIB:
        return None
    sure = "needs" if most.value > cluster.memory * _GIB else "may need"
    return (
        f"NOT ENOUGH MEMORY: {lines[-1].name} {sure} {in_range(most, in_bytes)}, a node has {cluster.memory:g} GiB. "
        "Take a part of the corpus first (csuite subset), or fewer workers a node; more nodes do not help the driver."
    )


def _memory(name: str, fit: Fit, documents: int) -> Line:
    return Line(name, in_growth(fit.best, documents, in_bytes), fit.at(documents))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
