"""Searching and changing a memory of 100,000 units: time and memory, each beside the loop over nodes that it replaces.

python benchmarks/memories.py lexical
python benchmarks/memories.py dense
python benchmarks/memories.py update
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from math import log
from pathlib import Path
from typing import TypeVar

import click
import numpy as np
import numpy.typing as npt

from constraintsuite.memory.dense import DenseIndex
from constraintsuite.memory.folder import open_memory, update_memory
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.records import Part
from constraintsuite.models.base import Role
from constraintsuite.models.dense import DenseScorer, Similarity
from constraintsuite.text.terms import TermAnalyser
from memory_corpus import make_part
from scale import HERE, seed_option, work_option
from tables import load, show, target

T = TypeVar("T")
LOOP_QUERIES = 5
"""How many queries the loops are given: they take seconds each."""
units_option = click.option("--units", type=click.IntRange(min=100), default=100_000, show_default=True)
queries_option = click.option("--queries", type=click.IntRange(min=10), default=200, show_default=True)


@click.group()
def cli() -> None:
    """Each command prints what it saw; nothing depends on it."""


@cli.command()
@units_option
@queries_option
@seed_option
@work_option
def lexical(units: int, queries: int, seed: int, work: Path) -> None:
    """BM25 of every unit, against a loop over the terms of each."""
    memory = opened(work, units, seed)
    asked = draw_queries(memory, queries, seed)
    analyser = TermAnalyser()
    counts = [Counter(analyser.terms(memory.searched(unit))) for unit in memory.graph.units]
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / len(lengths)

    def loop(query: str) -> list[float]:
        terms = analyser.terms(query)
        found = {term: sum(term in count for count in counts) for term in set(terms)}
        rarity = {term: log(1 + (len(counts) - n + 0.5) / (n + 0.5)) for term, n in found.items()}
        scores = []
        for count, length in zip(counts, lengths, strict=True):
            norm = 0.9 * (0.6 + 0.4 * length / mean)
            scores.append(sum(rarity[term] * count[term] / (count[term] + norm) for term in terms if term in count))
        return scores

    assert np.allclose(loop(asked[0]), memory.lexical(asked[0]), atol=1e-9)
    compare("BM25", asked, memory.lexical, {"loop over units": loop}, limit_ms=50)


@cli.command()
@units_option
@queries_option
@click.option("--dimensions", type=click.IntRange(min=1), default=384, show_default=True)
@seed_option
def dense(units: int, queries: int, dimensions: int, seed: int) -> None:
    """Similarity of every unit, vectors generated, against loops over units; the query's own embedding is not in it."""
    before = resident_mb()
    index = DenseIndex(DenseScorer("generated", Generated(dimensions, seed), "cosine"))
    index.prepare([str(number) for number in range(units)])
    index.take()
    click.echo(f"{units:,} x {dimensions} vectors: {resident_mb() - before:,.0f} MB above the process")
    rows = list(index.vectors)
    lengths = [float(np.linalg.norm(row)) for row in rows]
    index.scores("")  # after which the query's vector is known
    vector = index._query("")
    # The numbers of all rows as Python objects would fill the memory: a hundredth of them, a hundred times.
    values, plain = vector.tolist(), [row.tolist() for row in islice(rows, units // 100)]

    def by_rows(_: str) -> list[float]:
        norm = float(np.linalg.norm(vector))
        return [float(row @ vector) / (length * norm) for row, length in zip(rows, lengths, strict=True)]

    def by_numbers(_: str) -> list[float]:
        return [sum(a * b for a, b in zip(row, values, strict=True)) for row in plain for _ in range(100)]

    assert np.allclose(by_rows(""), index.scores(""), atol=1e-5)
    asked = [str(number) for number in range(queries)]
    loops = {"loop over units, numbers in Python": by_numbers, "loop over units, a product each": by_rows}
    compare("similarity", asked, index.scores, loops, limit_ms=50)


class Generated:
    """An encoder of seeded noise."""

    name = "generated"
    fingerprint = "0"
    similarity: Similarity = "cosine"

    def __init__(self, dimensions: int, seed: int) -> None:
        self._dimensions, self._seed = dimensions, seed

    def encode(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.float32]:
        self._seed += 1
        rng = np.random.default_rng(self._seed)
        return rng.standard_normal((len(texts), self._dimensions), dtype=np.float32)


@cli.command()
@units_option
@click.option("--changes", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--dimensions", type=click.IntRange(min=1), default=384, show_default=True)
@seed_option
@work_option
def update(units: int, changes: int, dimensions: int, seed: int, work: Path) -> None:
    """One document added and one removed, in memory with vectors and on disk, against making the memory anew."""
    memory = opened(work, units, seed, DenseScorer("generated", Generated(dimensions, seed), "cosine"))
    texts = [unit.text for unit in memory.graph.units[:20]]
    rng = random.Random(seed)
    names = [held.id for held in memory.graph.documents]
    new = [make_part(f"new{n}", rng.sample(texts, 20), len(names), rng) for n in range(changes)]
    old = rng.sample(names, changes)
    in_memory = [timed(partial(memory.update, [part], [gone])) for part, gone in zip(new, old, strict=True)]
    said_memory("after the updates")
    folder = corpus(work, units, seed)
    on_disk = [timed(partial(add_and_remove, folder, part)) for part in new[:3]]
    whole, fresh = timed(lambda: open_memory(folder, memory.encoder))
    rows = [
        ("add one, remove one, in memory", *quantiles([seconds for seconds, _ in in_memory])),
        ("add one, then remove it, on disk", *quantiles([seconds for seconds, _ in on_disk])),
        ("all anew from disk", 1000 * whole, 1000 * whole),
    ]
    show(f"{len(fresh.graph.units):,} units, {load()}", ("a change", "p50 ms", "p95 ms"), rows)
    target("all anew to a change in memory", rows[2][1] / rows[0][1], 10, at_most=False)


def add_and_remove(folder: Path, part: Part) -> None:
    update_memory(folder, add=[part])
    update_memory(folder, remove=[part.id])


def corpus(work: Path, units: int, seed: int) -> Path:
    """The memory of that size on disk; made in another process, so that this one stays small."""
    path = work / f"memory-{seed}-{units}"
    if not (path / "manifest.json").is_file():
        code = f"from pathlib import Path; from memory_corpus import write_corpus; write_corpus(Path({str(path)!r}), {units}, {seed})"
        seconds, _ = timed(lambda: subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE))
        click.echo(f"{path}: made in {seconds:.0f} s")
    return path


def opened(work: Path, units: int, seed: int, encoder: DenseScorer | None = None) -> Memory:
    """The memory of that size, and what opening it takes."""
    path = corpus(work, units, seed)
    before = resident_mb()
    seconds, memory = timed(lambda: open_memory(path, encoder))
    graph = memory.graph
    click.echo(
        f"{len(graph.units):,} units, {len(graph.entities):,} entities, {len(graph.edges.source):,} edges: opened in "
        f"{seconds:.1f} s, {resident_mb() - before:,.0f} MB above the process"
    )
    said_memory("at most so far")
    return memory


def draw_queries(memory: Memory, count: int, seed: int) -> list[str]:
    """Eight words in a row from some unit."""
    rng = random.Random(seed)
    queries = []
    for unit in rng.choices(memory.graph.units, k=count):
        words = unit.text.split()
        start = rng.randrange(max(1, len(words) - 8))
        queries.append(" ".join(words[start : start + 8]))
    return queries


def compare(
    what: str,
    queries: Sequence[str],
    ours: Callable[[str], object],
    loops: Mapping[str, Callable[[str], object]],
    *,
    limit_ms: float,
) -> None:
    """Warm latencies of ours and of the loops that it replaces, the first of which sets the target."""
    for query in queries[:10]:
        ours(query)
    rows = [("ours", *quantiles(times(ours, queries)), len(queries))]
    for name, loop in loops.items():
        rows.append((name, *quantiles(times(loop, queries[:LOOP_QUERIES])), LOOP_QUERIES))
    show(f"{what}, {load()}", ("", "p50 ms", "p95 ms", "queries"), rows)
    target("p95 ms", rows[0][2], limit_ms, at_most=True)
    target(f"{rows[1][0]} to ours", rows[1][1] / rows[0][1], 50, at_most=False)


def times(run: Callable[[str], object], queries: Iterable[str]) -> list[float]:
    return [timed(partial(run, query))[0] for query in queries]


def timed(run: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def quantiles(seconds: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile, in milliseconds."""
    return float(np.median(seconds)) * 1000, float(np.quantile(seconds, 0.95)) * 1000


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def said_memory(when: str) -> None:
    click.echo(
        f"peak memory of the process, {when}: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6:,.0f} MB"
    )


if __name__ == "__main__":
    cli()
