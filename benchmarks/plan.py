"""How far `csuite plan` is from what a build ten times larger than its samples then takes.

    python benchmarks/plan.py

Needs Debian's package descriptions, and is skipped where there are none. Seconds are those in which the build was not waiting
for a processor that others had, as the plan's are; those on the wall stand beside them.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

import click

from constraintsuite.core.execution.progress import Terminal
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.costs import BuildCost, MapCost
from constraintsuite.forecast.growth import Range
from constraintsuite.forecast.plan import BuildForecast, plan_recipe
from constraintsuite.forecast.sample_builds import watch_build
from constraintsuite.suites.recipe import Recipe
from growth import make_passages, seed_option, work_option
from passages import NoDescriptionsError, require_lists
from tables import load, show, target

GOAL = 1.5


@click.command()
@click.option(
    "--passages", type=click.IntRange(min=400), default=20_000, show_default=True, help="Of the whole corpus."
)
@click.option("--sample", type=click.IntRange(min=40), default=2_000, show_default=True, help="Of the larger samples.")
@click.option("--workers", type=click.IntRange(min=1), multiple=True, default=(1, 2), show_default=True)
@seed_option
@work_option
def main(passages: int, sample: int, workers: tuple[int, ...], seed: int, work: Path) -> None:
    """Plan from samples, build the whole with the same settings, and compare."""
    try:
        require_lists()
    except NoDescriptionsError as error:
        click.echo(f"plan: skipped, {error}")
        return
    recipe = work / f"plan-{seed}-{passages}.yaml"
    source = make_passages(work, passages, seed)
    recipe.write_text(
        json.dumps({"corpus": {"source": str(source)}, "analysis": {"analyser": "rules"}}), encoding="utf-8"
    )
    for count in workers:
        compare(recipe, passages, sample, count)


def compare(recipe: Path, passages: int, sample: int, workers: int) -> None:
    """One number of workers."""
    begun = load()
    with tempfile.TemporaryDirectory(prefix="csuite-plan-") as scratch:
        cluster = Cluster(nodes=1, cores=workers, workers=workers)
        estimated = plan_recipe(Recipe.read(recipe), cluster, Path(scratch), Terminal(), sample=sample)
        click.echo(f"\n{estimated.in_words()}")
        planned = load()
        out = Path(scratch) / "whole"
        built = watch_build(recipe, out, workers, passages)
        shutil.rmtree(out)
    rows = _rows(estimated, built)
    show(
        f"{passages:,} passages from samples of {sample:,}, {workers} workers; {begun}; after the plan {planned}; "
        f"after the build {load()}",
        ("", "estimated", "least", "most", "measured", "ratio"),
        [(name, *amount, measured, amount.value / max(measured, 1e-9)) for name, amount, measured in rows],
    )
    wall = built.start.wall + sum(stage.spent.wall for stage in built.stages)
    click.echo(f"on the wall the build took {wall:,.0f} s")
    for name, amount, measured in rows:
        if name.isupper():
            ratio = amount.value / measured
            target(f"{name.lower()}, {workers} workers", max(ratio, 1 / ratio), GOAL, at_most=True)


def _rows(estimated: BuildForecast, built: BuildCost) -> list[tuple[str, Range, float]]:
    """Each step in seconds; then what has a goal, in capitals."""
    steps = {stage.name: stage.driver + sum(map(_busiest, stage.maps)) for stage in built.stages}
    steps["start"] = built.start.own + built.worker_start
    rows = [(line.name, line.amount, steps[line.name]) for line in estimated.time if line.name in steps]
    mib = 1 << 20
    memory = {line.name: line.amount.times(1 / mib) for line in estimated.memory}
    rows.append(("TIME, S", estimated.seconds, sum(steps.values())))
    rows.append(("DRIVER, MIB", memory["driver"], max(stage.peak for stage in built.stages) / mib))
    if "worker" in memory:
        rows.append(("WORKER, MIB", memory["worker"], built.worker_peak / mib))
    rows.append(("STORAGE, MIB", estimated.stored.times(1 / mib), sum(stage.stored for stage in built.stages) / mib))
    return rows


def _busiest(shards: MapCost) -> float:
    """Seconds of the worker with most work, had nobody else used the machine."""
    seconds: dict[int, float] = defaultdict(float)
    for task in shards.tasks:
        seconds[task.process] += task.spent.own
    return max(seconds.values(), default=0.0)


if __name__ == "__main__":
    main()
