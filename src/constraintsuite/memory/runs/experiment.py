"""Runs of memory benchmarks as experiments."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.experiments.experiment import Experiment, OpenOptions
from constraintsuite.memory.runs.modes import is_model
from constraintsuite.memory.runs.record import KIND, MemoryRun, load_memory_run
from constraintsuite.memory.runs.table import MemoryTable
from constraintsuite.store.files import sha256_text

BASELINE = "lexical_baseline"
"""The mode that the others are compared with."""
_MAY_DIFFER = frozenset({"modes", "options", "budgets", "draws"})
"""Settings that decide which figures there are, and what is compared."""
_WATCHED = ("evidence_hit", "path_hit")
"""What a gate looks at in structured cases."""


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
