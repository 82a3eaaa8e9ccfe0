"""Run a benchmark into a folder: finished cells are skipped, failed ones are tried again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from constraintsuite.core.execution.progress import Advance, Reporter
from constraintsuite.core.store.artifact import MANIFEST, STAGES, Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.jsonl import write_json
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.vectors.ann import host
from constraintsuite.vectors.ann.metrics import require_measures, require_pyarrow
from constraintsuite.vectors.ann.plan import plan, refuse_missing
from constraintsuite.vectors.ann.rankings import plan_rankings, run_ranking
from constraintsuite.vectors.ann.results import CELLS, FAILED, KIND, PER_QUERY, RANKINGS, RUN, Failure, RunFacts
from constraintsuite.vectors.ann.settings import AnnBenchmark, locked_data
from constraintsuite.vectors.ann.staged_data import Staged, stage
from constraintsuite.vectors.ann.worker import WorkerJob

_FILES = (RUN, *(f"{folder}/*" for folder in (CELLS, FAILED, PER_QUERY, RANKINGS)))
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass(frozen=True)
class BenchmarkCounts:
    """How many cells and rankings a run measured, skipped and failed to measure."""

    path: Path
    measured: int
    skipped: int
    failed: int


def run_benchmark(bench: AnnBenchmark, folder: Path, out: Path, reporter: Reporter) -> BenchmarkCounts:
    """Measure every cell of `bench` that is not in `out` yet; relative paths of data start at `folder`.

    Cells of earlier settings are kept, since they may have taken hours. So a finished run is never "up to date" as a whole.
    """
    require_pyarrow()  # before hours of measuring that could not be stored
    host.require_threadpoolctl()
    refuse_missing(bench)
    host.note_load(reporter)
    settings = bench.model_dump(mode="json", serialize_as_any=True)
    origin = ArtifactOrigin(KIND, bench.name, {}, settings, 0, REVISIONS[KIND])
    with (
        locked_data(bench.data, folder),  # workers map the data during the run
        claim(out, origin, _FILES, replace=Replace.SAME_NAME, separate=(STAGES,)) as space,
    ):
        staged = _stage_all(bench, folder, out, reporter)
        _remove_changed(out, reporter)
        counts, outcome = _measure_missing(bench, folder, staged, out, reporter)
        space.origin = replace(origin, inputs={name: one.facts.content for name, one in staged.items()})
        space.finish(counts, {"failed": outcome.failed} if outcome.failed else {})
    return outcome


def _measure_missing(
    bench: AnnBenchmark, folder: Path, staged: dict[str, Staged], out: Path, reporter: Reporter
) -> tuple[dict[str, int], BenchmarkCounts]:
    """Measure the cells and rankings that are not in `out`; gives the counts for the manifest, and what was done."""
    machine = host.describe_host()
    if any(one.facts.judged_queries for one in staged.values()):
        require_measures()  # else every cell would fail after it was measured
    builds = plan(bench, {name: one.facts.content for name, one in staged.items()}, host.machine_of(machine))
    rankings = plan_rankings(bench, folder, staged)
    keys = tuple(key for build in builds for key in build.cells)
    ranking_keys = tuple(planned.key for planned in rankings)
    missing, unranked = _unfinished(out, CELLS, keys), _unfinished(out, RANKINGS, ranking_keys)
    (out / MANIFEST).unlink(missing_ok=True)  # from now on the folder is unfinished
    settings = bench.model_dump(mode="json", serialize_as_any=True)
    data = tuple(one.facts for one in staged.values())
    write_json(out / RUN, RunFacts(bench.name, settings, bench.targets, bench.ties, machine, data, keys, ranking_keys))
    with reporter.track("cells", len(keys)) as advance:
        advance(len(keys) - len(missing))
        for build in builds:
            cells = {key: point for key, point in build.cells.items() if key in missing}
            if cells:
                reporter.note(f"{build.point.data}: {build.point.series}, {len(cells)} cells")
                left, vectors = replace(build, cells=cells), staged[build.point.data]
                with host.machine_lock(reporter):
                    _run_build(WorkerJob(left, vectors, bench.protocol, bench.ties, machine, out), advance)
    for planned in rankings:
        if planned.key in unranked:
            reporter.note(f"{planned.staged.facts.name}: {planned.retriever}, without vectors")
            run_ranking(planned, out, reporter)
    failed, failed_rankings = (sum(_file(out, FAILED, key).is_file() for key in each) for each in (keys, ranking_keys))
    counts = {"cells": len(keys) - failed, "builds": len(builds)}
    if rankings:
        counts["rankings"] = len(rankings) - failed_rankings
    asked, lost = len(missing) + len(unranked), failed + failed_rankings
    return counts, BenchmarkCounts(out, asked - lost, len(keys) + len(rankings) - asked, lost)


def _remove_changed(out: Path, reporter: Reporter) -> None:
    """Remove cells of a finished benchmark whose files were changed, so that they are measured again."""
    manifest = read_manifest(out)
    for name in Artifact(out, manifest).changed_files() if manifest is not None else ():
        reporter.note(f"{out / name} was changed, so it is measured again")
        for place in (CELLS, RANKINGS):
            _file(out, place, Path(name).stem).unlink(missing_ok=True)


def _stage_all(bench: AnnBenchmark, folder: Path, out: Path, reporter: Reporter) -> dict[str, Staged]:
    staged = {}
    for entry in bench.data:
        reporter.note(f"{entry.name}: reading vectors, computing exact neighbours")
        staged[entry.name] = stage(entry, folder, max(bench.k), out / STAGES)
        for note in staged[entry.name].facts.notes:
            reporter.note(f"{entry.name}: {note}")
    return staged


def _unfinished(out: Path, folder: str, keys: Iterable[str]) -> set[str]:
    """The keys that are not in the folder yet; their earlier failures are removed."""
    left = {key for key in keys if not _file(out, folder, key).is_file()}
    for key in left:
        _file(out, FAILED, key).unlink(missing_ok=True)
    return left


def _file(out: Path, folder: str, key: str) -> Path:
    return out / folder / f"{key}.json"


def _run_build(job: WorkerJob, advance: Advance) -> None:
    """Measure one build in a fresh process; if it dies or takes too long, its missing cells are stored as failed."""
    with TemporaryDirectory(dir=job.staged.folder) as folder:
        task, log = Path(folder) / "job.json", Path(folder) / "log"
        write_json(task, job)
        environment = {**os.environ, **dict.fromkeys(_THREADS, str(job.protocol.threads))}
        command = [sys.executable, "-m", "constraintsuite.vectors.ann.worker", str(task)]
        with (
            log.open("wb") as errors,
            # The worker ends when its stdin closes, which happens however this process dies.
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment
            ) as worker,
        ):
            late = threading.Event()

            def stop() -> None:
                late.set()
                worker.kill()

            timer = threading.Timer(job.protocol.timeout_seconds, stop)
            timer.daemon = True  # an interrupted run does not wait for it
            timer.start()
            assert worker.stdout is not None
            done = 0
            for line in worker.stdout:
                if line.decode(errors="replace").strip() in job.build.cells:  # libraries may print other lines
                    done += 1
                    advance()
            timer.cancel()
        reason = _describe_end(worker.wait(), log)
    if late.is_set():
        seconds = f"{job.protocol.timeout_seconds:g} s"
        reason = f"took longer than timeout_seconds, {seconds}, for its build and searches"
    for key, point in job.build.cells.items():
        if not any(_file(job.out, place, key).is_file() for place in (CELLS, FAILED)):
            write_json(_file(job.out, FAILED, key), Failure(key, point, reason))
    advance(len(job.build.cells) - done)


def _describe_end(code: int, log: Path) -> str:
    errors = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    return "\n".join([f"the process {how}", *errors])
