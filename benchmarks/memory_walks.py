"""Searches that walk, warm, at scale: `ppr` and `activation_spreading_static` beside a loop over nodes in plain Python.

python benchmarks/memory_walks.py
python benchmarks/memory_walks.py --units 20000 --queries 20
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence

import click
import numpy as np

from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.naming import load_mode
from constraintsuite.memory.recall import Mode
from constraintsuite.text.terms import TermAnalyser
from memory_corpus import make_parts
from tables import load, show, target

BUDGET = 10
MOST_MILLISECONDS = 150.0
LEAST_FACTOR = 50.0
MODES = ("ppr", "activation_spreading_static", "weighted_graph_static", "structure_only")
LOOPED = ("ppr", "activation_spreading_static")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--units", type=int, default=100_000)
    options.add_argument("--queries", type=int, default=100)
    options.add_argument("--loop-queries", type=int, default=3, help="how many of them the plain loop answers too")
    options.add_argument("--seed", type=int, default=13)
    given = options.parse_args()
    memory = Memory.of(make_parts(given.units, given.seed))
    click.echo(
        f"{len(memory.graph.units):,} units, {len(memory.graph.entities):,} entities, "
        f"{len(memory.graph.edges.source):,} edges; {load()}"
    )
    walks(memory, draw_queries(memory, given.queries, given.seed), given.loop_queries)


def draw_queries(memory: Memory, count: int, seed: int) -> list[str]:
    """Six words of a unit each."""
    rng = random.Random(seed)
    words = [rng.choice(memory.graph.units).text.split() for _ in range(count)]
    return [" ".join(rng.sample(each, min(6, len(each)))) for each in words]


def walks(memory: Memory, queries: Sequence[str], loop_queries: int) -> None:
    """Print times of the modes and of the loop; the two must give the same scores."""
    engine = LoopEngine(memory)
    rows = []
    for name in MODES:
        taken = timed(load_mode(name, memory), queries)
        slow = float("nan")
        if name in LOOPED:
            slow = float(np.median([engine.timed(name, query) for query in queries[:loop_queries]]))
        p50, p95 = (float(np.percentile(taken, share)) * 1e3 for share in (50, 95))
        rows.append((name, p50, p95, slow * 1e3, slow * 1e3 / p50))
    show("Warm searches, milliseconds", ("mode", "p50", "p95", "loop", "loop / p50"), rows)
    for name, _, p95, _, factor in rows:
        if name in LOOPED:
            target(f"{name} p95 in ms", p95, MOST_MILLISECONDS, at_most=True)
            target(f"{name}, times as fast as the loop", factor, LEAST_FACTOR, at_most=False)


def timed(mode: Mode, queries: Sequence[str]) -> list[float]:
    """Seconds of each search, after one that makes what is kept between them."""
    mode.search(queries[0], BUDGET)
    seconds = []
    for query in queries:
        begin = time.perf_counter()
        mode.search(query, BUDGET)
        seconds.append(time.perf_counter() - begin)
    return seconds


class LoopEngine:
    """The same searches in plain Python: every unit is matched, and every node that holds something is visited."""

    def __init__(self, memory: Memory) -> None:
        self._memory, graph = memory, memory.graph
        self._analyser = TermAnalyser(memory.indexing.stop_list, memory.indexing.stem)
        self._counts = {unit.id: Counter(self._analyser.terms(memory.searched(unit))) for unit in graph.units}
        self._mean = sum(counts.total() for counts in self._counts.values()) / len(self._counts)
        self._holding = Counter(term for counts in self._counts.values() for term in counts)
        self._neighbours: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for number in range(len(graph.edges.source)):
            edge = graph.edge(number)
            self._neighbours[edge.source].append((edge.target, edge.weight * edge.confidence))
            if edge.source != edge.target:
                self._neighbours[edge.target].append((edge.source, edge.weight * edge.confidence))

    def timed(self, name: str, query: str) -> float:
        """Seconds of a search whose scores are those of the mode."""
        begin = time.perf_counter()
        found = self._ppr(query) if name == "ppr" else self._spreading(query)
        seconds = time.perf_counter() - begin
        expected = [each.score for each in load_mode(name, self._memory).search(query, BUDGET).ranking]
        assert np.allclose(found, expected, rtol=1e-4), f"{name}: the loop has other scores for {query!r}"
        return seconds

    def _ppr(self, query: str) -> list[float]:
        start = self._start(query)
        whole = sum(start.values())
        begun = {unit: 0.5 * held / whole for unit, held in start.items()}
        return self._best(begun, 0.5, 1_000, 0.0)

    def _spreading(self, query: str) -> list[float]:
        return self._best(self._start(query), 0.75, 3, 0.05)

    def _start(self, query: str) -> dict[str, float]:
        terms = self._analyser.terms(query)
        matches = {unit: self._match(terms, counts) for unit, counts in self._counts.items()}
        top = max(matches.values())
        seeds = sorted(matches, key=lambda unit: -matches[unit])[:3]
        return {unit: match / top * (1.0 if unit in seeds else 0.05) for unit, match in matches.items() if match > 0}

    def _match(self, terms: Sequence[str], counts: Counter[str]) -> float:
        k1, b = self._memory.indexing.k1, self._memory.indexing.b
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


if __name__ == "__main__":
    main()
