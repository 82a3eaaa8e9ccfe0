"""A build in a fresh process, watched."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.engine import LocalEngine
from constraintsuite.execution.progress import Silent
from constraintsuite.experiments.scoring import pairs_of
from constraintsuite.forecast.clock import Spent, now, peak_bytes, reset_peak
from constraintsuite.forecast.costs import SUITE, BuildCost, StageCost
from constraintsuite.forecast.sweeps import watching_sweeps
from constraintsuite.forecast.watching import WatchingEngine
from constraintsuite.records.examples import Example
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import adapter, read_jsonl
from constraintsuite.suites.build import PIPELINE, build_suite
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.recipe import Recipe
from constraintsuite.text.mentions import surface_forms

_STAGES = "stages"
_PROGRAM = "import sys; from constraintsuite.forecast.probe import run; run(*sys.argv[1:])"


def watch_build(recipe: Path, out: Path, workers: int, documents: int) -> BuildCost:
    """Build into the new folder `out`, in a process of its own, and say what it took; what is wrong is a UserError."""
    cost = out.with_name(f"{out.name}.cost.json")
    begin = now()
    done = subprocess.run(
        # Not with -m: workers would then load this module too, and start later than those of a build.
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
    """What the fresh process does: build, and leave what it took in the file `cost`."""
    try:
        found = _watch(Recipe.read(Path(recipe)), Path(out), int(workers))
    except UserError as error:
        sys.exit(str(error))
    write_text(Path(cost), adapter(BuildCost).dump_json(found).decode())


def _watch(recipe: Recipe, out: Path, workers: int) -> BuildCost:
    """Stage by stage, so that each shows its own peak of memory; the last one comes with the suite itself."""
    _load_tables()
    start = Spent(0.0, time.process_time())
    with watching_sweeps() as sweeps:
        engine = WatchingEngine(LocalEngine(workers), sweeps)
        build = partial(build_suite, recipe, out, engine=engine, reporter=Silent())
        stages = []
        for name in PIPELINE.names()[:-1]:
            stages.append(_watch_stage(name, partial(build, until=name), engine, out / _STAGES / name))
        before = {stage.name for stage in stages}
        stages.append(_watch_stage(SUITE, build, engine, out, before))
        swept = sweeps.seconds
        gc.collect()
        sweep = sweeps.seconds - swept
    examples = read_examples(out)
    pairs = pairs_of([*examples, *read_jsonl(out / "controls.jsonl", Example)])
    return BuildCost(0, workers, len(examples), len(pairs), start, tuple(stages), sweep)


def _load_tables() -> None:
    """Word forms, which the first proposal loads: a sample that has none would make them look like growth."""
    surface_forms("thing")


def _watch_stage(
    name: str, work: Callable[[], object], engine: WatchingEngine, folder: Path, apart: Collection[str] = ()
) -> StageCost:
    reset_peak()
    begin, swept = now(), engine.sweeps.seconds
    work()
    spent, swept = now() - begin, engine.sweeps.seconds - swept
    maps = engine.take()
    swept -= sum(each.swept for each in maps)
    return StageCost(name, spent, maps, peak_bytes(), _stored(folder, apart), swept)


def _stored(folder: Path, apart: Collection[str]) -> int:
    """Bytes of all files in a folder, less those of some stages."""
    elsewhere = tuple(folder / _STAGES / name for name in apart)
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and not any(path.is_relative_to(other) for other in elsewhere)
    )
