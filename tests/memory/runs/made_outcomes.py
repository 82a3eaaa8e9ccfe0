"""Outcomes and runs written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from constraintsuite.experiments.experiment import Experiment, OpenOptions, SystemSpeed, Timing
from constraintsuite.memory.results import ItemResult
from constraintsuite.memory.runs.experiment import (
    MemoryRun,
    MemoryRunResult,
    load_memory_run,
    open_memory_run,
    write_run,
)


class RunSource(NamedTuple):
    """What a run is of."""

    benchmark: str
    inputs: Mapping[str, str]
    settings: Mapping[str, object]


SOURCE = RunSource("tiny", {"dataset tiny": "d1", "memory tiny": "m1"}, {"budgets": [5]})


def outcome(
    item: str, values: dict[str, float | None], mode: str = "ppr", budget: int = 5, **groups: str
) -> ItemResult:
    """An item is `FIXTURE/CASE#WORDING`."""
    cluster, _, wording = item.partition("#")
    fixed = {"fixture": item.partition("/")[0], "part": "case", "tags": ""}
    phrasing = {"phrasing": "original" if wording in ("", "0") else "paraphrase"}
    return ItemResult(mode, item, budget, values, ("a",), {**fixed, **phrasing, **groups}, cluster)


def outcomes(mode: str, marks: str, metric: str = "evidence_hit", **groups: str) -> list[ItemResult]:
    """One case a mark: 1 right, 0 wrong, - undefined."""
    read = {"1": 1.0, "0": 0.0, "-": None}
    return [outcome(f"tiny/{n:02}#0", {metric: read[mark]}, mode, 5, **groups) for n, mark in enumerate(marks)]


def timing(p95: float = 10.0, *, calibration: float = 2.0, repetitions: int = 3, mode: str = "ppr") -> Timing:
    return Timing(calibration, (SystemSpeed(mode, "budget=5", 20, repetitions, 30.0, p95 / 2, p95),))


def made_run(
    folder: Path, rows: Sequence[ItemResult], time: Timing | None = None, source: RunSource = SOURCE
) -> MemoryRun:
    write_run(folder, *source, lambda: MemoryRunResult(list(rows), time))
    return load_memory_run(folder)


def made_experiment(
    folder: Path, rows: Sequence[ItemResult], time: Timing | None = None, source: RunSource = SOURCE
) -> Experiment:
    return open_memory_run(made_run(folder, rows, time, source).artifact.path, OpenOptions())
