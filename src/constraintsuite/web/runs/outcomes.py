"""What models made of examples: of one run, of two, or of all runs of a suite."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.experiments.load import Run, load_run
from constraintsuite.metrics.pairwise import METRICS, PAIR_CLASSES, PairMetric, PairResult, pair_class
from constraintsuite.metrics.ties import Outcome
from constraintsuite.records.examples import CONTROL_SLICES, QUERY_ROLES
from constraintsuite.web.artifact_index import Shelved, WebShelf
from constraintsuite.web.origins import family_of
from constraintsuite.web.suites.facets import Facet
from constraintsuite.web.suites.search import ExampleFilter, FoundExamples, SuiteIndex

CELL, PART = "right", "part"
CELLS = ("both", "first", "second", "neither")
_HERE = "asked"  # of all that have a result; chosen for every reader, and offered to none
_YES = "yes"
_OUTCOMES = {name: name for name in ("right", "wrong", "tie")}


@dataclass(frozen=True)
class ResultIndex:
    """Examples that can be chosen by their results, beside all that a suite chooses by."""

    index: SuiteIndex
    own: tuple[str, ...]
    """Names of the facets that come from results."""

    @property
    def choosable(self) -> list[str]:
        """Facets that an address may name."""
        return [name for name in self.index.facets if name != _HERE]

    def find(self, choice: ExampleFilter) -> FoundExamples:
        """What fits, of the examples that have a result; facets of the results are offered first."""
        found = self.index.find(replace(choice, values={**choice.values, _HERE: _YES}))
        offers = {offer.facet.name: offer for offer in found.offers if offer.facet.name != _HERE}
        first = [offers.pop(name) for name in self.own if name in offers]
        return FoundExamples(found.members, (*first, *offers.values()))


def outcomes_of(index: SuiteIndex, run: Run) -> ResultIndex:
    """One run: examples by part, outcome under each query, error class, and whether what decides was read."""
    known = {result.id: result for result in run.results}
    results = [known.get(example.id) for example in index.examples]
    facets = [
        _facet(name, title, words, [None if result is None else value(result) for result in results])
        for name, title, words, value in _BY_RESULT
    ]
    return _with(index, facets, [result is not None for result in results])


def cells_of(index: SuiteIndex, runs: Mapping[str, Run], metric: PairMetric) -> ResultIndex:
    """Two named runs: main examples by who is right in a metric; those in which either has no value are left out."""
    first, second = runs
    ids = [example.id for example in index.suite.examples]
    values = [_values(run, ids, metric) for run in runs.values()]
    words = dict(zip(CELLS, ("both", f"only {first}", f"only {second}", "neither"), strict=True))
    cells = [_cell(a, b) for a, b in zip(*values, strict=True)] + [None] * len(index.suite.controls)
    return _with(index, [_facet(CELL, "who is right", words, cells)], [cell is not None for cell in cells])


def _with(index: SuiteIndex, facets: Sequence[Facet], asked: Sequence[bool]) -> ResultIndex:
    here = _facet(_HERE, "", {_YES: _YES}, [_YES if one else None for one in asked])
    own = {facet.name: facet for facet in facets}
    return ResultIndex(replace(index, facets={**index.facets, **own, _HERE: here}), tuple(own))


def _values(run: Run, ids: Sequence[str], metric: PairMetric) -> list[float]:
    known = dict(zip((r.id for r in run.results), metric.column(run.results), strict=True))
    return [float(known.get(id, math.nan)) for id in ids]


def _cell(first: float, second: float) -> str | None:
    if math.isnan(first) or math.isnan(second):
        return None
    return CELLS[2 * (first != 1) + (second != 1)]


def _part(result: PairResult) -> str:
    return "control" if result.slice in CONTROL_SLICES else "main"


def _sight(result: PairResult) -> str | None:
    return None if result.cut is None else "cut" if result.cut else "whole"


_BY_RESULT: Sequence[tuple[str, str, Mapping[str, str], Callable[[PairResult], str | None]]] = (
    (PART, "main or control", {"main": "main examples", "control": "controls"}, _part),
    ("outcome", "under the query", _OUTCOMES, lambda result: result.outcomes["query"]),
    ("opposite", "under the opposite", _OUTCOMES, lambda result: result.outcomes.get("opposite")),
    ("restated", "under the restated query", _OUTCOMES, lambda result: result.outcomes.get("restated")),
    ("class", "error class", {name: METRICS[name].title.lower() for name in PAIR_CLASSES}, pair_class),
    ("cut", "what decides", {"cut": "past what is read", "whole": "is read"}, _sight),
)
"""Name and title of each facet of a run, its values with their words, and the value of a result."""


@dataclass(frozen=True)
class _NamedFacet(Facet):
    """A facet whose values have words of their own."""

    words: Mapping[str, str] = field(default_factory=dict)

    def label(self, value: str) -> str:
        """How a value is shown."""
        return self.words.get(value, value)


def _facet(name: str, title: str, words: Mapping[str, str], found: Sequence[str | None]) -> Facet:
    places = {value: place for place, value in enumerate(words)}
    codes = np.array([-1 if value is None else places[value] for value in found], dtype=np.int32)
    return _NamedFacet(name, title, tuple(words), codes, words)


class ShownOutcome(NamedTuple):
    """Under one query."""

    query: str
    """Which it is."""
    outcome: Outcome
    gap: str
    """In standard deviations of the model's scores."""


@dataclass(frozen=True)
class ShownResult:
    """Under each query that states a preference, and what else is to be known."""

    outcomes: tuple[ShownOutcome, ...]
    remarks: tuple[str, ...]


def show_result(result: PairResult) -> ShownResult:
    """The result of one example."""
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


MOST = 12
"""Runs that are read for one example: each stays in memory, and a suite may have hundreds."""


class ExampleInRun(NamedTuple):
    """Of one run."""

    label: str
    place: str
    result: ShownResult


class EveryOutcome(NamedTuple):
    """Of the first runs by place, and how many others there are."""

    shown: tuple[ExampleInRun, ...]
    more: int


def outcomes_in(shelf: WebShelf, suite: Shelved, id: str) -> EveryOutcome:
    """How an example came out; a run that has no result for it, or cannot be read, says nothing here."""
    family = family_of(shelf, suite)
    labels, found = family.labels(), []
    for one in family.runs[:MOST]:
        try:
            run = shelf.load(one, load_run)
        except UserError:
            continue  # told on the leaderboard
        result = next((result for result in run.results if result.id == id), None)
        if result is not None:
            found.append(ExampleInRun(labels[one.place], one.place, show_result(result)))
    return EveryOutcome(tuple(found), len(family.runs[MOST:]))
