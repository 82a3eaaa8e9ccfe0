"""Build the samples, each in a fresh process whose time and memory are measured."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter, read_jsonl
from constraintsuite.experiments.scoring import pairs_of
from constraintsuite.forecast.clock import Spent, now, peak_bytes, reset_peak
from constraintsuite.forecast.costs import SUITE, BuildCost, MeasuringEngine, StageCost
from constraintsuite.forecast.sampling import DrawnDocuments, shards_of, write_sample
from constraintsuite.forecast.steps import Samples
from constraintsuite.suites.build import PIPELINE, build_suite
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.recipe import Recipe
from constraintsuite.text.mentions import surface_forms

_PARTS = (4, 2)
_LEAST_EFFICIENCY = 0.3


class CorpusSample(NamedTuple):
    """Documents of a sample, and the folder of its recipe and its suite."""

    documents: Sequence[Document]
    folder: Path

    @property
    def recipe(self) -> Path:
        """The recipe that builds only these documents."""
        return self.folder / "recipe.yaml"

    @property
    def suite(self) -> Path:
        """The suite that was built from them."""
        return self.folder / "suite"


def draw_samples(taken: DrawnDocuments, scratch: Path) -> list[CorpusSample]:
    """For each draw a part of it, then all of it. If a draw is the complete corpus, there is only one."""
    large = len(taken.draws[0])
    draws = taken.draws[:1] if taken.whole and large == taken.read else taken.draws
    return [
        CorpusSample(draw[:size], scratch / f"sample-{number}-{size}")
        for number, draw in enumerate(draws)
        for size in (large // _PARTS[number % 2], large)
    ]


def build_samples(
    recipe: Recipe, samples: Sequence[CorpusSample], count: int, reporter: Reporter, *, spread: bool
) -> Samples:
    """Build every sample of a corpus of `count` documents.

    With `spread`, each is built by two workers, and one of them again by one worker: that gives the efficiency of two.
    """
    sizes = [len(sample.documents) for sample in samples]
    sizes += sizes[1:2] if spread else []
    reporter.note(
        f"Building {len(sizes)} samples of {min(sizes):,} to {max(sizes):,} documents, {sum(sizes):,} in all. This takes "
        "minutes, and they are deleted afterwards. A smaller --sample is quicker and less reliable."
    )
    with reporter.track("documents", sum(sizes)) as advance:
        costs = []
        for sample, size in zip(samples, sizes, strict=False):
            write_sample(recipe, sample.documents, size / count, sample.folder)
            costs.append(watch_build(sample.recipe, sample.suite, 2 if spread else 1, size))
            advance(size)
        efficiency = 1.0
        if spread:
            alone = watch_build(samples[1].recipe, samples[1].folder / "suite-alone", 1, sizes[-1])
            efficiency = min(1.0, max(_LEAST_EFFICIENCY, _warm(alone) / _warm(costs[1])))
            advance(sizes[-1])
    return Samples(tuple(costs[::2]), tuple(costs[1::2]), efficiency, shards_of(recipe))


def _warm(build: BuildCost) -> float:
    return max(1e-9, sum(each.work_seconds for stage in build.stages for each in stage.maps))


_STAGES = "stages"
_NEVER = 1_000_000_000
_PROGRAM = "import sys; from constraintsuite.forecast.sample_builds import run; run(*sys.argv[1:])"


def watch_build(recipe: Path, out: Path, workers: int, documents: int) -> BuildCost:
    """Build into the new folder `out` in a process of its own, and measure it. Raises UserError if the build fails."""
    cost = out.with_name(f"{out.name}.cost.json")
    begin = now()
    done = subprocess.run(
        # Not with -m: the workers would load this module too, and start later than in a real build.
        [sys.executable, "-c", _PROGRAM, str(recipe), str(out), str(workers), str(cost)],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wall = (now() - begin).wall
    if done.returncode:
        raise UserError(f"The sample could not be built. {done.stderr.strip()[-2000:]}")
    found = adapter(BuildCost).validate_json(cost.read_bytes())
    inside = sum(stage.spent.wall for stage in found.stages)
    return replace(found, documents=documents, start=Spent(max(0.0, wall - inside), found.start.own))


def run(recipe: str, out: str, workers: str, cost: str) -> None:
    """Run in the fresh process: build, and write the measured cost to the file `cost`."""
    try:
        found = _watch(Recipe.read(Path(recipe)), Path(out), int(workers))
    except UserError as error:
        sys.exit(str(error))
    write_text(Path(cost), adapter(BuildCost).dump_json(found).decode())


def _watch(recipe: Recipe, out: Path, workers: int) -> BuildCost:
    """Build stage by stage, so that each has its own peak of memory. The last stage is built with the suite."""
    surface_forms("thing")  # load the word forms now: only samples with a proposal would, and it would look like growth
    start = Spent(0.0, time.process_time())
    # A full garbage collection would look like growth of the step it falls into.
    gc.set_threshold(*gc.get_threshold()[:2], _NEVER)
    engine = MeasuringEngine(LocalEngine(workers))
    build = partial(build_suite, recipe, out, engine=engine, reporter=Silent(), may_be_empty=True)
    stages = []
    for name in PIPELINE.names()[:-1]:
        stages.append(_watch_stage(name, partial(build, until=name), engine, out / _STAGES / name))
    stages.append(_watch_stage(SUITE, build, engine, out, PIPELINE.names()[:-1]))
    examples = read_examples(out)
    pairs = pairs_of([*examples, *read_jsonl(out / "controls.jsonl", Example)])
    return BuildCost(0, workers, len(examples), len(pairs), start, tuple(stages))


def _watch_stage(
    name: str, work: Callable[[], object], engine: MeasuringEngine, folder: Path, apart: Collection[str] = ()
) -> StageCost:
    reset_peak()
    begin = now()
    work()
    spent = now() - begin
    return StageCost(name, spent, engine.take(), peak_bytes(), _stored(folder, apart))


def _stored(folder: Path, apart: Collection[str]) -> int:
    """Bytes of all files in a folder, without the stages `apart`."""
    elsewhere = tuple(folder / _STAGES / name for name in apart)
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and not any(path.is_relative_to(other) for other in elsewhere)
    )
