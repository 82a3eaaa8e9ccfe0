"""A memory at scale: documents ingested, opened, searched and changed, each search beside a loop over nodes. One run, one table.

python benchmarks/memory.py
python benchmarks/memory.py --units 2000 --queries 20 --encoder none

Documents are written by seed, and read as any user's are. Texts are not all embedded, which would take an hour: units get
vectors of seeded noise, queries those of the encoder, whose time is in theirs. Linux.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
import numpy as np
import numpy.typing as npt

from constraintsuite.memory.folder import open_memory
from constraintsuite.memory.index import INDEX
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.models.backends import Similarity
from constraintsuite.models.base import Encoder, TextRole, Workbench
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.model_names import load_scorer
from growth import HERE, seed_option, work_option
from measure import Measured, run_measured
from memory_documents import UNITS, Corpus, sentences, write_document
from memory_loops import BUDGET, LOOPED, Loops, dense_by_numbers, dense_by_rows
from tables import cell, load, show

T = TypeVar("T")
WARM = {
    "lexical_baseline": 50.0,
    "embedding_baseline": 50.0,
    "ppr": 150.0,
    "activation_spreading_static": 150.0,
    "weighted_graph_static": None,
    "structure_only": None,
}
"""Modes that are searched, and how many milliseconds the slowest of twenty searches may take."""
DIMENSIONS = 384


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    at_most: bool = True

    def cells(self) -> tuple[str, ...]:
        """As it is shown."""
        if self.limit is None:
            return self.what, cell(self.value), self.unit, "", ""
        met = self.value <= self.limit if self.at_most else self.value >= self.limit
        target = f"{'at most' if self.at_most else 'at least'} {cell(self.limit)}"
        return self.what, cell(self.value), self.unit, target, "met" if met else "MISSED"


@click.command(help=__doc__)
@click.option("--units", type=click.IntRange(min=800), default=100_000, show_default=True)
@click.option("--queries", type=click.IntRange(min=5), default=200, show_default=True)
@click.option(
    "--loop-queries", type=click.IntRange(min=1), default=3, show_default=True, help="How many the loops get."
)
@click.option("--encoder", default="dense:all-MiniLM-L6-v2", show_default=True, help="Of queries; none: noise, too.")
@seed_option
@work_option
def main(units: int, queries: int, loop_queries: int, encoder: str, seed: int, work: Path) -> None:
    place = work / f"memory-{seed}-{units}"
    rows = list(ingestion(place, units, seed))
    scorer = DenseScorer("noise", Queries(encoder, seed), "cosine")
    scorer.encoder.encode(["A first query loads what the encoder needs."], "query")
    before, folder = resident_mb(), place / f"graph-{units}"
    memory = open_memory(folder, scorer)
    rows.append(Row("memory, above the process with its encoder, when opened", resident_mb() - before, "MB", 500))
    asked = draw_queries(memory, queries, seed)
    rows += searching(memory, asked)
    rows.append(Row("memory, the same after all searches", resident_mb() - before, "MB", 500))
    rows.append(Row("memory, the same at its peak", peak_mb() - before, "MB", 500))
    rows += opening(folder)
    rows += looping(memory, asked[:loop_queries])
    rows += changing(memory, folder, place, seed)
    graph = memory.graph
    title = f"{len(graph.units):,} units, {len(graph.entities):,} entities, {len(graph.edges.source):,} edges; {load()}"
    show(title, ("", "", "", "target", ""), [row.cells() for row in rows])


def ingestion(place: Path, units: int, seed: int) -> Iterator[Row]:
    """`csuite memory ingest` of an eighth, a quarter, half and all of the units, each in a fresh process."""
    start = ingested(place, UNITS, seed).cpu_seconds
    yield Row("ingest one document: the start of a process, left out below", start, "s of processor")
    costs = {}
    for size in (units // 8, units // 4, units // 2, units):
        measured = ingested(place, size, seed)
        costs[size] = 1_000 * (measured.cpu_seconds - start) / size
        yield Row(f"ingest {size:,} units, for 1,000 of them", costs[size], "s of processor")
    yield Row("ingest, the last of these to the first", costs[units] / costs[units // 8], "", 1.3)
    yield Row("ingest, peak memory of the last", measured.peak_mib * 1.048576, "MB")


def ingested(place: Path, units: int, seed: int) -> Measured:
    """What ingesting so many units took; the documents are written by another process, so that this one stays small."""
    documents, graph = place / f"documents-{units}", place / f"graph-{units}"
    if not documents.is_dir():
        code = f"from memory_documents import *; write_documents(Path({str(documents)!r}), {units}, {seed})"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE)
    shutil.rmtree(graph, ignore_errors=True)
    click.echo(f"{units:,} units: {load()}", err=True)
    return csuite("ingest", documents, "--out", graph)


def csuite(*words: str | Path) -> Measured:
    """A command of memory, in a process of its own."""
    return run_measured([sys.executable, "-m", "constraintsuite", "memory", *words])


def opening(folder: Path) -> Iterator[Row]:
    """With the terms that the folder keeps, and without; in a fresh process, its start not counted."""
    yield Row("open, terms kept", opened(folder), "s of processor")
    aside = (folder / INDEX).rename(folder.parent / INDEX)
    yield Row("open, every text read again", opened(folder), "s of processor")
    aside.rename(folder / INDEX)


def opened(folder: Path) -> float:
    """Processor seconds of opening a memory."""
    code = (
        "import time, pathlib; from constraintsuite.memory.folder import open_memory; start = time.process_time(); "
        f"open_memory(pathlib.Path({str(folder)!r})); print(time.process_time() - start)"
    )
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def searching(memory: Memory, queries: Sequence[str]) -> Iterator[Row]:
    """Warm: a search before builds what all of them use. Processor time says what a busy machine hides."""
    for name, limit in WARM.items():
        mode = load_mode(name, memory)
        mode.search(queries[0], BUDGET)
        wall, processor = [], []
        for query in queries:
            before = time.process_time()
            wall.append(timed(partial(mode.search, query, BUDGET))[0] * 1_000)
            processor.append((time.process_time() - before) * 1_000)
        yield Row(f"{name}, p50", float(np.median(wall)), "ms")
        yield Row(f"{name}, p95", float(np.quantile(wall, 0.95)), "ms", limit)
        yield Row(f"{name}, p95 of processor time", float(np.quantile(processor, 0.95)), "ms")


def looping(memory: Memory, queries: Sequence[str]) -> Iterator[Row]:
    """How long the loops take to answer the same queries, and how many times ours, median to median."""
    loops = Loops(memory)
    taken = {mode: (loops.seconds(mode, queries), searched(mode, memory, queries)) for mode in LOOPED}
    memory.dense(queries[0])
    ours, _ = timed(partial(memory.dense, queries[0]))  # the query's vector is known by now, as it is to the loops
    taken["similarity of vectors"] = timed(partial(dense_by_numbers, memory.vectors()))[0], ours
    taken["similarity of vectors, a product of numpy a unit"] = timed(partial(dense_by_rows, memory.vectors()))[0], ours
    for name, (loop, own) in taken.items():
        yield Row(f"{name}: a loop takes", loop * 1_000, "ms")
        yield Row(f"{name}: a loop takes, times ours", loop / own, "", None if "numpy" in name else 50, at_most=False)


def searched(name: str, memory: Memory, queries: Sequence[str]) -> float:
    """Seconds of the median warm search."""
    mode = load_mode(name, memory)
    mode.search(queries[0], BUDGET)
    return float(np.median([timed(partial(mode.search, query, BUDGET))[0] for query in queries for _ in range(5)]))


def changing(memory: Memory, folder: Path, place: Path, seed: int) -> Iterator[Row]:
    """A document of twenty clauses, added and removed by command."""
    corpus = Corpus(sentences(), len(memory.graph.documents), random.Random(seed + 1))
    new = place / "newcomer.md"
    write_document(new, corpus, len(memory.graph.documents) + 1)
    for words in (("add", folder, new), ("remove", folder, new.stem)):
        yield Row(f"{words[0]} a document by command", csuite(*words).cpu_seconds, "s of processor")


class Queries:
    """An encoder that gives queries the vectors of a model, and units those of seeded noise."""

    name = fingerprint = "noise"
    similarity: Similarity = "cosine"

    def __init__(self, model: str, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._model: Encoder | None = None
        if model != "none":
            scorer = load_scorer(model, Workbench())
            assert isinstance(scorer, DenseScorer)
            self._model = scorer.encoder

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        """One row a text."""
        if role == "query" and self._model is not None:
            return self._model.encode(texts, role)
        return self._rng.standard_normal((len(texts), DIMENSIONS), dtype=np.float32)


def draw_queries(memory: Memory, count: int, seed: int) -> list[str]:
    """Eight words in a row from some unit."""
    rng = random.Random(seed)
    queries = []
    for unit in rng.choices(memory.graph.units, k=count):
        words = unit.text.split()
        start = rng.randrange(max(1, len(words) - 8))
        queries.append(" ".join(words[start : start + 8]))
    return queries


def timed(run: Callable[[], T]) -> tuple[float, T]:
    """Seconds on the wall, and what came of it."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def resident_mb() -> float:
    """Of this process, now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_mb() -> float:
    """Of this process, so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
