"""The lines of a plan that models have: encoding all documents, scoring the suite."""

from __future__ import annotations

import math
from dataclasses import dataclass

from constraintsuite.errors import UserError
from constraintsuite.forecast.amounts import counted, in_time
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.lines import ForecastLine
from constraintsuite.forecast.rates import Rate, threads_of


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
