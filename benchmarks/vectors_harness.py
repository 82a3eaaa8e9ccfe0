"""What measuring costs: the time of a measured cell that is not spent in the engine's own search."""

from __future__ import annotations

import os

import click
import numpy as np

from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.settings import MeasuringProtocol, QueryMode
from constraintsuite.vectors.ann.timing import measure
from tables import load, show, target

CELLS: tuple[tuple[QueryMode, int], ...] = (("serial", 1), ("batch", 1), ("concurrent", 2), ("concurrent", 8))
INDEXES = (("hnswlib", 10_000, 32), ("usearch", 10_000, 32), ("hnswlib", 20_000, 384))
"""Small ones of few dimensions are as fast as an engine can be; the last is as large as one would measure at least."""


@click.command()
@click.option("--queries", type=click.IntRange(min=1), default=500, show_default=True)
@click.option("--k", type=click.IntRange(min=1), default=10, show_default=True)
def harness(queries: int, k: int) -> None:
    """Overhead of the clock and the loops around an engine, in each mode, for engines that answer in microseconds."""
    protocol = MeasuringProtocol(repeats=3, min_seconds=0.5)
    rows: list[tuple[str, float, float]] = []
    for name, size, dimensions in INDEXES:
        rng = np.random.default_rng(0)
        kind = ENGINES.load(name)
        engine = kind(kind.build_settings(), "cosine", os.cpu_count() or 1)
        engine.build(rng.standard_normal((size, dimensions), dtype=np.float32))
        engine.configure(kind.search_settings(), 1)
        asked = rng.standard_normal((queries, dimensions), dtype=np.float32)
        for mode, clients in CELLS:
            speed = measure(engine.search, asked, k, mode, clients, protocol).speed
            assert speed.engine_share is not None
            label = f"{name}, {size:,} x {dimensions}, {mode}" + (f", {clients} clients" if clients > 1 else "")
            rows.append((label, speed.qps, 100 * (1 / speed.engine_share - 1)))
        engine.close()
    show(f"{queries:,} queries, k = {k}, {load()}", ("", "queries/s", "overhead, % of the engine's time"), rows)
    worst = max(rows, key=lambda row: row[2])
    target(f"largest overhead in percent ({worst[0]})", worst[2], 5, at_most=True)
