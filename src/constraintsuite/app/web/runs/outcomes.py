"""What models made of examples: of one run, of two, or of all runs of a suite."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.app.web.origins import family_of
from constraintsuite.app.web.suites.facets import Facet, facet_of
from constraintsuite.app.web.suites.search import SuiteIndex
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import CONTROL_SLICES, QUERY_ROLES
from constraintsuite.core.statistics.pairwise import METRICS, PAIR_CLASSES, PairMetric, PairResult, pair_class
from constraintsuite.core.statistics.ties import Outcome
from constraintsuite.experiments.load import Run, load_run

CELL, PART = "right", "part"
CELLS = ("both", "first", "second", "neither")
MOST_RUNS = 12
"""Runs that are read for one example: each stays in memory, and a suite may have hundreds."""
_OUTCOMES = {name: name for name in ("right", "wrong", "tie")}
_BY_RESULT: Mapping[str, tuple[str, Mapping[str, str], Callable[[PairResult], str | None]]] = {
    PART: (
        "main or control",
        {"main": "main examples", "control": "controls"},
        lambda result: "control" if result.slice in CONTROL_SLICES else "main",
    ),
    "outcome": ("under the query", _OUTCOMES, lambda result: result.outcomes["query"]),
    "opposite": ("under the opposite", _OUTCOMES, lambda result: result.outcomes.get("opposite")),
    "restated": ("under the restated query", _OUTCOMES, lambda result: result.outcomes.get("restated")),
    "class": ("error class", {name: METRICS[name].title.lower() for name in PAIR_CLASSES}, pair_class),
    "cut": (
        "what decides",
        {"cut": "past what is read", "whole": "is read"},
        lambda result: None if result.cut is None else "cut" if result.cut else "whole",
    ),
}
"""Each facet of a run: its title, its values with their words, and the value of a result."""
RESULT_FACETS = tuple(_BY_RESULT)


def outcomes_of(index: SuiteIndex, run: Run) -> SuiteIndex:
    """The examples that a run has results for: also found by outcome, error class, and whether what decides was read."""
    known = {result.id: result for result in run.results}
    results = [known.get(example.id) for example in index.examples]
    facets = [
        facet_of(name, title, [None if result is None else value(result) for result in results], words)
        for name, (title, words, value) in _BY_RESULT.items()
    ]
    return _with(index, facets, [result is not None for result in results])


def cells_of(index: SuiteIndex, runs: Mapping[str, Run], metric: PairMetric) -> SuiteIndex:
    """The main examples for which two named runs have a value of a metric, also found by who is right."""
    first, second = runs
    ids = [example.id for example in index.suite.examples]
    values = [_values(run, ids, metric) for run in runs.values()]
    words = dict(zip(CELLS, ("both", f"only {first}", f"only {second}", "neither"), strict=True))
    cells = [_cell(a, b) for a, b in zip(*values, strict=True)] + [None] * len(index.suite.controls)
    return _with(index, [facet_of(CELL, "who is right", cells, words)], [cell is not None for cell in cells])


def _with(index: SuiteIndex, facets: Sequence[Facet], asked: Sequence[bool]) -> SuiteIndex:
    """The index with more facets, which are offered first, over those examples that were asked."""
    own = {facet.name: facet for facet in facets}
    return replace(index, facets={**own, **index.facets, **own}, among=np.array(asked, dtype=bool))


def _values(run: Run, ids: Sequence[str], metric: PairMetric) -> list[float]:
    known = dict(zip((r.id for r in run.results), metric.column(run.results), strict=True))
    return [float(known.get(id, math.nan)) for id in ids]


def _cell(first: float, second: float) -> str | None:
    if math.isnan(first) or math.isnan(second):
        return None
    return CELLS[2 * (first != 1) + (second != 1)]


class ShownOutcome(NamedTuple):
    """The outcome under one query."""

    query: str
    """Which query it is."""
    outcome: Outcome
    gap: str
    """In standard deviations of the model's scores."""


@dataclass(frozen=True)
class ShownResult:
    """What a model made of an example: under each query that states a preference, and what else is to be known."""

    outcomes: tuple[ShownOutcome, ...]
    remarks: tuple[str, ...]


def show_result(result: PairResult) -> ShownResult:
    """The result of one example in words."""
    outcomes = tuple(
        ShownOutcome(role, result.outcomes[role], _in_deviations(result.gaps[role], result.unit))
        for role in QUERY_ROLES
        if role in result.outcomes
    )
    remarks = {
        "cut": result.cut,
        "turned round from its original": result.flipped,
        "as its original": result.invariant,
    }
    return ShownResult(outcomes, tuple(words for words, holds in remarks.items() if holds))


def _in_deviations(gap: float, unit: float | None) -> str:
    """With its sign, and never rounded to nothing; where all scores are equal there is no deviation, and no gap."""
    size = gap / (unit or 1.0)
    text = f"{size:+.2f}" if abs(size) >= 0.005 else f"{size:+.0e}"
    return text.replace("-", "−") if gap else "0"


class EveryOutcome(NamedTuple):
    """What the first runs of a suite, by place, made of one example, and how many other runs there are."""

    shown: tuple[tuple[str, str, ShownResult], ...]
    """Label and place of a run, and its result."""
    more: int


def outcomes_in(artifacts: ArtifactIndex, suite: ServedArtifact, id: str) -> EveryOutcome:
    """How an example came out; a run that has no result for it, or cannot be read, says nothing here."""
    family = family_of(artifacts, suite)
    labels, found = family.labels(), []
    for one in family.runs[:MOST_RUNS]:
        try:
            run = artifacts.load(one, load_run)
        except UserError:
            continue  # told on the leaderboard
        found += [(labels[one.place], one.place, show_result(result)) for result in run.results if result.id == id]
    return EveryOutcome(tuple(found), len(family.runs[MOST_RUNS:]))
