"""A run of a memory benchmark: summarised, written once, loaded again, and opened as an experiment."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.resampling import DRAWS
from constraintsuite.core.store.artifact import ENVIRONMENT, Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import adapter, describe, read_json, read_jsonl, write_json, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.experiment import Experiment, OpenOptions, Timing
from constraintsuite.experiments.figures import table_figures
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.experiments.output import OutputCounts, write_once
from constraintsuite.memory.results import ItemResult
from constraintsuite.memory.runs.modes import is_model
from constraintsuite.memory.runs.replay import EdgeRemoval, Replay, replays_of
from constraintsuite.memory.runs.table import BUDGET, CASE_VERDICTS, PHRASING, TAG, MemoryTable

KIND = "memory_run"
OUTCOMES, SUMMARY, REPLAYS = "outcomes.jsonl", "summary.json", "replays.jsonl"
BASELINE = "lexical_baseline"
"""The mode that the others are compared with."""
_MAY_DIFFER = frozenset({"modes", "options", "budgets", "draws"})
"""Settings that decide which figures there are, and what is compared."""
_WATCHED = ("evidence_hit", "path_hit")
"""Metrics that a gate checks in structured cases."""


@dataclass(frozen=True, slots=True)
class ModeFigure:
    """The mean of one metric over the items of a group."""

    mode: str
    budget: int
    metric: str
    group: str
    """`overall`, or `grouping=value`."""
    figure: Interval


@dataclass(frozen=True)
class MemoryRunSummary:
    """All figures of a run."""

    benchmark: str
    modes: tuple[str, ...]
    budgets: tuple[int, ...]
    items: int
    clusters: int
    figures: tuple[ModeFigure, ...]
    not_evaluated: Mapping[str, int] = field(default_factory=dict)
    """For structured cases: fields that are not evaluated, and how many cases have them."""
    notes: tuple[str, ...] = ()
    """Peculiarities of the benchmark file."""

    def figure(self, mode: str, budget: int, metric: str, group: str = OVERALL) -> ModeFigure | None:
        """Return one of the figures, or None."""
        wanted = (mode, budget, metric, group)
        return next((f for f in self.figures if (f.mode, f.budget, f.metric, f.group) == wanted), None)


def summarise(table: MemoryTable) -> MemoryRunSummary:
    """Compute all figures of a benchmark, overall and by every grouping except tags, which are too many for a table."""
    groupings = [name for name in table.groups if name not in (BUDGET, TAG)]
    return MemoryRunSummary(
        benchmark=table.benchmark,
        modes=tuple(table.systems),
        budgets=table.budgets,
        items=len(table.questions),
        clusters=len({item.wide for item in table.items}),
        figures=tuple(figure for by in (None, *groupings) for figure in _figures(table, by)),
    )


def _figures(table: MemoryTable, by: str | None) -> Iterator[ModeFigure]:
    # Without a grouping the parts are the totals. With one, the totals are left out: they were given before.
    parts = {part: members for part, members in table.parts(by).items() if (", " in part) == (by is not None)}

    def known(part: str) -> list[str]:
        """Return the metrics of a part; the verdict on a case belongs to all of its wordings, not to one kind."""
        return [name for name in table.known[_budget(part)] if by != PHRASING or name not in CASE_VERDICTS]

    for mode, by_part in table_figures(table, parts, metrics=known).items():
        for part, found in by_part.items():
            for name, figure in found.metrics.items():
                yield ModeFigure(mode, _budget(part), name, part.partition(", ")[2] or OVERALL, figure)


def _budget(part: str) -> int:
    return int(part.partition(", ")[0].removeprefix(f"{BUDGET}="))


@dataclass(frozen=True)
class MemoryRunResult:
    """The results of a run, before they are written."""

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
    """Walks that were replayed; only for structured cases."""

    @cached_property
    def table(self) -> MemoryTable:
        """The outcomes as a table, from which figures and tests are computed."""
        return MemoryTable(self.summary.benchmark, self.outcomes)

    @cached_property
    def replays(self) -> tuple[Replay, ...]:
        """The effect of the last edge of a walk, for each mode and budget."""
        return replays_of(self.removals)

    @property
    def inputs(self) -> Mapping[str, str]:
        """Hashes of the data and models of the run."""
        return self.artifact.manifest.inputs


def write_run(
    out: Path,
    benchmark: str,
    inputs: Mapping[str, str],
    settings: Mapping[str, Any],
    make: Callable[[], MemoryRunResult],
    reporter: Reporter | None = None,
) -> Artifact:
    """Write the run into the folder `out`; a finished run of the same inputs and settings is kept, and `make` is not called.

    `inputs` are hashes: of the benchmark file, of the documents as a memory holds them, of every model.
    """
    origin = ArtifactOrigin(KIND, benchmark, inputs, {**settings, "draws": DRAWS}, 0, REVISIONS["memory_run"])

    def write(folder: Path) -> OutputCounts:
        found = make()
        summary = summarise(MemoryTable(benchmark, found.outcomes))
        summary = replace(summary, not_evaluated=dict(found.not_evaluated), notes=found.notes)
        write_jsonl(folder / OUTCOMES, found.outcomes)
        write_json(folder / SUMMARY, summary, indent=1)
        if found.removals:
            write_jsonl(folder / REPLAYS, found.removals)
        place = {"timing": asdict(found.timing)} if found.timing is not None else {}
        return OutputCounts({"outcomes": len(found.outcomes), "items": summary.items}, place=place)

    return write_once(out, origin, (OUTCOMES, SUMMARY, REPLAYS), write, reporter=reporter or Silent())


def load_memory_run(path: Path) -> MemoryRun:
    """Load the finished run in a folder. Raises UserError if a file is missing or changed."""
    artifact = Artifact.open(path, KIND)
    summary = read_json(path / SUMMARY, MemoryRunSummary)
    removals = read_jsonl(path / REPLAYS, EdgeRemoval) if REPLAYS in artifact.manifest.files else ()
    return MemoryRun(artifact, summary, tuple(read_jsonl(path / OUTCOMES, ItemResult)), _timing(path), tuple(removals))


def _timing(path: Path) -> Timing | None:
    """Read the times from `environment.json`; a run without that file is one that was not timed."""
    file = path / ENVIRONMENT
    if not file.is_file():
        return None
    try:
        place = json.loads(file.read_bytes()).get("model", {})
        return adapter(Timing).validate_python(place["timing"]) if "timing" in place else None
    except (ValueError, AttributeError, TypeError) as error:  # a ValidationError is a ValueError
        reason = describe(error) if isinstance(error, ValidationError) else f"{error}."
        raise UserError(
            f"{file}: cannot read the times: {reason} Remove the file to use the run without them."
        ) from None


def open_memory_run(path: Path, options: OpenOptions) -> Experiment:
    """Open the run of a memory benchmark as an experiment; `options` change nothing here."""
    return memory_experiment(load_memory_run(path))


def memory_experiment(run: MemoryRun) -> Experiment:
    """Make an experiment of a run: items are questions at a budget, systems are modes.

    Runs that are compared must have the same documents, questions and limits; models and options of modes may differ.
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
