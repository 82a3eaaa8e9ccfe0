"""Runs benchmarks into folders, and times the searches."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import sha256_text
from constraintsuite.experiments.experiment import SystemSpeed, Timing
from constraintsuite.memory.cases.files import Grounded
from constraintsuite.memory.cases.run import CaseRun, count_not_evaluated, run_cases
from constraintsuite.memory.dense import cached
from constraintsuite.memory.public.base import BenchmarkFile, Haystack
from constraintsuite.memory.public.run import PublicRun, run_public
from constraintsuite.memory.results import ItemResult, Latency
from constraintsuite.memory.runs.experiment import MemoryRunResult, write_run
from constraintsuite.memory.runs.modes import making_of
from constraintsuite.memory.runs.replay import replay
from constraintsuite.memory.runs.table import BUDGET
from constraintsuite.models.dense import DenseScorer

_SIZE = 200_000
_TIMES = 15
BUNDLED = "fixtures"
"""The name of a run of several datasets."""


def calibrate(clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the milliseconds of a fixed work: gathering, summing by position and sorting 200,000 numbers, as a search does.

    It is the fastest of 15 times, since other processes can only slow it down.
    """
    rng = np.random.default_rng(0)
    values = rng.random(_SIZE)
    places = rng.integers(_SIZE, size=_SIZE)
    seconds = []
    for _ in range(_TIMES):
        began = clock()
        np.sort(np.bincount(places, weights=values[places], minlength=_SIZE))
        seconds.append(clock() - began)
    return 1_000 * min(seconds)


def timing_of(passes: Sequence[Iterable[Latency]], calibrations: Sequence[float]) -> Timing:
    """Summarise times: of one mode, item and budget the first is cold, all later ones are warm, over all passes.

    Without warm times the cold ones are used for both, and `repetitions` is 0.
    """
    times: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for rows in passes:
        for row in rows:
            times[row.mode, row.budget][row.item].append(1_000 * row.seconds)
    speeds = tuple(_speed(*key, list(items.values())) for key, items in times.items())
    return Timing(round(float(np.median(calibrations)), 4), speeds)


def _speed(mode: str, budget: int, items: Sequence[Sequence[float]]) -> SystemSpeed:
    repeated = [each for each in items if len(each) > 1]
    warm = [float(np.median(each[1:])) for each in repeated] or [each[0] for each in items]
    cold = float(np.median([each[0] for each in items]))
    p50, p95 = np.percentile(warm, [50, 95]).tolist()
    repetitions = min((len(each) - 1 for each in repeated), default=0)
    return SystemSpeed(mode, f"{BUDGET}={budget}", len(warm), repetitions, round(cold, 4), round(p50, 4), round(p95, 4))


def run_structured(
    datasets: Sequence[Grounded], run: CaseRun, out: Path, encoder: DenseScorer | None = None, *, repeats: int = 3
) -> Artifact:
    """Run all modes on the cases of some datasets into the folder `out`; `repeats` more passes give the warm times.

    Walks are always replayed, which takes less time than the passes.
    """
    encoder = cached(encoder) if encoder is not None else None
    making = making_of(run.modes, encoder, run.bench)
    names = [data.dataset.dataset_id for data in datasets]
    inputs = {f"dataset {data.dataset.dataset_id}": data.file.sha256 for data in datasets}
    inputs |= {f"memory {data.dataset.dataset_id}": data.version for data in datasets}
    settings = {
        "datasets": names,
        "modes": list(run.modes),
        "options": making.options,
        "budgets": list(run.budgets),
        "now": run.now,
        "hours_between": run.hours_between,
    }

    def make() -> MemoryRunResult:
        passes: list[list[Latency]] = []
        calibrations = []
        outcomes: list[ItemResult] = []
        for _ in range(1 + repeats):  # each pass makes its own states, so that all do the same
            passes.append([])
            found = list(run_cases(datasets, replace(run, latencies=passes[-1]), encoder))
            outcomes = outcomes or found
            calibrations.append(calibrate(run.clock))  # between the passes, under the same load
        return MemoryRunResult(
            outcomes,
            timing_of(passes, calibrations),
            replay(datasets, run, encoder),
            count_not_evaluated(case for data in datasets for case in data.dataset.cases),
            tuple(note for data in datasets for note in data.file.notes),
        )

    benchmark = names[0] if len(names) == 1 else BUNDLED
    return write_run(out, benchmark, inputs | making.models, settings, make, run.reporter)


def run_benchmark(reading: BenchmarkFile, run: PublicRun, out: Path, encoder: DenseScorer | None = None) -> Artifact:
    """Run all modes on a public benchmark into the folder `out`.

    `run.repeats` gives the warm times: a further pass would build every haystack again, and be as cold as the first.
    """
    making = making_of(run.modes, encoder, run.bench)
    answers = run.answers or {}
    inputs = {"dataset": reading.sha256, "memory": _fingerprint(reading.haystacks.values())}
    inputs |= {"answers": sha256_text(*(f"{key} {value}" for key, value in sorted(answers.items())))} if answers else {}
    settings = {
        "modes": list(run.modes),
        "options": making.options,
        "budgets": list(run.budgets),
        "most_tokens": run.most_tokens,
        "links": run.links,
        "items": sha256_text(*(item.id for item in reading.items)),
    }

    def make() -> MemoryRunResult:
        rows: list[Latency] = []
        before = calibrate(run.clock)
        outcomes = list(run_public(reading, replace(run, latencies=rows), encoder))
        return MemoryRunResult(outcomes, timing_of([rows], [before, calibrate(run.clock)]), notes=reading.notes)

    return write_run(out, reading.benchmark, inputs | making.models, settings, make, run.reporter)


def _fingerprint(haystacks: Collection[Haystack]) -> str:
    """Return the hash of everything that is searched: all documents, then all passages."""
    sources = [(haystack.id, source) for haystack in haystacks for source in haystack.sources]
    documents = (text for name, one in sources for text in (name, one.id, one.title, *one.headings))
    passages = (passage for _, one in sources for passage in one.passages)
    return sha256_text(*documents, *(text for one in passages for text in (one.unit, one.name, one.text)))
