"""Tests whether a path is what was computed, or only a story about it: without its last edge, its unit should lose score.

Where activation spreads over all of the graph, almost any edge changes some score by a little. So the effect is
measured where the path claims it, in the unit at its end, and compared with the effect of edges at the same unit that
are on no path of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.compare import PairedDifference, SystemPair, paired_test
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.outcome_table import OVERALL, Item, StoredTable
from constraintsuite.memory.cases.answer_checks import EdgeIndex
from constraintsuite.memory.cases.files import Grounded
from constraintsuite.memory.cases.run import CaseRun, memory_of
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.results import SearchAnswer
from constraintsuite.memory.state import Clock, MemoryState
from constraintsuite.models.dense import DenseScorer

WALKING = ("structure_only", "weighted_graph_static", "activation_spreading_static", "ppr")
"""Modes whose walks are replayed; the dynamic ones would also depend on what was confirmed."""
BEST_WALK = ("structure_only", "weighted_graph_static")
"""Of these, modes that score by the best walk alone. Removing an edge that is not on it can hardly lower a score, so a
comparison with such edges would prove nothing."""
CONTROLS = 5
"""For each walk, at most this many other edges are removed, one at a time."""
LEAST = 1e-6
"""A smaller fall may be the part of the sum that was left out."""
MOST_CASES = 100
_EFFECT = Metric(name="effect", title="edges with an effect")
_EDGES = SystemPair("untraced", "traced")


@dataclass(frozen=True, slots=True)
class EdgeRemoval:
    """The effect of removing the last edge of the best walk of an answer, and of removing other edges."""

    mode: str
    budget: int
    item: str
    """`DATASET/CASE`, in its original wording."""
    unit: str
    """The unit at the end of the walk."""
    fell: bool
    """Whether the unit's score is lower without the edge."""
    moved: bool
    """Whether it is lower, and the unit also changed its rank or left the ranking."""
    others: int
    """How many edges were removed for comparison: at the unit itself, if it has others."""
    others_fell: int
    others_moved: int


@dataclass(frozen=True, slots=True)
class EdgeEffect:
    """The share of cases in which the removed edge has an effect."""

    traced: Interval
    untraced: Interval
    test: PairedDifference
    """Traced minus untraced, paired by case."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The effects of removed edges for one mode at one budget."""

    mode: str
    budget: int
    fall: EdgeEffect
    move: EdgeEffect


def replay(
    datasets: Sequence[Grounded], run: CaseRun, encoder: DenseScorer | None = None, *, seed: int = 0
) -> list[EdgeRemoval]:
    """Replay the best walk of the first cases, for each walking mode and budget of the run and each dataset.

    A case without a walk, or whose memory has no other edge to compare with, gives nothing.
    """
    cells = [cell for cell in product(run.modes, run.budgets) if cell[0] in WALKING]
    if not cells:
        return []
    found: list[EdgeRemoval] = []
    total = sum(len(data.dataset.cases[:MOST_CASES]) for data in datasets) * len(cells)
    with run.reporter.track("replays", total) as advance:
        for data in datasets:
            memory = memory_of(data, run, encoder)
            book = EdgeIndex(memory.graph)
            for (mode, budget), (number, case) in product(cells, enumerate(data.dataset.cases[:MOST_CASES])):
                search = _Search(memory, mode, case.query, budget, run.now)
                item = f"{data.dataset.dataset_id}/{case.case_id}"
                removal = _replay_walk(search, book, item, np.random.default_rng([seed, number]))
                found += [removal] if removal else []
                advance()
    return found


def replays_of(removals: Sequence[EdgeRemoval]) -> tuple[Replay, ...]:
    """Summarise the removals of each mode and budget."""
    cells = dict.fromkeys((row.mode, row.budget) for row in removals)
    rows = {cell: [row for row in removals if (row.mode, row.budget) == cell] for cell in cells}
    return tuple(
        Replay(
            *cell,
            _effect({row.item: (row.fell, row.others_fell / row.others) for row in rows[cell]}),
            _effect({row.item: (row.moved, row.others_moved / row.others) for row in rows[cell]}),
        )
        for cell in cells
    )


def _effect(shares: Mapping[str, tuple[bool, float]]) -> EdgeEffect:
    """Summarise the effect of the last edge and of others, by case."""
    last, other = np.array(list(shares.values()), dtype=np.float64).T
    values = {_EDGES.first: {_EFFECT.name: other}, _EDGES.second: {_EFFECT.name: last}}
    table = StoredTable([Item(case) for case in shares], {_EFFECT.name: _EFFECT}, values, {}, _EFFECT.name)
    untraced, traced = (group_figures(table, edges, table.main).metrics[_EFFECT.name] for edges in _EDGES)
    return EdgeEffect(traced, untraced, paired_test(table, _EDGES, _EFFECT, OVERALL, table.main))


@dataclass(frozen=True)
class _Search:
    """One question to one mode, with and without some edges of the memory."""

    memory: Memory
    mode: str
    query: str
    budget: int
    now: str

    def answer(self, without: Sequence[int] = (), budget: int | None = None) -> SearchAnswer:
        """Search without some edges."""
        memory = self.memory.without(without) if without else self.memory
        mode = load_mode(self.mode, memory, state=MemoryState(Clock(self.now)))
        return mode.search(self.query, budget or self.budget)

    def rank_without(self, edge: int, unit: str) -> tuple[int | None, float]:
        """Return the rank and score of a unit without an edge; the rank is None if the unit left the ranking."""
        rank, score = _rank(self.answer([edge]), unit)
        if rank is None:  # its score is found further down
            score = _rank(self.answer([edge], len(self.memory.graph.units)), unit)[1]
        return rank, score


def _rank(answer: SearchAnswer, unit: str) -> tuple[int | None, float]:
    return next(((each.rank, each.score) for each in answer.ranking if each.unit == unit), (None, 0.0))


def _replay_walk(search: _Search, book: EdgeIndex, item: str, rng: np.random.Generator) -> EdgeRemoval | None:
    whole = search.answer()
    best = next((path for path in whole.paths if len(path.steps) > 1), None)
    edge = None if best is None else book.number(*list(pairwise(best.steps))[-1])
    if best is None or edge is None:
        return None
    unit = best.steps[-1].node
    others = _controls(search.memory, _unshown_edges(search.memory, whole, book), unit, edge, rng)
    if not others:
        return None
    rank, score = _rank(whole, unit)
    after = [search.rank_without(each, unit) for each in (edge, *others)]
    fell = [score - other > LEAST for _, other in after]
    moved = [falls and rank != other for falls, (other, _) in zip(fell, after, strict=True)]
    counts = (len(others), sum(fell[1:]), sum(moved[1:]))
    return EdgeRemoval(search.mode, search.budget, item, unit, fell[0], moved[0], *counts)


def _unshown_edges(memory: Memory, answer: SearchAnswer, book: EdgeIndex) -> IntArray:
    """Return the edges that are not in the trace of an answer."""
    shown = {
        number
        for step in answer.trace
        if step.source is not None and step.edge is not None
        for number in book.between(step.source, step.node, step.edge)
    }
    return np.setdiff1d(np.arange(len(memory.graph.edges.kind), dtype=np.int64), list(shown))


def _controls(memory: Memory, unshown: IntArray, unit: str, edge: int, rng: np.random.Generator) -> list[int]:
    """Draw some unshown edges at the unit, edges of the same kind as `edge` first; edges elsewhere only if it has none."""
    table, node = memory.graph.edges, memory.graph.number(unit)
    at_unit = unshown[(table.source[unshown] == node) | (table.target[unshown] == node)]
    drawn = rng.permutation(at_unit if len(at_unit) else unshown)
    alike = table.kind[drawn] == table.kind[edge]
    return [int(number) for number in (*drawn[alike], *drawn[~alike])][:CONTROLS]
