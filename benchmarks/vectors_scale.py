"""A bundle of generated vectors, its exact neighbours and one index: time and memory at two sizes, each step a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.bundle import Bundle, open_vectors
from tables import load, show, target

QUERIES = 200
EVERY_SECONDS = 0.02


class Step(NamedTuple):
    """What a command took."""

    seconds: float
    peak_mb: float
    """Resident memory at its highest; pages of mapped files count, though the system may take them back at any time."""
    own_mb: float
    """The highest seen without pages of files, looked at every 20 ms: what the process cannot do without."""


@click.command()
@click.option("--small", type=click.IntRange(min=100), default=100_000, show_default=True)
@click.option("--large", type=click.IntRange(min=100), default=1_000_000, show_default=True)
@click.option("--dimensions", type=click.IntRange(min=1), default=384, show_default=True)
@click.option("--index", default="IVF1024,Flat", show_default=True, help="Factory string of faiss.")
def scale(small: int, large: int, dimensions: int, index: str) -> None:
    """Import generated vectors as a bundle, find exact neighbours, build an index: time and memory at two sizes."""
    found = {size: _steps(size, dimensions, index) for size in (small, large)}
    rows = [
        (f"{name}, {size:,} vectors", *step, 1e6 * step.seconds / size)
        for name in found[small]
        for size, steps in found.items()
        for step in (steps[name],)
    ]
    header = ("", "seconds", "peak MB", "of it not mapped, MB", "us a vector")
    show(f"{dimensions} dimensions, {QUERIES} queries, index {index}, {load()}", header, rows)
    target("peak MB at the larger size", max(step.peak_mb for step in found[large].values()), 6_000, at_most=True)
    for name in found[small]:
        growth = found[large][name].seconds / large / (found[small][name].seconds / small)
        target(f"{name}: seconds a vector, large to small", growth, 1.3, at_most=True)


@click.command("index-work", hidden=True)
@click.argument("bundle", type=click.Path(path_type=Path))
@click.argument("factory")
def index_work(bundle: Path, factory: str) -> None:
    """Build the index of a bundle with the adapter of faiss."""
    vectors = open_vectors(Bundle.open(bundle))
    kind = ENGINES.load("faiss")
    assert vectors.similarity != "manhattan"
    engine = kind(kind.build_settings.model_validate({"factory": factory}), vectors.similarity, os.cpu_count() or 1)
    engine.build(vectors.documents)
    engine.close()


def write_seven(folder: Path, size: int, dimensions: int) -> None:
    """A folder of the methodology with random vectors; recall on such says nothing, time and memory do."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    shape = (size, dimensions)
    mapped = np.lib.format.open_memmap(folder / "passage_embeddings.npy", mode="w+", dtype=np.float32, shape=shape)
    for at in range(0, size, 16_384):
        block = mapped[at : at + 16_384]
        block[:] = rng.standard_normal(block.shape, dtype=np.float32)
    mapped.flush()
    np.save(folder / "query_embeddings.npy", rng.standard_normal((QUERIES, dimensions), dtype=np.float32))
    np.save(folder / "passage_ids.npy", np.array([str(i) for i in range(size)]))
    np.save(folder / "query_ids.npy", np.array([f"q{i}" for i in range(QUERIES)]))


def _steps(size: int, dimensions: int, index: str) -> dict[str, Step]:
    with tempfile.TemporaryDirectory() as folder:
        seven, bundle = Path(folder) / "seven", Path(folder) / "bundle"
        write_seven(seven, size, dimensions)
        csuite = [sys.executable, "-m", "constraintsuite"]
        own = [sys.executable, str(Path(__file__).with_name("vectors.py"))]
        return {
            "bundle": _measured([*csuite, "bundle", "import", str(seven), "--out", str(bundle)]),
            "truth": _measured([*csuite, "bundle", "truth", str(bundle), "--knn", "100"]),
            "index": _measured([*own, "index-work", str(bundle), index]),
        }


def _measured(command: list[str]) -> Step:
    start, own = time.monotonic(), 0.0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        own = max(own, _own_mb(process.pid))
        time.sleep(EVERY_SECONDS)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise click.ClickException(f"{' '.join(command)}: exit {process.returncode}")
    return Step(time.monotonic() - start, usage.ru_maxrss * 1024 / 1e6, own)


def _own_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("RssAnon:"))
