"""What stands in the way of a build, and what a reader must know to trust a plan or not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from constraintsuite.core.records.figures import percent
from constraintsuite.forecast.amounts import counted, in_bytes, in_range
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.growth import Fit
from constraintsuite.forecast.lines import BLUR, ForecastLine, driver_line, memory_lines
from constraintsuite.forecast.rates import Rate
from constraintsuite.forecast.sampling import DrawnDocuments
from constraintsuite.forecast.steps import Samples, StepCost
from constraintsuite.suites.recipe import Recipe

FAR = 100
MOST_SHARDS = 512
_BUSY = 1.25
_LARGE_SHARD = 20_000
_TURNS = 4
"""Shards a worker, so that the last ones do not keep all others waiting."""


def notes_on(
    recipe: Recipe,
    taken: DrawnDocuments,
    samples: Samples,
    steps: Sequence[StepCost],
    rates: Sequence[Rate],
    cluster: Cluster,
    documents: int,
    *,
    given: bool,
) -> tuple[str, ...]:
    """What limits the trust in a plan, one sentence per note."""
    return (
        *_on_size(taken, documents, given),
        *_on_samples(samples, documents),
        *_on_approval(recipe),
        *_on_growth(steps),
        *_on_workers(recipe, samples, steps, documents, cluster),
        *_on_models(rates, cluster),
    )


def _on_size(taken: DrawnDocuments, documents: int, given: bool) -> Iterator[str]:
    if given:
        yield f"Documents: {documents:,}, as given."
    elif taken.whole:
        yield f"Documents: {documents:,}, counted."
    elif taken.known is not None:
        yield f"Documents: {documents:,}, as the source says."
    else:
        yield f"Documents: {documents:,} is a lower bound: only so many could be read in the time for it. Give --documents."
    if not taken.whole:
        yield f"The samples are of the first {taken.read:,} documents."


def _on_samples(samples: Samples, documents: int) -> Iterator[str]:
    builds = samples.all
    sizes = ", ".join(f"{build.documents:,}" for build in sorted(builds, key=lambda build: build.documents))
    yield (
        f"Measured here on samples of {sizes} documents by hash of the id; a range goes from the least to the most that a "
        "smaller and a larger one give together."
    )
    factor = documents / samples.large[0].documents
    if factor > FAR:
        yield f"EXTRAPOLATED by a factor of {factor:,.0f} from the larger samples: beyond {FAR} this is a guess. Try a larger --sample."
        yield from _on_blur(samples, documents)
    elif factor > 1:
        yield f"Extrapolated by a factor of {factor:,.1f} from the larger samples."
    spans = [span for build in builds for span in build.spans]
    busy = sum(span.wall for span in spans) / max(1e-9, sum(span.own for span in spans))
    if busy > _BUSY:
        yield (
            f"Other work had the processors: the samples took {busy:.1f} times as long as they would have alone. Times here are "
            "those without that."
        )


def _on_blur(samples: Samples, documents: int) -> Iterator[str]:
    sizes = [build.documents for build in samples.all]
    if max(sizes) > min(sizes):
        more = BLUR * documents / (max(sizes) - min(sizes))
        yield (
            f"Memory of a build is known to about {in_bytes(BLUR)}. From {max(sizes) - min(sizes):,} documents more to {documents:,} "
            f"that becomes {in_bytes(more)} of the driver, either way: a sample ten times as large makes it a tenth."
        )


def _on_approval(recipe: Recipe) -> Iterator[str]:
    if recipe.approved is not None:
        yield (
            f"{recipe.approved}: what was approved are proposals of the whole corpus. The samples were built from what they give "
            "unasked, so that candidates, pairs and what follows may take more, or less."
        )


def _on_growth(steps: Sequence[StepCost]) -> Iterator[str]:
    def powers(fits: Iterable[tuple[str, Fit]]) -> str:
        return ", ".join(dict.fromkeys(name for name, fit in fits if fit.best.power > 1))

    times = [(step.name, step.driver) for step in steps]
    times += [(step.name, step.spread.work) for step in steps if step.spread is not None]
    for what, names in (("Time", powers(times)), ("Storage", powers((step.name, step.stored) for step in steps))):
        if names:
            yield (
                f"{what} of {names} was seen to grow faster than the documents, and is a power of them, at most the square. Few "
                "documents often overstate that: the range begins at plain proportion, and a larger --sample tells."
            )


def _on_workers(
    recipe: Recipe, samples: Samples, steps: Sequence[StepCost], documents: int, cluster: Cluster
) -> Iterator[str]:
    spread = [step for step in steps if step.spread is not None]
    alone = ", ".join(step.name for step in steps if step.spread is None)
    yield f"Spread over workers: {', '.join(step.name for step in spread)}. In the driver, however many nodes there are: {alone}."
    if cluster.all_workers == 1:
        return
    parts = spread[0].spread
    assert parts is not None
    yield (
        f"Efficiency: {percent(samples.efficiency)} measured, two workers at a time to one; {parts.shards} shards on "
        f"{cluster.all_workers:,} workers keep {percent(parts.shards / (parts.turns * cluster.all_workers))} of them busy."
    )
    yield "With --engine ray comes Ray's own start, some seconds once a command. That and the network are not in this plan."
    yield from _on_shards(recipe.documents.shards, parts.busy, documents, cluster)


def _on_shards(shards: int, busy: int, documents: int, cluster: Cluster) -> Iterator[str]:
    idle = cluster.all_workers - busy
    large = documents / shards > _LARGE_SHARD
    if shards == MOST_SHARDS or not (idle or large):
        return
    wanted = min(MOST_SHARDS, max(_TURNS * cluster.all_workers, math.ceil(documents / _LARGE_SHARD)))
    why = f"{idle:,} workers have nothing to do" if idle else f"a shard has {documents / shards:,.0f} documents"
    yield (
        f"SHARDS: the recipe has {shards}, so that {why}. Try documents: {{shards: {wanted}}} (at most {MOST_SHARDS}): work "
        "spreads more evenly, and less is lost with a worker that dies."
    )


def _on_models(rates: Sequence[Rate], cluster: Cluster) -> Iterator[str]:
    for rate in rates:
        where = rate.device if rate.on_gpu else f"{counted(rate.threads.count, 'thread')} of the processor"
        yield f"{rate.model}: {1 / rate.seconds.value:,.0f} {rate.what}/s on {where}, {rate.measured} {rate.what}."
        yield from _on_places(rate, cluster)
    if cluster.gpus and not rates:
        yield f"{counted(cluster.gpus, 'GPU')}: a build uses none. They count for --embed and --eval."


def _on_places(rate: Rate, cluster: Cluster) -> Iterator[str]:
    if rate.shard is None:
        yield f"{rate.model}: it cannot be spread, and works where the command runs."
        return
    if rate.on_gpu:
        if cluster.gpus > 1:
            yield f"{rate.model}: ONE GPU WAS MEASURED; the {cluster.gpus:,} planned are taken to be like it, each at its full speed."
        return
    if cluster.gpus:
        yield f"{rate.model}: NO GPU WAS MEASURED, so that the {cluster.gpus:,} planned do not count. Plan on a machine that has one."
    if not rate.threads.fixed:
        yield (
            f"{rate.model}: one worker a node, with all its cores; its speed is taken to grow with them, which few models do. "
            "Several workers with fewer threads each (threads=4 in the model string) are surer, and can be measured here."
        )


_GIB = 1 << 30


def alarms_of(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster) -> Iterator[str]:
    """What stands in the way of the build on these machines, one paragraph per alarm, with what to do."""
    if not any(build.examples for build in samples.large):
        yield (
            "NO EXAMPLE came of the samples. All steps after queries are estimated as if none came of the whole either, and "
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
        f"about {size:,} documents fit, even at the end of that range. Where there are judgments, csuite subset --source ... "
        f"--size {size} --out bundles/part chooses them, and csuite bundle export bundles/part --layout jsonl --out part makes a "
        "corpus of them; else take lines of the file by chance."
    )
