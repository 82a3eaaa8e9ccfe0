"""What checkpoints do: figures by slice, what flips between them, and what the last has forgotten."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from constraintsuite.build.audit.groups import group_examples
from constraintsuite.errors import UserError
from constraintsuite.evaluate.alignment import Aligned, align
from constraintsuite.evaluate.compare import Difference, corrected, paired_test
from constraintsuite.evaluate.figures import figures
from constraintsuite.evaluate.groupings import OVERALL
from constraintsuite.evaluate.headline import headline_metric
from constraintsuite.evaluate.load import Run, Suite, load_run
from constraintsuite.evaluate.run import evaluate_suite, run_folder
from constraintsuite.execution.progress import Reporter
from constraintsuite.mechanism.drift.checkpoints import Checkpoint
from constraintsuite.mechanism.drift.records import Change, Figure, Forgetting
from constraintsuite.metrics.intervals import DRAWS
from constraintsuite.metrics.pairwise import METRICS
from constraintsuite.records.examples import Split

SHOWN = ("accuracy", "paired_accuracy", "normalised_gap", "normalised_sensitivity")


class Behaviour(NamedTuple):
    """Figures of all checkpoints on all suites."""

    figures: tuple[Figure, ...]
    changes: tuple[Change, ...]
    forgetting: tuple[Forgetting, ...]


@dataclass(frozen=True)
class _Asked:
    """The runs of all checkpoints on one suite, over the splits that are looked at."""

    suite: Suite
    name: str
    metric: str
    aligned: Aligned
    groups: Mapping[str, list[int]]


def run_checkpoints(
    suites: Mapping[str, Suite], checkpoints: Sequence[Checkpoint], folder: Path, reporter: Reporter, seed: int
) -> dict[str, dict[str, Run]]:
    """Score every suite with every checkpoint, into one run folder each; those that are there are kept."""
    return {
        name: {
            one.label: load_run(
                evaluate_suite(suite.artifact.path, one.model, run_folder(folder, name, one.label), reporter, seed).path
            )
            for one in checkpoints
        }
        for name, suite in suites.items()
    }


def compare_behaviour(
    suites: Mapping[str, Suite],
    runs: Mapping[str, Mapping[str, Run]],
    splits: Collection[Split],
    *,
    seed: int,
) -> Behaviour:
    """By slice and over all main examples of some splits; p-values are corrected over all changes."""
    asked = [_ask(name, suite, runs[name], splits) for name, suite in suites.items()]
    tests = [(one, test) for one in asked for test in _tests(one, seed)]
    changes = [_change(one, test) for (one, _), test in zip(tests, corrected([test for _, test in tests]), strict=True)]
    return Behaviour(
        tuple(figure for one in asked for figure in _figures(one, seed)),
        tuple(changes),
        tuple(each for one in asked for each in _forgotten(one, seed)),
    )


def _ask(name: str, suite: Suite, runs: Mapping[str, Run], splits: Collection[Split]) -> _Asked:
    aligned = align(suite, runs)
    kept = {place for place, example in enumerate(aligned.examples) if example.split in splits}
    groups = {OVERALL: range(aligned.main), **aligned.groups()["slice"]}
    left = {group: [place for place in members if place in kept] for group, members in groups.items()}
    if not left[OVERALL]:
        raise UserError(f"{suite.artifact.path}: no main example is in the split {', '.join(sorted(splits))}.")
    metric = headline_metric(suite.examples).name
    return _Asked(suite, name, metric, aligned, {group: members for group, members in left.items() if members})


def _figures(asked: _Asked, seed: int) -> Iterator[Figure]:
    for group, members in asked.groups.items():
        clusters = group_examples([asked.aligned.examples[i] for i in members]).groups
        for checkpoint, results in asked.aligned.results.items():
            found = figures(SHOWN, [results[i] for i in members], clusters, seed=seed, draws=DRAWS)
            for metric, value in found.items():
                if value.value is not None:
                    yield Figure(checkpoint, asked.name, group, metric, value)


def _tests(asked: _Asked, seed: int) -> Iterator[Difference]:
    """Each checkpoint against the first, and against the one before it."""
    labels = list(asked.aligned.results)
    for place in range(1, len(labels)):
        for first in dict.fromkeys((labels[0], labels[place - 1])):
            for group, members in asked.groups.items():
                yield paired_test(asked.aligned, first, labels[place], METRICS[asked.metric], group, members, seed=seed)


def _change(asked: _Asked, test: Difference) -> Change:
    return Change(
        first=test.first,
        second=test.second,
        suite=asked.name,
        group=test.group,
        metric=test.metric,
        difference=test.difference,
        lost=test.only_first,
        won=test.only_second,
        mcnemar=test.mcnemar,
        p=test.p,
        holm=test.holm,
    )


def _forgotten(asked: _Asked, seed: int) -> Iterator[Forgetting]:
    metric = METRICS[asked.metric]
    *earlier, last = asked.aligned.results
    for group, members in asked.groups.items():
        means = {
            label: float(metric.column([asked.aligned.results[label][i] for i in members]).mean()) for label in earlier
        }
        best = max(earlier, key=lambda label: means[label])
        test = paired_test(asked.aligned, best, last, metric, group, members, seed=seed)
        if test.difference.value is not None:
            yield Forgetting(asked.name, group, metric.name, best, last, test.difference)
