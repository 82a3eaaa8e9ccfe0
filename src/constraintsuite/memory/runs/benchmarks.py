"""Structured cases and public benchmarks as runs: what decides them, how they are timed, what of them is replayed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.experiments.experiment import Timing
from constraintsuite.memory.cases.coverage import count_not_evaluated
from constraintsuite.memory.cases.grounding import Grounded
from constraintsuite.memory.cases.run import CaseRun, run_cases
from constraintsuite.memory.public.base import BenchmarkFile, Haystack
from constraintsuite.memory.public.run import Latency, PublicRun, run_public
from constraintsuite.memory.runs.latency import calibrate, timing_of
from constraintsuite.memory.runs.making import making_of
from constraintsuite.memory.runs.record import MemoryRunOrigin, MemoryRunResult, write_run
from constraintsuite.memory.runs.remembering import remembering
from constraintsuite.memory.runs.replay import replay
from constraintsuite.models.dense import DenseScorer
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.files import sha256_text

BUNDLED = "fixtures"
"""What a run of several datasets is called."""


def run_structured(
    datasets: Sequence[Grounded], run: CaseRun, out: Path, encoder: DenseScorer | None = None, *, repeats: int = 3
) -> Artifact:
    """All modes on the cases of some datasets, as the run folder `out`; `repeats` more passes give the warm times.

    Walks are always replayed: it takes less time than the four passes.
    """
    encoder = remembering(encoder) if encoder is not None else None
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
    source = MemoryRunOrigin(names[0] if len(names) == 1 else BUNDLED, inputs | making.models, settings)

    def make() -> MemoryRunResult:
        first: list[Latency] = []
        outcomes = list(run_cases(datasets, replace(run, latencies=first), encoder))

        def again(latencies: list[Latency]) -> None:
            # A state is made anew for each pass, so that all of them do the same.
            for _ in run_cases(datasets, replace(run, latencies=latencies), encoder):
                pass

        return MemoryRunResult(
            outcomes,
            _timing(first, again, repeats, run.clock),
            replay(datasets, run, encoder),
            count_not_evaluated(case for data in datasets for case in data.dataset.cases),
            tuple(note for data in datasets for note in data.file.notes),
        )

    return write_run(out, source, make, run.reporter)


def run_benchmark(reading: BenchmarkFile, run: PublicRun, out: Path, encoder: DenseScorer | None = None) -> Artifact:
    """All modes on a public benchmark, as the run folder `out`; `run.repeats` gives the warm times, since a further pass would
    build every haystack again, and be as cold as the first."""
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
    source = MemoryRunOrigin(reading.benchmark, inputs | making.models, settings)

    def make() -> MemoryRunResult:
        rows: list[Latency] = []
        before = calibrate(run.clock)
        outcomes = list(run_public(reading, replace(run, latencies=rows), encoder))
        return MemoryRunResult(outcomes, timing_of([rows], [before, calibrate(run.clock)]), notes=reading.notes)

    return write_run(out, source, make, run.reporter)


def _timing(
    first: Sequence[Latency], again: Callable[[list[Latency]], None], repeats: int, clock: Callable[[], float]
) -> Timing:
    """The first pass and some more, with the calibration between them, so that both saw the same machine."""
    passes, calibrations = [list(first)], [calibrate(clock)]
    for _ in range(repeats):
        rows: list[Latency] = []
        again(rows)
        passes.append(rows)
        calibrations.append(calibrate(clock))
    return timing_of(passes, calibrations)


def _fingerprint(haystacks: Collection[Haystack]) -> str:
    """Of everything that is searched, under the ids it has there."""
    return sha256_text(
        *(
            text
            for haystack in haystacks
            for source in haystack.sources
            for text in (haystack.id, source.id, source.title, *source.headings)
        ),
        *(
            text
            for haystack in haystacks
            for source in haystack.sources
            for passage in source.passages
            for text in (passage.unit, passage.name, passage.text)
        ),
    )
