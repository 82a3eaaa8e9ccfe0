"""The searches of a memory as loops over its nodes in plain Python: what vectors and sparse matrices are there to replace."""

from __future__ import annotations

import heapq
import math
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np

from constraintsuite.memory.dense import Matrix
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.models.retrieval.bm25 import Bm25Settings
from constraintsuite.text.terms import TermAnalyser

BUDGET = 10
LOOPED = ("lexical_baseline", "ppr,seeds=lexical", "activation_spreading_static,seeds=lexical")
"""The modes that there is a loop for. Their walks begin where BM25 says: the loops know no vectors."""


class Loops:
    """Every unit is matched, and every node that holds something is visited."""

    def __init__(self, memory: Memory) -> None:
        self._memory, graph = memory, memory.graph
        self._settings = Bm25Settings()
        self._analyser = TermAnalyser(self._settings.stop_list, self._settings.stem)
        self._counts = {unit.id: Counter(self._analyser.terms(memory.searched(unit))) for unit in graph.units}
        self._mean = sum(counts.total() for counts in self._counts.values()) / len(self._counts)
        self._holding = Counter(term for counts in self._counts.values() for term in counts)
        self._neighbours: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for number in range(len(graph.edges.source)):
            edge = graph.edge(number)
            self._neighbours[edge.source].append((edge.target, edge.weight * edge.confidence))
            if edge.source != edge.target:
                self._neighbours[edge.target].append((edge.source, edge.weight * edge.confidence))

    def seconds(self, name: str, queries: Sequence[str]) -> float:
        """Of the median query; the scores must be those of the mode."""
        loop = dict(zip(LOOPED, (self._lexical, self._ppr, self._spreading), strict=True))[name]
        mode = load_mode(name, self._memory)
        taken = []
        for query in queries:
            begin = time.perf_counter()
            found = loop(query)
            taken.append(time.perf_counter() - begin)
            expected = [each.score for each in mode.search(query, BUDGET).ranking]
            assert np.allclose(found, expected, rtol=1e-4), f"{name}: the loop has other scores for {query!r}"
        return float(np.median(taken))

    def _lexical(self, query: str) -> list[float]:
        return heapq.nlargest(BUDGET, (match for match in self._matches(query).values() if match > 0))

    def _ppr(self, query: str) -> list[float]:
        start = self._start(query)
        whole = sum(start.values())
        begun = {unit: 0.5 * held / whole for unit, held in start.items()}
        return self._best(begun, 0.5, 1_000, 0.0)

    def _spreading(self, query: str) -> list[float]:
        return self._best(self._start(query), 0.75, 3, 0.05)

    def _matches(self, query: str) -> dict[str, float]:
        terms = self._analyser.terms(query)
        return {unit: self._match(terms, counts) for unit, counts in self._counts.items()}

    def _start(self, query: str) -> dict[str, float]:
        matches = self._matches(query)
        top = max(matches.values())
        seeds = sorted(matches, key=lambda unit: -matches[unit])[:3]
        return {unit: match / top * (1.0 if unit in seeds else 0.05) for unit, match in matches.items() if match > 0}

    def _match(self, terms: Sequence[str], counts: Counter[str]) -> float:
        k1, b = self._settings.k1, self._settings.b
        damping = k1 * (1 - b + b * counts.total() / self._mean)
        return sum(self._rarity(term) * counts[term] / (counts[term] + damping) for term in terms if term in counts)

    def _rarity(self, term: str) -> float:
        holding = self._holding[term]
        return math.log1p((len(self._counts) - holding + 0.5) / (holding + 0.5))

    def _best(self, start: dict[str, float], decay: float, hops: int, threshold: float) -> list[float]:
        held, total = start, defaultdict(float, start)
        enough = 0.0 if threshold else 1e-6 * sum(start.values())
        while hops and sum(held.values()) > enough:
            hops -= 1
            arriving: dict[str, float] = defaultdict(float)
            for node, activation in held.items():
                leaving = sum(strength for _, strength in self._neighbours[node])
                for other, strength in self._neighbours[node] if activation >= threshold else ():
                    arriving[other] += decay * activation * strength / leaving
            for node, activation in arriving.items():
                total[node] += activation
            held = arriving
        return sorted((score for node, score in total.items() if node in self._counts), reverse=True)[:BUDGET]


def dense_by_numbers(rows: Matrix) -> list[float]:
    """How near each row is to the first, number by number.

    All numbers as Python objects would take gigabytes: a hundredth of the rows stands for all, a hundred times.
    """
    plain = [row.tolist() for row in rows[: max(1, len(rows) // 100)]]
    first = plain[0]
    return [sum(a * b for a, b in zip(row, first, strict=True)) for row in islice(cycle(plain), len(rows))]


def dense_by_rows(rows: Matrix) -> list[float]:
    """The same, one product of numpy a row."""
    return [float(row @ rows[0]) for row in rows]
