"""Two engines on the same queries: how far apart what they find is, and whether that could be chance.

Recalls are of queries, so that another sample of queries can be thought of and tested against. Repeats of a timing on
one machine are no sample of machines: differences of speed have no p.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.experiments.figures import generator, round_off, rounded
from constraintsuite.metrics.intervals import FloatArray, IntArray, clipped
from constraintsuite.metrics.resampling import estimate
from constraintsuite.metrics.significance import holm, sign_flip
from constraintsuite.records.scores import Interval
from constraintsuite.vectors.ann.frontier import Arena, arenas_of, by_name, most_exact, reach, settings_of, speed_of
from constraintsuite.vectors.ann.results import AnnRun, MeasuredCell, load_queries
from constraintsuite.vectors.ann.several import labels

RECALL = "ann.recall_tie"
METRICS = (RECALL, "ann.recall", "ann.kth_gap")
"""And every `rel.*` of data with judgments, by its full name: `rel.ndcg@10`."""
_UNBOUNDED = "ann.kth_gap"


@dataclass(frozen=True)
class ComparedCell:
    """One of two cells that are compared."""

    name: str
    settings: str
    qps: float
    """Of this machine; a difference of it has no p."""
    value: float | None
    key: str
    """Of the cell."""


@dataclass(frozen=True)
class CellDifference:
    """Two cells of one arena in one metric, `second` less `first`, over the queries that both have a value for."""

    arena: str
    content: str
    """Of the data."""
    target: float | None
    """Each is the fastest of its engine that reaches it on the half where settings are chosen; None for the most exact there."""
    metric: str
    first: ComparedCell
    second: ComparedCell
    difference: Interval
    p: float | None
    """Two-sided, of the paired randomisation test."""
    holm: float | None
    """That p corrected for all tests of the comparison; the same two cells at several targets are one test."""


class Entrant(NamedTuple):
    """A cell that was chosen, and the run it is of."""

    name: str
    run: AnnRun
    label: str
    """What to call the run."""
    cell: MeasuredCell


class QueryValues(NamedTuple):
    """One place a query in every array."""

    values: FloatArray
    queries: IntArray
    """Which query of the data."""
    tuning: npt.NDArray[np.bool_]
    """Whether parameters were chosen on it."""


class Paired(NamedTuple):
    """A difference, and how likely one as large is by chance."""

    difference: Interval
    p: float | None


def compare_engines(runs: Sequence[AnnRun], metric: str = RECALL, k: int | None = None) -> tuple[CellDifference, ...]:
    """Approximate engines at each target that two of them reach; Holm's correction is over all of it.

    Of one run, every pair of engines. Of two, the engines of one name, or all of the first with all of the second
    where they share no name.
    """
    if len(runs) == 2:
        _refuse_unlike(*runs)
    known = sorted({cell.point.k for run in runs for cell in run.cells})
    if k is not None and k not in known:
        raise UserError(f"No cell has k = {k}; there are: {', '.join(map(str, known)) or 'none'}.")
    if not any(_measured(cell, metric) for run in runs for cell in run.cells):
        judged = {name for run in runs for cell in run.cells for name in cell.figures if _judged(name)}
        there = ", ".join([*METRICS, *sorted(judged)])
        raise UserError(f"No metric named {metric!r} in {runs[0].path}; there are: {there}.")
    return corrected(list(_contrasts(runs, metric, k)))


def sets_without(runs: Sequence[AnnRun], metric: str) -> list[str]:
    """The names of data that have no such metric, as those without judgments have no `rel.*`."""
    cells = [cell for run in runs for cell in run.cells]
    having = {cell.content for cell in cells if _measured(cell, metric)}
    return list(dict.fromkeys(cell.point.data for cell in cells if cell.content not in having))


def corrected(tests: Sequence[CellDifference]) -> tuple[CellDifference, ...]:
    """The tests with Holm's correction over those that have a p; what is tested twice counts once."""
    found = {_tested(test): test.p for test in tests if test.p is not None}
    adjusted = dict(zip(found, holm(list(found.values())), strict=True))
    return tuple(test if test.p is None else replace(test, holm=round_off(adjusted[_tested(test)])) for test in tests)


def paired(first: FloatArray, second: FloatArray, queries: IntArray, *, bounded: bool = True) -> Paired:
    """The mean of `second` less `first` over queries with both; `bounded` values lie between 0 and 1.

    Where it is the same for every query there is no interval: nothing varies that could be resampled.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    values, ids = (second - first)[both], queries[both]
    if not len(values):
        return Paired(Interval(None, None, None, 0), None)
    alone = np.arange(len(values))  # every query for itself
    named = [str(query) for query in ids.tolist()]
    (interval,) = estimate(values[:, np.newaxis], [False], alone, rng=generator(0, named))
    if values.min() == values.max():
        interval = replace(interval, low=None, high=None)
    p = sign_flip(values, alone, rng=generator(0, named))
    return Paired(rounded(clipped(interval, -1.0, 1.0) if bounded else interval), round_off(p))


def values_of(run: AnnRun, cell: MeasuredCell, metric: str) -> QueryValues:
    """One value a query."""
    found = load_queries(run, cell)
    values = getattr(found, metric.removeprefix("ann.")) if metric in METRICS else found.rel[metric]
    return QueryValues(values, found.query_row, found.tuning)


def _refuse_unlike(first: AnnRun, second: AnnRun) -> None:
    if not _contents(first) & _contents(second):
        raise UserError(f"{first.path} and {second.path} are of other data, so that no query is in both.")
    rules = first.facts.ties, second.facts.ties
    if rules[0] != rules[1]:
        raise UserError(
            f"{first.path} counts ties by the rule {rules[0]!r} and {second.path} by {rules[1]!r}, so that neither their recalls nor "
            "the settings chosen by recall can be compared. Run one of them again with the `ties` of the other."
        )


def _contents(run: AnnRun) -> set[str]:
    return {cell.content for cell in run.cells}


def _measured(cell: MeasuredCell, metric: str) -> bool:
    return metric in METRICS or (_judged(metric) and metric in cell.figures)


def _judged(metric: str) -> bool:
    return metric.startswith("rel.") and not metric.startswith("rel.ceiling.")


def _tested(one: CellDifference) -> tuple[str, ...]:
    return one.metric, one.first.key, one.second.key


def _contrasts(runs: Sequence[AnnRun], metric: str, k: int | None) -> Iterator[CellDifference]:
    """One for each target; the same two cells are tested once."""
    known: dict[tuple[str, str], CellDifference] = {}
    for arena in _first_arenas(runs, metric, k):
        for target, entrants in _chosen(runs, arena, metric).items():
            for first, second in _pairs(runs, entrants):
                pair = first.cell.key, second.cell.key
                if pair not in known:
                    known[pair] = _contrast(arena, metric, first, second)
                yield replace(known[pair], target=target)


def _first_arenas(runs: Sequence[AnnRun], metric: str, k: int | None) -> Iterator[Arena]:
    """One for each set and k with the metric in all runs: what is found does not depend on how fast it is asked for."""
    seen = set()
    for arena in arenas_of([runs[0]]):
        shared = all(any(_same(cell, arena) and _measured(cell, metric) for cell in run.cells) for run in runs)
        if shared and (arena.content, arena.k) not in seen and k in (None, arena.k):
            seen.add((arena.content, arena.k))
            yield arena


def _chosen(runs: Sequence[AnnRun], arena: Arena, metric: str) -> dict[float | None, list[Entrant]]:
    """For each target that two engines reach their fastest cells; if there is none, the most exact of each engine."""
    found: dict[float | None, list[Entrant]] = {}
    exact: list[Entrant] = []
    for run, label in zip(runs, labels(runs), strict=True):
        near = [cell for cell in run.cells if not cell.exact and _same(cell, arena) and _measured(cell, metric)]
        exact += [Entrant(name, run, label, most_exact(own)) for name, own in by_name(near).items()]
        for row in reach(near, sorted(runs[0].facts.targets)):
            if row.cell is not None:
                found.setdefault(row.target, []).append(Entrant(row.name, run, label, row.cell))
    matched = {target: entrants for target, entrants in found.items() if any(_pairs(runs, entrants))}
    return matched or {None: exact}


def _same(cell: MeasuredCell, arena: Arena) -> bool:
    """Threads may differ between two runs; how is asked decides which cells are the fastest, so it may not."""
    point = cell.point
    return (cell.content, point.k, point.mode, point.clients) == (arena.content, arena.k, arena.mode, arena.clients)


def _pairs(runs: Sequence[AnnRun], entrants: Sequence[Entrant]) -> Iterator[tuple[Entrant, Entrant]]:
    if len(runs) == 1:
        yield from combinations(entrants, 2)
        return
    old, new = ([one for one in entrants if one.run is run] for run in runs)
    shared = {one.name for one in old} & {one.name for one in new}
    for first in old:
        yield from ((first, second) for second in new if not shared or first.name == second.name)


def _contrast(arena: Arena, metric: str, first: Entrant, second: Entrant) -> CellDifference:
    (a, queries, tuning), (b, others, _) = (values_of(one.run, one.cell, metric) for one in (first, second))
    if not np.array_equal(queries, others):
        raise UserError(f"{first.run.path} and {second.run.path}: the cells are of other queries. Run both again.")
    report = ~tuning  # on the others each engine's settings were chosen
    a, b = a[report], b[report]
    difference, p = paired(a, b, queries[report], bounded=metric != _UNBOUNDED)
    names = [one.name for one in (first, second)]
    if names[0] == names[1]:
        names = [f"{one.name} ({one.label})" for one in (first, second)]
    sides = [
        ComparedCell(name, settings_of(one.cell), speed_of(one.cell), _mean(values), one.cell.key)
        for name, one, values in zip(names, (first, second), (a, b), strict=True)
    ]
    named = metric if metric.startswith("rel.") else f"{metric}@{arena.k}"
    return CellDifference(arena.title, arena.content, None, named, sides[0], sides[1], difference, p, None)


def _mean(values: FloatArray) -> float | None:
    return None if np.isnan(values).all() else round_off(float(np.nanmean(values)))
