"""A benchmark from its file to its folder: finished cells are skipped, failed ones are tried again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from constraintsuite.execution.progress import Advance, Reporter
from constraintsuite.store.artifact import MANIFEST, STAGES, Artifact, ArtifactOrigin, read_manifest
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.store.workspace import Replace, claim
from constraintsuite.vectors.ann.host import Host, describe_host, machine_of, note_load, own_turn
from constraintsuite.vectors.ann.per_query import require_pyarrow
from constraintsuite.vectors.ann.plan import Build, PlannedCell, plan, refuse_missing
from constraintsuite.vectors.ann.rankings import PlannedRanking, plan_rankings, run_ranking, waiting_of
from constraintsuite.vectors.ann.relevance import require_measures
from constraintsuite.vectors.ann.results import CELLS, FAILED, KIND, PER_QUERY, RANKINGS, RUN, Failure, RunFacts, write
from constraintsuite.vectors.ann.settings import AnnBenchmark, held
from constraintsuite.vectors.ann.staging import Staged, stage
from constraintsuite.vectors.ann.threads import require_threadpoolctl
from constraintsuite.vectors.ann.worker import WorkerJob

_FILES = (RUN, *(f"{folder}/*" for folder in (CELLS, FAILED, PER_QUERY, RANKINGS)))
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass(frozen=True)
class BenchmarkCounts:
    """What a run did, in cells and rankings together."""

    path: Path
    measured: int
    skipped: int
    failed: int


def run_benchmark(bench: AnnBenchmark, folder: Path, out: Path, reporter: Reporter) -> BenchmarkCounts:
    """Measure every cell of `bench` that is not in `out` yet; paths of data start at `folder`.

    Cells are written where they stay, and those of earlier settings are kept: hours of measuring outlive a changed benchmark.
    So a finished run is never "up to date" as a whole.
    """
    require_pyarrow()  # before hours of measuring that could not be written down
    require_threadpoolctl()
    refuse_missing(bench)
    host = describe_host()
    note_load(reporter)
    settings = bench.model_dump(mode="json", serialize_as_any=True)
    origin = ArtifactOrigin(KIND, bench.name, {}, settings, 0, REVISIONS[KIND])
    with (
        held(bench.data, folder),  # workers map the data for as long as anything is measured
        claim(out, origin, _FILES, replace=Replace.SAME_NAME, beside=(STAGES,)) as space,
    ):
        staged = _stage_all(bench, folder, out, reporter)
        _forget_changed(out, reporter)
        agenda = _agenda(bench, folder, staged, out, host)
        (out / MANIFEST).unlink(missing_ok=True)  # from now on the folder is unfinished
        write(out / RUN, _facts(bench, staged, agenda, host))
        with reporter.track("cells", len(agenda.keys)) as advance:
            advance(len(agenda.keys) - sum(len(build.cells) for build in agenda.waiting))
            for build in agenda.waiting:
                reporter.note(f"{build.data}: {build.cells[0].point.series}, {len(build.cells)} cells")
                with own_turn(reporter):
                    _run_build(WorkerJob(build, staged[build.data], bench.protocol, bench.ties, host, out), advance)
        for planned in agenda.unranked:
            reporter.note(f"{planned.staged.facts.name}: {planned.retriever}, without vectors")
            run_ranking(planned, out, reporter)
        outcome = _outcome(agenda, out)
        space.origin = replace(origin, inputs={name: one.facts.content for name, one in staged.items()})
        space.finish(_counts(agenda, out), {"failed": outcome.failed} if outcome.failed else {})
    return outcome


@dataclass(frozen=True)
class _Agenda:
    """All that the benchmark file asks for, and what of it is not there yet."""

    builds: Sequence[Build]
    rankings: Sequence[PlannedRanking]
    waiting: Sequence[Build]
    """With those of their cells that are missing."""
    unranked: Sequence[PlannedRanking]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(planned.key for build in self.builds for planned in build.cells)

    @property
    def ranking_keys(self) -> tuple[str, ...]:
        return tuple(planned.key for planned in self.rankings)


def _agenda(bench: AnnBenchmark, folder: Path, staged: dict[str, Staged], out: Path, host: Host) -> _Agenda:
    if any(one.facts.judged_queries for one in staged.values()):
        require_measures()  # else every cell would be measured, and lost when it is judged
    contents = {name: one.facts.content for name, one in staged.items()}
    builds = plan(bench, contents, machine_of(host))
    rankings = plan_rankings(bench, folder, staged)
    waiting = [left for build in builds if (left := _unfinished(build, out)).cells]
    return _Agenda(builds, rankings, waiting, waiting_of(rankings, out))


def _forget_changed(out: Path, reporter: Reporter) -> None:
    """Take away cells of a finished benchmark that are not as they were measured, so that they are measured again."""
    manifest = read_manifest(out)
    for name in Artifact(out, manifest).changed_files() if manifest is not None else ():
        reporter.note(f"{out / name} is not what was written, so it is made again")
        for place in (CELLS, RANKINGS):
            (out / place / f"{Path(name).stem}.json").unlink(missing_ok=True)


def _outcome(agenda: _Agenda, out: Path) -> BenchmarkCounts:
    asked = sum(len(build.cells) for build in agenda.waiting) + len(agenda.unranked)
    failed = _failed(out, agenda.keys) + _failed(out, agenda.ranking_keys)
    return BenchmarkCounts(out, asked - failed, len(agenda.keys) + len(agenda.rankings) - asked, failed)


def _counts(agenda: _Agenda, out: Path) -> dict[str, int]:
    counts = {"cells": len(agenda.keys) - _failed(out, agenda.keys), "builds": len(agenda.builds)}
    if agenda.rankings:
        counts["rankings"] = len(agenda.rankings) - _failed(out, agenda.ranking_keys)
    return counts


def _stage_all(bench: AnnBenchmark, folder: Path, out: Path, reporter: Reporter) -> dict[str, Staged]:
    staged = {}
    for entry in bench.data:
        reporter.note(f"{entry.name}: reading vectors, computing exact neighbours")
        staged[entry.name] = stage(entry, folder, max(bench.k), out / STAGES)
        for note in staged[entry.name].facts.notes:
            reporter.note(f"{entry.name}: {note}")
    return staged


def _unfinished(build: Build, out: Path) -> Build:
    """The build with those of its cells that must be measured; what failed before is forgotten."""
    left = tuple(planned for planned in build.cells if not (out / CELLS / f"{planned.key}.json").is_file())
    for planned in left:
        (out / FAILED / f"{planned.key}.json").unlink(missing_ok=True)
    return replace(build, cells=left)


def _failed(out: Path, keys: Sequence[str]) -> int:
    return sum((out / FAILED / f"{key}.json").is_file() for key in keys)


def _facts(bench: AnnBenchmark, staged: dict[str, Staged], agenda: _Agenda, host: Host) -> RunFacts:
    return RunFacts(
        name=bench.name,
        settings=bench.model_dump(mode="json", serialize_as_any=True),
        targets=bench.targets,
        ties=bench.ties,
        host=host,
        data=tuple(one.facts for one in staged.values()),
        keys=agenda.keys,
        ranking_keys=agenda.ranking_keys,
    )


def _run_build(job: WorkerJob, advance: Advance) -> None:
    """A fresh process for one build; if it dies or takes too long, its cells that are not there have failed."""
    with TemporaryDirectory(dir=job.staged.folder) as folder:
        task, log = Path(folder) / "job.json", Path(folder) / "log"
        write(task, job)
        environment = {**os.environ, **dict.fromkeys(_THREADS, str(job.protocol.threads))}
        command = [sys.executable, "-m", "constraintsuite.vectors.ann.worker", str(task)]
        with (
            log.open("wb") as errors,
            # Its end of stdin closes when this process dies, however it dies, and then it ends too.
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment
            ) as worker,
        ):
            late = _Alarm(worker, job.protocol.timeout_seconds)
            assert worker.stdout is not None
            keys = {planned.key for planned in job.build.cells}
            done = 0
            for line in worker.stdout:
                if line.decode(errors="replace").strip() in keys:  # libraries may print there too
                    done += 1
                    advance()
            late.cancel()
        reason = late.reason or _death(worker.wait(), log)
    for planned in job.build.cells:
        if not _settled(planned, job.out):
            write(job.out / FAILED / f"{planned.key}.json", Failure(planned.key, planned.point, reason))
    advance(len(job.build.cells) - done)


class _Alarm:
    """Ends a process that takes too long, and remembers that it did."""

    def __init__(self, worker: subprocess.Popen[bytes], seconds: float) -> None:
        self._worker, self._seconds, self.reason = worker, seconds, ""
        self._timer = threading.Timer(seconds, self._ring)
        self._timer.daemon = True  # whoever interrupts us shall not have to wait for it
        self._timer.start()

    def cancel(self) -> None:
        """The process has ended in time."""
        self._timer.cancel()

    def _ring(self) -> None:
        self.reason = f"took longer than timeout_seconds, {self._seconds:g} s, for its build and searches"
        self._worker.kill()


def _settled(planned: PlannedCell, out: Path) -> bool:
    return any((out / place / f"{planned.key}.json").is_file() for place in (CELLS, FAILED))


def _death(code: int, log: Path) -> str:
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    return "\n".join([f"the process {how}", *said])
