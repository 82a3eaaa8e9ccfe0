"""Outcomes of examples in one run, in two runs, or in all runs of a suite."""

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
"""Runs that are read for the page of an example; each stays in memory, and a suite may have hundreds."""
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
        "deciding words",
        {"cut": "cut off", "whole": "read"},
        lambda result: None if result.cut is None else "cut" if result.cut else "whole",
    ),
}
"""The facets of a run: title, values with their labels, and the value of a result."""
RESULT_FACETS = tuple(_BY_RESULT)


def outcomes_of(index: SuiteIndex, run: Run) -> SuiteIndex:
    """The index over the examples with results in a run, with facets for outcome, error class and truncation."""
    known = {result.id: result for result in run.results}
    results = [known.get(example.id) for example in index.examples]
    facets = [
        facet_of(name, title, [None if result is None else value(result) for result in results], words)
        for name, (title, words, value) in _BY_RESULT.items()
    ]
    return _with(index, facets, [result is not None for result in results])


def cells_of(index: SuiteIndex, runs: Mapping[str, Run], metric: PairMetric) -> SuiteIndex:
    """The index over the main examples that both runs have, with a facet for which of them is right."""
    first, second = runs
    ids = [example.id for example in index.suite.examples]
    values = [_values(run, ids, metric) for run in runs.values()]
    words = dict(zip(CELLS, ("both", f"only {first}", f"only {second}", "neither"), strict=True))
    cells = [_cell(a, b) for a, b in zip(*values, strict=True)] + [None] * len(index.suite.controls)
    return _with(index, [facet_of(CELL, "who is right", cells, words)], [cell is not None for cell in cells])


def _with(index: SuiteIndex, facets: Sequence[Facet], asked: Sequence[bool]) -> SuiteIndex:
    """The index with more facets, which come first, over the examples with results."""
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
    """The outcome of an example under one query."""

    query: str
    """The role of the query."""
    outcome: Outcome
    gap: str
    """The gap in standard deviations of the model's scores."""


@dataclass(frozen=True)
class ShownResult:
    """The outcomes of an example in one run, and remarks on them."""

    outcomes: tuple[ShownOutcome, ...]
    remarks: tuple[str, ...]


def show_result(result: PairResult) -> ShownResult:
    """The result of one example as text."""
    outcomes = tuple(
        ShownOutcome(role, result.outcomes[role], _in_deviations(result.gaps[role], result.unit))
        for role in QUERY_ROLES
        if role in result.outcomes
    )
    remarks = {
        "cut": result.cut,
        "reversed from its original": result.flipped,
        "same as its original": result.invariant,
    }
    return ShownResult(outcomes, tuple(words for words, holds in remarks.items() if holds))


def _in_deviations(gap: float, unit: float | None) -> str:
    """A gap in deviations with its sign, never rounded to zero; 0 if all scores are equal."""
    size = gap / (unit or 1.0)
    text = f"{size:+.2f}" if abs(size) >= 0.005 else f"{size:+.0e}"
    return text.replace("-", "−") if gap else "0"


class EveryOutcome(NamedTuple):
    """The outcomes of one example in the first runs of a suite, and the number of further runs."""

    shown: tuple[tuple[str, str, ShownResult], ...]
    """Label and place of a run, and its result."""
    more: int


def outcomes_in(artifacts: ArtifactIndex, suite: ServedArtifact, id: str) -> EveryOutcome:
    """The outcomes of an example in the runs of its suite; runs without a result, or that cannot be read, are skipped."""
    family = family_of(artifacts, suite)
    labels, found = family.labels(), []
    for artifact in family.runs[:MOST_RUNS]:
        try:
            run = artifacts.load(artifact, load_run)
        except UserError:
            continue  # the leaderboard reports it
        place = artifact.place
        found += [(labels[place], place, show_result(result)) for result in run.results if result.id == id]
    return EveryOutcome(tuple(found), len(family.runs[MOST_RUNS:]))
