"""A suite's examples with what one model made of them, or two: they are found as in the suite, and by how they came out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from constraintsuite.experiments.load import Run
from constraintsuite.metrics.pairwise import METRICS, PAIR_CLASSES, PairMetric, PairResult, pair_class
from constraintsuite.records.examples import CONTROL_SLICES
from constraintsuite.web.suites.choice import ExampleFilter
from constraintsuite.web.suites.facets import Facet
from constraintsuite.web.suites.finding import FoundExamples, SuiteIndex

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
