"""The behaviour of checkpoints: figures by slice, changes between checkpoints, and what the last one has forgotten."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.core.errors import prefixed_errors
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.examples import Split
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.store.download import cache_folder
from constraintsuite.experiments.compare import PairedDifference, SystemPair, apply_holm, paired_test
from constraintsuite.experiments.experiment import join_experiments
from constraintsuite.experiments.figures import table_figures
from constraintsuite.experiments.load import Run, Suite, load_run, restrict_to_splits
from constraintsuite.experiments.outcome_table import OVERALL, OutcomeTable
from constraintsuite.experiments.pair_experiment import pair_experiments
from constraintsuite.experiments.run import RunContent, record_run, run_folder, run_origin
from constraintsuite.experiments.scoring import documents_of, pairs_of, score_pairs
from constraintsuite.mechanism.drift.checkpoints import Checkpoint, LabelledReporter
from constraintsuite.mechanism.drift.records import CheckpointFigure, SuiteForgetting
from constraintsuite.models.base import Describing, Scorer, Truncating, Workbench
from constraintsuite.models.model_names import load_scorer

SHOWN = ("accuracy", "paired_accuracy", "normalised_gap", "normalised_sensitivity")


class Behaviour(NamedTuple):
    """Figures of all checkpoints on all suites."""

    figures: tuple[CheckpointFigure, ...]
    changes: dict[str, tuple[PairedDifference, ...]]
    forgetting: tuple[SuiteForgetting, ...]


@dataclass(frozen=True)
class _Compared:
    """The runs of all checkpoints on one suite, with the groups of its examples."""

    name: str
    table: OutcomeTable
    groups: Mapping[str, Sequence[int]]


def run_checkpoints(
    suites: Mapping[str, Suite],
    checkpoints: Sequence[Checkpoint],
    folder: Path,
    splits: Collection[Split],
    reporter: Reporter,
    seed: int,
) -> dict[str, dict[str, Run]]:
    """Score the splits of every suite with every checkpoint, into one run folder each; finished runs are kept."""
    return {
        name: {
            one.label: _run(
                restrict_to_splits(suite, splits), one, run_folder(folder, name, one.label), splits, reporter, seed
            )
            for one in checkpoints
        }
        for name, suite in suites.items()
    }


def compare_behaviour(
    suites: Mapping[str, Suite], runs: Mapping[str, Mapping[str, Run]], splits: Collection[Split], *, seed: int
) -> Behaviour:
    """Figures by slice and over all main examples; p-values are corrected over all changes."""
    asked = []
    for name, suite in suites.items():
        table = join_experiments(pair_experiments(restrict_to_splits(suite, splits), runs[name])).table
        asked.append(_Compared(name, table, {OVERALL: table.main, **table.groups["slice"]}))
    tests = [(one.name, test) for one in asked for test in _tests(one, seed)]
    changes = list(zip((name for name, _ in tests), apply_holm([test for _, test in tests]), strict=True))
    return Behaviour(
        tuple(figure for one in asked for figure in _figures(one, seed)),
        {one.name: tuple(test for name, test in changes if name == one.name) for one in asked},
        tuple(each for one in asked for each in _forgotten(one, seed)),
    )


def best_of(columns: Mapping[str, FloatArray]) -> str:
    """The label with the largest mean of its values, without NaN; of equal ones the first."""

    def height(label: str) -> float:
        column = columns[label]
        return float(np.nanmean(column)) if np.isfinite(column).any() else -math.inf

    return max(columns, key=height)


def _run(
    suite: Suite, checkpoint: Checkpoint, out: Path, splits: Collection[Split], reporter: Reporter, seed: int
) -> Run:
    """The run that `csuite eval` would make, of some splits."""
    everything = [*suite.examples, *suite.controls]
    told = LabelledReporter(checkpoint.label, reporter)
    bench = Workbench(documents_of(everything), cache_folder() / "scores", told)
    with prefixed_errors(f"Checkpoint {checkpoint.label}"):
        scorer = load_scorer(checkpoint.model, bench)
        origin = run_origin(suite, scorer.name, {"scorer": scorer.fingerprint, "splits": sorted(splits)}, seed)
        return load_run(
            record_run(suite, origin, out, lambda: _score(suite, scorer), reporter=told, events=bench.events).path
        )


def _score(suite: Suite, scorer: Scorer) -> RunContent:
    pairs = pairs_of([*suite.examples, *suite.controls])
    scores = score_pairs(scorer, pairs)
    read = scorer.visible(pairs) if isinstance(scorer, Truncating) else None
    visible = None if read is None else dict(zip(pairs, read.tolist(), strict=True))
    return RunContent(suite, scores, visible, scorer.describe() if isinstance(scorer, Describing) else {})


def _figures(asked: _Compared, seed: int) -> Iterator[CheckpointFigure]:
    found = table_figures(asked.table, asked.groups, metrics=lambda _: SHOWN, seed=seed)
    for group in asked.groups:
        for checkpoint in asked.table.systems:
            for metric, value in found[checkpoint][group].metrics.items():
                if value.value is not None:
                    yield CheckpointFigure(checkpoint, asked.name, group, metric, value)


def _tests(asked: _Compared, seed: int) -> Iterator[PairedDifference]:
    """Each checkpoint against the first, and against the one before it."""
    labels = list(asked.table.systems)
    metric = asked.table.metric(asked.table.headline_metric)
    for place in range(1, len(labels)):
        for first in dict.fromkeys((labels[0], labels[place - 1])):
            for group, members in asked.groups.items():
                pair = SystemPair(first, labels[place])
                yield paired_test(asked.table, pair, metric, group, members, seed=seed)


def _forgotten(asked: _Compared, seed: int) -> Iterator[SuiteForgetting]:
    table = asked.table
    metric = table.metric(table.headline_metric)
    *earlier, last = table.systems
    for group, members in asked.groups.items():
        best = best_of({label: table.column(label, metric.name, members) for label in earlier})
        test = paired_test(table, SystemPair(best, last), metric, group, members, seed=seed)
        if test.difference.value is not None:
            yield SuiteForgetting(asked.name, group, metric.name, best, last, test.difference)
