"""What a benchmark will need, before anything is measured: cells, memory and disk, each about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from constraintsuite.vectors.ann.data import BenchmarkVectors, limited, refuse_few_rows
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import Persistent, ServedEngine
from constraintsuite.vectors.ann.plan import count_cells, refuse_missing
from constraintsuite.vectors.ann.settings import AnnBenchmark, EngineEntry, grid, held
from constraintsuite.vectors.ann.staging import is_mapped

_PROGRAM = 150_000_000  # bytes of a worker that has loaded its libraries and nothing else
_A_QUERY = 48  # bytes of the figures of a query in a cell, beside its rows


@dataclass(frozen=True)
class DataSize:
    """One set."""

    name: str
    rows: int
    queries: int
    dimensions: int

    @property
    def bytes(self) -> int:
        """Of its base vectors."""
        return 4 * self.rows * self.dimensions


@dataclass(frozen=True)
class Estimate:
    """Bytes are about what will be needed; of a server nothing is counted."""

    builds: int
    cells: int
    rankings: int
    data: tuple[DataSize, ...]
    largest_build: str
    memory_bytes: int
    """Of the largest build: one runs at a time."""
    disk_bytes: int
    """Of the folder, while the largest index is saved in it."""

    def lines(self) -> Iterator[str]:
        """For people."""
        beside = f", {self.rankings} rankings without vectors" if self.rankings else ""
        yield f"{self.builds} builds, {self.cells} cells{beside}"
        for one in self.data:
            size = f"{one.rows:,} x {one.dimensions:,}, {one.queries:,} queries, {one.bytes / 1e6:,.0f} MB"
            yield f"{one.name}: {size}"
        yield f"memory: about {self.memory_bytes / 1e6:,.0f} MB ({self.largest_build})"
        yield f"disk: about {self.disk_bytes / 1e6:,.0f} MB"


def estimate(bench: AnnBenchmark, folder: Path) -> Estimate:
    """Opens the data, of which all is read but what can be mapped, and writes nothing; paths start at `folder`."""
    refuse_missing(bench)
    with held(bench.data, folder):
        return _estimate(bench, folder)


def _estimate(bench: AnnBenchmark, folder: Path) -> Estimate:
    sizes, disk, rankings = [], 0, 0
    for entry in bench.data:
        data = limited(entry.options.load(entry.name, folder), entry.options.limit, entry.options.query_limit)
        refuse_few_rows(data, max(bench.k))
        sizes.append(DataSize(entry.name, len(data.base), len(data.queries), data.base.shape[1]))
        texts = entry.options.texts(folder)
        rankings += len(texts.retrievers) if texts else 0
        disk += _staged(bench, data)
    builds = [build for size in sizes for entry in bench.engines for build in _builds(entry, size)]
    largest = max(builds, key=lambda build: build.memory)
    counts = count_cells(bench)
    answers = sum(size.queries for size in sizes) * counts["cells"] // len(sizes) * (8 * max(bench.k) + _A_QUERY)
    return Estimate(
        builds=counts["builds"],
        cells=counts["cells"],
        rankings=rankings,
        data=tuple(sizes),
        largest_build=largest.name,
        memory_bytes=largest.memory,
        disk_bytes=disk + answers + max(build.saved for build in builds),
    )


class _Expected(NamedTuple):
    name: str
    memory: int
    saved: int


def _builds(entry: EngineEntry, size: DataSize) -> Iterator[_Expected]:
    kind = ENGINES.load(entry.engine)
    for params in grid(entry.build):
        index = kind.expected_bytes(kind.build_settings.model_validate(params), size.rows, size.dimensions)
        saved = index if issubclass(kind, Persistent) else 0
        here = 0 if issubclass(kind, ServedEngine) else index + saved  # read back while the first is still there
        yield _Expected(f"{entry.name} on {size.name}", _PROGRAM + size.bytes + here, saved)


def _staged(bench: AnnBenchmark, data: BenchmarkVectors) -> int:
    """The copy of vectors that cannot be mapped, queries, and the truth with its scores."""
    copied = 0 if is_mapped(data.base) else 4 * data.base.size
    return int(copied + 4 * data.queries.size + 16 * len(data.queries) * max(bench.k))
