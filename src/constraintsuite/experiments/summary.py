"""The figures of a run, overall and by group, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.experiments.figures import figures
from constraintsuite.experiments.groupings import split_up
from constraintsuite.experiments.truncation import TruncationAudit
from constraintsuite.metrics.pairwise import METRICS, PairResult
from constraintsuite.metrics.resampling import DRAWS
from constraintsuite.metrics.ties import STRICT, TieRule
from constraintsuite.records.examples import Example
from constraintsuite.records.scores import Interval
from constraintsuite.suites.audit.groups import group_examples
from constraintsuite.suites.audit.results import GroupKind

ExampleResult = tuple[Example, PairResult]


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The figures of some examples."""

    examples: int
    groups: int
    """Sets of examples that are resampled as one."""
    resampled: GroupKind
    """What these are: all that are joined by shared documents, or where that joins most of them, couples only."""
    metrics: dict[str, Interval]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The figures of a run. Controls stand only under `by.slice` and `by.control`, never among the main examples."""

    suite: str
    model: str
    seed: int
    draws: int
    overall: GroupFigures
    by: dict[str, dict[str, GroupFigures]]
    rule: TieRule = STRICT
    """What a tie counts in `overall` and `by`."""
    ties: Mapping[str, Mapping[str, Interval]] | None = None
    """For comparison: metric by metric, the main examples under every policy for ties, whatever the rule is."""
    truncation: TruncationAudit | None = None
    """None if the model does not say how much of a text it reads."""


def summarise(
    suite: str,
    model: str,
    examples: Sequence[ExampleResult],
    controls: Sequence[ExampleResult],
    *,
    seed: int,
    draws: int = DRAWS,
    rule: TieRule = STRICT,
) -> RunSummary:
    """All figures of a run; the draws of a group depend on the seed and its examples alone."""
    everything = [*examples, *controls]
    parts = split_up([example for example, _ in examples], [example for example, _ in controls])
    by = {
        name: {part: _group([everything[i] for i in members], seed, draws) for part, members in groups.items()}
        for name, groups in parts.items()
    }
    return RunSummary(suite, model, seed, draws, _group(examples, seed, draws), by, rule)


def _group(judged: Sequence[ExampleResult], seed: int, draws: int) -> GroupFigures:
    grouping = group_examples([example for example, _ in judged])
    return GroupFigures(
        examples=len(judged),
        groups=len(np.unique(grouping.groups)),
        resampled=grouping.kind,
        metrics=figures(list(METRICS), [result for _, result in judged], grouping.groups, seed=seed, draws=draws),
    )
