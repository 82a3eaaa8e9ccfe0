"""Whether a path is the computation or a story about it: take its last edge away, and see what becomes of where it leads.

In a computation that spreads over the whole graph almost any edge changes some score by a little. So the effect is asked for
where the path says that it is, in the unit at its end, and compared with that of edges at the same unit which no path of the
answer told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.compare import PairedDifference, SystemPair, paired_test
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.outcome_table import OVERALL, Item, StoredTable
from constraintsuite.memory.cases.answer_checks import EdgeBook
from constraintsuite.memory.cases.files import Grounded
from constraintsuite.memory.cases.run import CaseRun, memory_of
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.results import SearchAnswer
from constraintsuite.memory.state import Clock, MemoryState
from constraintsuite.models.dense import DenseScorer

WALKING = ("structure_only", "weighted_graph_static", "activation_spreading_static", "ppr")
"""Modes whose walks are replayed; what the dynamic ones remember has no part in it."""
BEST_WALK = ("structure_only", "weighted_graph_static")
"""Of these, modes whose score is that of the best walk alone: without an edge that is not on it hardly anything can fall, so
that comparing with such edges would prove nothing."""
CONTROLS = 5
"""At most so many other edges are taken away in turn, for each walk."""
LEAST = 1e-6
"""A fall below this may be what a sum that was broken off had left."""
MOST_CASES = 100
_EFFECT = Metric(name="effect", title="edges with an effect")
_EDGES = SystemPair("untraced", "traced")


@dataclass(frozen=True, slots=True)
class EdgeRemoval:
    """The best walk of one answer without its last edge, and the same answer without edges that it did not tell."""

    mode: str
    budget: int
    item: str
    """`DATASET/CASE`, asked as it stands."""
    unit: str
    """Where the walk leads."""
    fell: bool
    """Whether the unit's score is lower without the edge."""
    moved: bool
    """Whether it is, and the unit also has another place, or none, in the ranking."""
    others: int
    """How many edges were taken away for comparison, one at a time: at the unit itself, if there are such."""
    others_fell: int
    others_moved: int


@dataclass(frozen=True, slots=True)
class EdgeEffect:
    """The share of edges that have an effect, over cases."""

    traced: Interval
    untraced: Interval
    test: PairedDifference
    """Traced less untraced, paired by case."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Of one mode at one budget: what its walks are worth to the units at their ends."""

    mode: str
    budget: int
    fall: EdgeEffect
    move: EdgeEffect


def replay(
    datasets: Sequence[Grounded], run: CaseRun, encoder: DenseScorer | None = None, *, seed: int = 0
) -> list[EdgeRemoval]:
    """Of each walking mode of the run, budget and dataset the first cases, as they stand: the best walk that has an edge.

    A case without one, or whose memory has no edge beside those that were told, gives nothing.
    """
    cells = [cell for cell in product(run.modes, run.budgets) if cell[0] in WALKING]
    if not cells:
        return []
    found: list[EdgeRemoval] = []
    total = sum(len(data.dataset.cases[:MOST_CASES]) for data in datasets) * len(cells)
    with run.reporter.track("replays", total) as advance:
        for data in datasets:
            memory = memory_of(data, run, encoder)
            book = EdgeBook(memory.graph)
            for (mode, budget), (number, case) in product(cells, enumerate(data.dataset.cases[:MOST_CASES])):
                search = _Search(memory, mode, case.query, budget, run.now)
                item = f"{data.dataset.dataset_id}/{case.case_id}"
                found += _removals(search, book, item, np.random.default_rng([seed, number]))
                advance()
    return found


def replays_of(removals: Sequence[EdgeRemoval], *, seed: int = 0) -> tuple[Replay, ...]:
    """The shares of each mode and budget."""
    cells = dict.fromkeys((row.mode, row.budget) for row in removals)
    rows = {cell: [row for row in removals if (row.mode, row.budget) == cell] for cell in cells}
    return tuple(
        Replay(
            *cell,
            _effect({row.item: (row.fell, row.others_fell / row.others) for row in rows[cell]}, seed),
            _effect({row.item: (row.moved, row.others_moved / row.others) for row in rows[cell]}, seed),
        )
        for cell in cells
    )


def _effect(shares: Mapping[str, tuple[bool, float]], seed: int) -> EdgeEffect:
    """The effect of the last edge and of others, by case."""
    last, other = np.array(list(shares.values()), dtype=np.float64).T
    values = {_EDGES.first: {_EFFECT.name: other}, _EDGES.second: {_EFFECT.name: last}}
    table = StoredTable([Item(case) for case in shares], {_EFFECT.name: _EFFECT}, values, {}, _EFFECT.name)
    untraced, traced = (group_figures(table, edges, table.main, seed=seed).metrics[_EFFECT.name] for edges in _EDGES)
    return EdgeEffect(traced, untraced, paired_test(table, _EDGES, _EFFECT, OVERALL, table.main, seed=seed))


@dataclass(frozen=True)
class _Search:
    """One question to one mode, with the whole memory and with less of it."""

    memory: Memory
    mode: str
    query: str
    budget: int
    now: str

    def answer(self, without: Sequence[int] = (), budget: int | None = None) -> SearchAnswer:
        """What the mode finds, with some edges taken away."""
        memory = self.memory.without(without) if without else self.memory
        return load_mode(self.mode, memory, state=MemoryState(Clock(self.now))).search(
            self.query, budget or self.budget
        )


class _Place(NamedTuple):
    rank: int | None
    score: float


def _removals(search: _Search, book: EdgeBook, item: str, rng: np.random.Generator) -> Iterator[EdgeRemoval]:
    whole = search.answer()
    best = next((path for path in whole.paths if len(path.steps) > 1), None)
    edge = None if best is None else book.number(*list(pairwise(best.steps))[-1])
    if best is None or edge is None:
        return
    unit = best.steps[-1].node
    untold = _untold(search.memory, whole, book)
    others = _controls(search.memory, untold, unit, edge, rng)
    if not others:
        return
    before = _place(whole, unit)
    assert before is not None, "a path leads to a unit of the ranking"
    after = [_place_without(search, each, unit) for each in (edge, *others)]
    fell = [before.score - place.score > LEAST for place in after]
    moved = [loses and before.rank != place.rank for loses, place in zip(fell, after, strict=True)]
    yield EdgeRemoval(
        search.mode, search.budget, item, unit, fell[0], moved[0], len(others), sum(fell[1:]), sum(moved[1:])
    )


def _untold(memory: Memory, whole: SearchAnswer, book: EdgeBook) -> IntArray:
    """The edges that the answer did not tell."""
    told = {
        number
        for step in whole.trace
        if step.source is not None and step.edge is not None
        for number in book.between(step.source, step.node, step.edge)
    }
    return np.setdiff1d(np.arange(len(memory.graph.edges.kind), dtype=np.int64), list(told))


def _controls(memory: Memory, untold: IntArray, unit: str, edge: int, rng: np.random.Generator) -> list[int]:
    """Some of the untold edges at the unit, those of the kind of `edge` first; elsewhere only if it has none."""
    table, node = memory.graph.edges, memory.graph.number(unit)
    at_unit = untold[(table.source[untold] == node) | (table.target[untold] == node)]
    drawn = rng.permutation(at_unit if len(at_unit) else untold)
    alike = table.kind[drawn] == table.kind[edge]
    return [int(number) for number in (*drawn[alike], *drawn[~alike])][:CONTROLS]


def _place_without(search: _Search, edge: int, unit: str) -> _Place:
    found = _place(search.answer([edge]), unit)
    if found is None:  # it left the ranking, so that its score is to be looked for further down
        further = _place(search.answer([edge], len(search.memory.graph.units)), unit)
        return _Place(None, further.score if further else 0.0)
    return found


def _place(recall: SearchAnswer, unit: str) -> _Place | None:
    return next((_Place(each.rank, each.score) for each in recall.ranking if each.unit == unit), None)
