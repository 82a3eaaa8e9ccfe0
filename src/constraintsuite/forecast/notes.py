"""Notes on how far a plan can be trusted, and alarms about what would stop the build."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from constraintsuite.core.records.figures import percent
from constraintsuite.forecast.amounts import in_bytes, in_range, with_noun
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.growth import Fit
from constraintsuite.forecast.lines import PEAK_ERROR, ForecastLine, driver_line, memory_lines
from constraintsuite.forecast.rates import Rate
from constraintsuite.forecast.sampling import DrawnDocuments
from constraintsuite.forecast.steps import Samples, StepCost
from constraintsuite.suites.recipe import Recipe

GUESS_FACTOR = 100
MOST_SHARDS = 512
_BUSY = 1.25
_LARGE_SHARD = 20_000
_SHARDS_PER_WORKER = 4  # so that the last shards do not keep the other workers waiting
_GIB = 1 << 30


def notes_on(
    recipe: Recipe,
    drawn: DrawnDocuments,
    samples: Samples,
    steps: Sequence[StepCost],
    rates: Sequence[Rate],
    cluster: Cluster,
    documents: int,
    *,
    given: bool,
) -> tuple[str, ...]:
    """What limits the trust in a plan, one sentence per note; `given` says that the user named the number of documents."""
    return (
        *_on_size(drawn, documents, given),
        *_on_samples(samples, documents),
        *_on_growth(recipe, steps),
        *_on_workers(recipe, samples, steps, documents, cluster),
        *(note for rate in rates for note in _on_model(rate, cluster)),
    )


def _on_size(drawn: DrawnDocuments, documents: int, given: bool) -> Iterator[str]:
    if given:
        yield f"Documents: {documents:,}, as given."
    elif drawn.whole or drawn.known is not None:
        yield f"Documents: {documents:,}, {'counted' if drawn.whole else 'as the source says'}."
    else:
        yield f"Documents: {documents:,} is a lower bound: no more could be read in the time for it. Give --documents."
    if not drawn.whole:
        yield f"The samples are of the first {drawn.read:,} documents."


def _on_samples(samples: Samples, documents: int) -> Iterator[str]:
    sizes = sorted(build.documents for build in samples.all)
    yield (
        f"Measured here on samples of {', '.join(f'{size:,}' for size in sizes)} documents, drawn by hash of the id. A range "
        "goes from the lowest to the highest estimate that a smaller and a larger sample give."
    )
    factor = documents / samples.large[0].documents
    if factor > GUESS_FACTOR:
        yield (
            f"EXTRAPOLATED by a factor of {factor:,.0f} from the larger samples: beyond {GUESS_FACTOR} this is a guess. Try a "
            "larger --sample."
        )
        if apart := sizes[-1] - sizes[0]:
            yield (
                f"The memory of a sample build is known to ± {in_bytes(PEAK_ERROR)}. Extrapolated to {documents:,} documents, "
                f"this is an error of ± {in_bytes(PEAK_ERROR * documents / apart)} for the driver. A sample ten times as large "
                "reduces it to a tenth."
            )
    elif factor > 1:
        yield f"Extrapolated by a factor of {factor:,.1f} from the larger samples."
    spans = [span for build in samples.all for span in build.spans]
    busy = sum(span.wall for span in spans) / max(1e-9, sum(span.own for span in spans))
    if busy > _BUSY:
        yield f"This machine was busy: the samples took {busy:.1f} times as long as on an idle one. That is subtracted."


def _on_growth(recipe: Recipe, steps: Sequence[StepCost]) -> Iterator[str]:
    if recipe.approved is not None:
        yield (
            f"{recipe.approved}: the approved proposals are of the complete corpus, and not in the samples. Candidates, pairs and "
            "later steps may take more, or less."
        )
    times = [(step.name, step.driver) for step in steps]
    times += [(step.name, step.spread.work) for step in steps if step.spread is not None]
    fits: dict[str, list[tuple[str, Fit]]] = {"Time": times, "Storage": [(step.name, step.stored) for step in steps]}
    for what, named in fits.items():
        if steep := dict.fromkeys(name for name, fit in named if fit.best.power > 1):
            yield (
                f"{what} of {', '.join(steep)} grew faster than linearly and is extrapolated as a power law (exponent at most "
                "2). Small samples overstate growth, so the range starts at linear growth. Try a larger --sample."
            )


def _on_workers(
    recipe: Recipe, samples: Samples, steps: Sequence[StepCost], documents: int, cluster: Cluster
) -> Iterator[str]:
    spread = {step.name: step.spread for step in steps if step.spread is not None}
    alone = ", ".join(step.name for step in steps if step.spread is None)
    yield f"Spread over workers: {', '.join(spread)}. In the driver, on any number of nodes: {alone}."
    if cluster.all_workers == 1:
        return
    parts = next(iter(spread.values()))
    yield (
        f"Efficiency: {percent(samples.efficiency)} measured, two workers compared with one; {parts.shards} shards on "
        f"{cluster.all_workers:,} workers keep {percent(parts.shards / (parts.turns * cluster.all_workers))} of them busy."
    )
    shards, idle = recipe.documents.shards, cluster.all_workers - parts.busy
    if shards < MOST_SHARDS and (idle or documents / shards > _LARGE_SHARD):
        wanted = max(_SHARDS_PER_WORKER * cluster.all_workers, math.ceil(documents / _LARGE_SHARD))
        why = f"{idle:,} workers have nothing to do" if idle else f"a shard has {documents / shards:,.0f} documents"
        yield (
            f"SHARDS: the recipe has {shards}, so {why}. Try documents: {{shards: {min(MOST_SHARDS, wanted)}}} (at most "
            f"{MOST_SHARDS}): work spreads more evenly, and less is lost with a worker that dies."
        )


def _on_model(rate: Rate, cluster: Cluster) -> Iterator[str]:
    where = rate.device if rate.on_gpu else f"{with_noun(rate.threads.count, 'thread')} of the processor"
    yield f"{rate.model}: {1 / rate.seconds.value:,.0f} {rate.what}/s on {where}, measured on {rate.measured} {rate.what}."
    if rate.on_gpu and cluster.gpus > 1:
        yield f"{rate.model}: ONE GPU WAS MEASURED; the plan assumes that the {cluster.gpus:,} planned are like it."
    elif cluster.gpus and not rate.on_gpu and rate.shard is not None:
        yield (
            f"{rate.model}: NO GPU WAS MEASURED, so the {cluster.gpus:,} planned do not count. Plan on a machine that "
            "has one."
        )


def alarms_of(recipe: Recipe, samples: Samples, documents: int, cluster: Cluster) -> Iterator[str]:
    """What would stop the build on these machines, one paragraph per alarm, with what to do."""
    if not any(build.examples for build in samples.large):
        yield (
            "NO EXAMPLES: the samples produced none. The plan assumes that the corpus produces none either, so later steps may "
            "take longer, and eval is left out. Try a larger --sample, or csuite propose."
        )
    if cluster.memory is None:
        return
    memory, lines = cluster.memory * _GIB, memory_lines(recipe, samples, documents, cluster)
    driver, most = lines[0], lines[-1]
    if most.amount.high <= memory:
        return
    source = "" if cluster.memory_given else ", as this machine has (--memory-per-node)"
    text = f"NOT ENOUGH MEMORY: {_need(most, memory)}, a node has {cluster.memory:.3g} GiB{source}. "
    if driver.amount.high <= memory:
        room = math.floor((memory - driver.amount.high) / lines[1].amount.high)
        yield f"{text}The driver alone fits: take {f'--workers {room} per node' if room else 'no worker on its node'}."
        return
    if driver is not most:
        text += f"Of that {_need(driver, memory)}. "
    if driver.amount.low <= memory:
        text += "It may fit after all: a larger --sample will show. "
    yield (
        f"{text}More nodes do not help the driver. Give its node more memory, or build from a part: "
        f"{_part_that_fits(recipe, samples, documents, memory)}"
    )


def _need(line: ForecastLine, memory: float) -> str:
    sure = "needs" if line.amount.value > memory else "may need"
    return f"the {line.name} {sure} {in_range(line.amount, in_bytes)}"


def _part_that_fits(recipe: Recipe, samples: Samples, documents: int, memory: float) -> str:
    """How many documents the driver can hold, found by bisection, and the commands that choose them."""
    low, high = 0, documents
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        fits = driver_line(recipe, samples, middle).amount.high <= memory
        low, high = (middle, high) if fits else (low, middle)
    if not low:
        return "none is small enough for such a node."
    unit = 10 ** max(0, len(str(low)) - 2)  # more than two digits would claim too much
    size = low // unit * unit
    return (
        f"about {size:,} documents fit, even at the upper end of that range. Where there are judgments, csuite subset --source "
        f"... --size {size} --out bundles/part chooses them, and csuite bundle export bundles/part --layout jsonl --out part "
        "makes a corpus of them; else take a random sample of the file."
    )
