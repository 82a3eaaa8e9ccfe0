"""Whether a path is the computation or a story about it: take an edge of it away, and see whether the answer changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from constraintsuite.memory.cases.checks.walks import EdgeBook
from constraintsuite.memory.cases.grounding import Grounded
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.naming import load_mode
from constraintsuite.memory.recall import Path, Recall
from constraintsuite.metrics.intervals import wilson
from constraintsuite.models.dense import DenseScorer
from constraintsuite.records.scores import Interval


@dataclass(frozen=True, slots=True)
class Replay:
    """Of one mode: how many of its best walks hold up the answer."""

    mode: str
    budget: int
    asked: int
    """Cases."""
    changed: Interval
    """The share of walks (the best one a case that has an edge) without whose last edge the scores differ."""


def replay(
    datasets: Sequence[Grounded], mode: str, budget: int, encoder: DenseScorer | None = None, *, most: int = 100
) -> Replay:
    """The first `most` cases of each dataset, as they stand."""
    asked = walked = changed = 0
    for data in datasets:
        memory = Memory.of(data.parts, encoder)
        book = EdgeBook(memory.graph)
        searching = load_mode(mode, memory)
        for case in data.dataset.cases[:most]:
            recall = searching.search(case.query, budget)
            asked += 1
            edge = _last_edge(recall, book)
            if edge is not None:
                other = load_mode(mode, memory.without([edge])).search(case.query, budget)
                walked += 1
                changed += _scores(other) != _scores(recall)
    return Replay(mode, budget, asked, wilson(changed, walked))


def _last_edge(recall: Recall, book: EdgeBook) -> int | None:
    best: Path | None = next((path for path in recall.paths if len(path.steps) > 1), None)
    return None if best is None else book.number(*list(pairwise(best.steps))[-1])


def _scores(recall: Recall) -> dict[str, float]:
    return {recalled.unit: recalled.score for recalled in recall.ranking}
