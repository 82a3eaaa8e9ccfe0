"""A run of a memory benchmark: written once, loaded again, and opened as an experiment."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.core.store.artifact import ENVIRONMENT, Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_text, write_text
from constraintsuite.core.store.jsonl import adapter, describe, read_jsonl, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.experiment import Experiment, OpenOptions, Timing
from constraintsuite.experiments.output import OutputCounts, write_once
from constraintsuite.memory.results import ItemResult
from constraintsuite.memory.runs.modes import is_model
from constraintsuite.memory.runs.replay import EdgeRemoval, Replay, replays_of
from constraintsuite.memory.runs.summary import MemoryRunSummary, summarise
from constraintsuite.memory.runs.table import MemoryTable

KIND = "memory_run"
OUTCOMES, SUMMARY, REPLAYS = "outcomes.jsonl", "summary.json", "replays.jsonl"
BASELINE = "lexical_baseline"
"""The mode that the others are compared with."""
_MAY_DIFFER = frozenset({"modes", "options", "budgets", "draws"})
"""Settings that decide which figures there are, and what is compared."""
_WATCHED = ("evidence_hit", "path_hit")
"""What a gate looks at in structured cases."""


@dataclass(frozen=True)
class MemoryRunResult:
    """What a run gave, before it is written."""

    outcomes: Sequence[ItemResult]
    timing: Timing | None = None
    removals: Sequence[EdgeRemoval] = ()
    not_evaluated: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MemoryRun:
    """A finished run, as loaded from its folder."""

    artifact: Artifact
    summary: MemoryRunSummary
    outcomes: tuple[ItemResult, ...]
    timing: Timing | None
    """None where no search was timed."""
    removals: tuple[EdgeRemoval, ...] = ()
    """Walks that were replayed; of cases alone."""

    @cached_property
    def table(self) -> MemoryTable:
        """Its outcomes as a table, from which figures and tests are computed."""
        return MemoryTable(self.summary.benchmark, self.outcomes)

    @cached_property
    def replays(self) -> tuple[Replay, ...]:
        """What the walks of each mode are worth to the units they lead to."""
        return replays_of(self.removals)

    @property
    def inputs(self) -> Mapping[str, str]:
        """Hashes of what it was made of."""
        return self.artifact.manifest.inputs


def write_run(
    out: Path,
    benchmark: str,
    inputs: Mapping[str, str],
    settings: Mapping[str, Any],
    make: Callable[[], MemoryRunResult],
    reporter: Reporter | None = None,
) -> Artifact:
    """The run in the folder `out`; a finished one of the same inputs and settings is left as it is, and `make` is not called.

    `inputs` are hashes: of the benchmark file, of the documents as a memory holds them, of every model.
    """
    origin = ArtifactOrigin(KIND, benchmark, inputs, {**settings, "draws": DRAWS}, 0, REVISIONS["memory_run"])

    def write(folder: Path) -> OutputCounts:
        found = make()
        summary = summarise(MemoryTable(benchmark, found.outcomes))
        summary = replace(summary, not_evaluated=dict(found.not_evaluated), notes=found.notes)
        write_jsonl(folder / OUTCOMES, found.outcomes)
        write_text(folder / SUMMARY, adapter(MemoryRunSummary).dump_json(summary, indent=1).decode() + "\n")
        if found.removals:
            write_jsonl(folder / REPLAYS, found.removals)
        place = {"timing": asdict(found.timing)} if found.timing is not None else {}
        return OutputCounts({"outcomes": len(found.outcomes), "items": summary.items}, place=place)

    return write_once(out, origin, (OUTCOMES, SUMMARY, REPLAYS), write, reporter=reporter or Silent())


def load_memory_run(path: Path) -> MemoryRun:
    """The finished run in a folder; one of which a file is missing or was changed is a UserError."""
    artifact = Artifact.open(path, KIND)
    try:
        summary = adapter(MemoryRunSummary).validate_json((path / SUMMARY).read_bytes())
    except ValidationError as error:
        raise UserError(f"{path / SUMMARY}: {describe(error)} Was it written by another version?") from None
    removals = read_jsonl(path / REPLAYS, EdgeRemoval) if REPLAYS in artifact.manifest.files else ()
    return MemoryRun(artifact, summary, tuple(read_jsonl(path / OUTCOMES, ItemResult)), _timing(path), tuple(removals))


def _timing(path: Path) -> Timing | None:
    """From beside the content: a run whose environment was lost is still a run, only not timed."""
    file = path / ENVIRONMENT
    if not file.is_file():
        return None
    try:
        place = json.loads(file.read_bytes()).get("model", {})
        return adapter(Timing).validate_python(place["timing"]) if "timing" in place else None
    except (ValueError, AttributeError, TypeError) as error:  # a ValidationError is a ValueError
        said = describe(error) if isinstance(error, ValidationError) else f"{error}."
        raise UserError(
            f"{file}: the times in it cannot be read: {said} Remove the file, and the run counts as one that was not timed."
        ) from None


def open_memory_run(path: Path, options: OpenOptions) -> Experiment:
    """The run of a memory benchmark in a folder; `options` change nothing here."""
    return memory_experiment(load_memory_run(path))


def memory_experiment(run: MemoryRun) -> Experiment:
    """A run of a memory benchmark: items are questions at a budget, systems are modes.

    Documents, questions and limits must be the same in runs that are compared; models and options of modes may differ.
    """
    settings = run.artifact.manifest.settings
    data = {name: version for name, version in run.inputs.items() if not is_model(name)}
    models = {name: version for name, version in run.inputs.items() if is_model(name)}
    return Experiment(
        path=run.artifact.path,
        kind=KIND,
        name=run.summary.benchmark,
        data=run.summary.benchmark,
        table=run.table,
        inputs={**data, "questions": sha256_text(*sorted(run.table.questions))},
        conditions={name: value for name, value in settings.items() if name not in _MAY_DIFFER},
        options={**models, **settings.get("options", {})},
        reference=BASELINE,
        timing=run.timing,
        watched=_watched(run.table),
    )


def _watched(table: MemoryTable) -> tuple[str, ...]:
    if table.is_structured:
        return tuple(name for name in _WATCHED if table.has_values(name))
    return tuple(dict.fromkeys(name for budget in table.budgets for name in table.headlines(budget)[:2]))
