"""What stands in the way of a build on these machines, and what to do about it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from constraintsuite.forecast.amounts import in_bytes, in_range
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.lines import ForecastLine
from constraintsuite.forecast.memory_lines import driver_line, memory_lines
from constraintsuite.forecast.steps import Samples
from constraintsuite.suites.recipe import Recipe

_GIB = 1 << 30


def alarms_of(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster) -> Iterator[str]:
    """One paragraph each."""
    if not any(build.examples for build in samples.large):
        yield (
            "NO EXAMPLE came of the samples. All steps after queries are foretold as if none came of the whole either, and "
            "would take longer if some do; eval is left out. A larger --sample may have some; csuite propose asks a person."
        )
    if cluster.memory is not None:
        yield from _on_memory(recipe, samples, documents, cluster, cluster.memory)


def _on_memory(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster, memory: float) -> Iterator[str]:
    lines = memory_lines(recipe, samples, documents, cluster)
    driver, most = lines[0], lines[-1]
    if _fits(most, memory):
        return
    whose = "" if cluster.memory_given else ", as this machine has (--memory-per-node)"
    said = f"NOT ENOUGH MEMORY: {_need(most, memory)}, a node has {memory:.3g} GiB{whose}."
    beside = "" if driver is most else f"Of that {_need(driver, memory)}. "
    if _fits(driver, memory):
        yield f"{said} The driver alone fits: {_fewer_workers(lines, memory)}"
    else:
        perhaps = "It may fit after all: a larger --sample tells. " if driver.amount.low <= memory * _GIB else ""
        yield (
            f"{said} {beside}{perhaps}More nodes do not help the driver. Give its node more memory, or "
            f"build from a part: {_part(recipe, samples, documents, memory)}"
        )


def _need(line: ForecastLine, memory: float) -> str:
    sure = "needs" if line.amount.value > memory * _GIB else "may need"
    return f"the {line.name} {sure} {in_range(line.amount, in_bytes)}"


def _fits(line: ForecastLine, memory: float) -> bool:
    return line.amount.high <= memory * _GIB


def _fewer_workers(lines: Sequence[ForecastLine], memory: float) -> str:
    """As many workers as leave room for the driver."""
    driver, worker, _ = lines
    room = math.floor((memory * _GIB - driver.amount.high) / worker.amount.high)
    fewer = f"--workers {room} a node" if room else "no worker on its node"
    return f"take {fewer}."


def _part(recipe: Recipe, samples: Samples, documents: int, memory: float) -> str:
    """How much of the corpus a node can take, and the commands for that."""
    low, high = 0, documents
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (middle, high) if _fits(driver_line(recipe, samples, middle), memory) else (low, middle)
    if not low:
        return "none is small enough for such a node."
    unit = 10 ** max(0, len(str(low)) - 2)  # two digits are more than is known
    size = low // unit * unit
    return (
        f"about {size:,} documents fit, even at the end of that range. Where there are judgments, csuite subset build --source ... "
        f"--size {size} --out bundles/part chooses them, and csuite bundle export bundles/part --layout jsonl --out part makes a "
        "corpus of them; else take lines of the file by chance."
    )
