"""From a benchmark file to its builds and cells, and an estimate of what they need."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.vectors.ann.data import BenchmarkVectors, limit_vectors, refuse_few_rows
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import EngineSettings, PersistentEngine, ServedEngine, not_installed
from constraintsuite.vectors.ann.results import OperatingPoint
from constraintsuite.vectors.ann.settings import AnnBenchmark, EngineEntry, grid, locked_data
from constraintsuite.vectors.ann.staged_data import is_mapped

_PROGRAM = 150_000_000  # bytes of a worker with its libraries and nothing else
_QUERY_BYTES = 48  # figures of a query in a cell, without its rows


@dataclass(frozen=True)
class Build:
    """One index, and all cells that are measured on it."""

    library: str
    code: str
    cells: Mapping[str, OperatingPoint]
    """By key; they differ only in the search."""

    @property
    def point(self) -> OperatingPoint:
        """The first of its cells, which names the data, the engine and the parameters of the build."""
        return next(iter(self.cells.values()))


def plan(bench: AnnBenchmark, contents: Mapping[str, str], machine: str) -> list[Build]:
    """All builds, in the order of the file. Raises UserError if an engine is not installed.

    `contents` holds the hash of each data set by name. The `machine` is part of the key of a cell: on another machine the
    cells are measured again, and the earlier ones stay in the folder.
    """
    builds = []
    for entry in bench.engines:
        installed = _installed(entry)
        code = f"measuring {REVISIONS['cell']}, {entry.engine} {ENGINES.load(entry.engine).revision}"
        for data, content in contents.items():
            for params in grid(entry.build):
                library = _with_server(entry, params, installed)
                points = _points(entry, params, data, bench)
                cells = {_key(point, bench, content, f"{library}; {code}", machine): point for point in points}
                builds.append(Build(library, code, cells))
    return builds


def refuse_missing(bench: AnnBenchmark) -> None:
    """Raise a UserError if an engine is not installed; called before any data is read."""
    for entry in bench.engines:
        _installed(entry)


def describe_engines() -> dict[str, dict[str, dict[str, str]]]:
    """For each engine the parameters of build and search, with descriptions and defaults."""
    described = {}
    for name in ENGINES.names():
        kind = ENGINES.load(name)
        parts = {"build": kind.build_settings, "search": kind.search_settings}
        described[name] = {part: _describe_fields(settings) for part, settings in parts.items()}
    return described


def _describe_fields(settings: type[EngineSettings]) -> dict[str, str]:
    return {
        name: f"{field.description or name} (default {'none' if field.default is None else field.default})"
        if not field.is_required()
        else f"{field.description or name} (needed)"
        for name, field in settings.model_fields.items()
    }


def _points(entry: EngineEntry, params: Mapping[str, Any], data: str, bench: AnnBenchmark) -> Iterator[OperatingPoint]:
    """All cells of a build, ordered so that the engine is configured as seldom as possible."""
    protocol = bench.protocol
    for search in grid(entry.search):
        for rerank in entry.rerank:
            for k in bench.k:
                for mode in protocol.modes:
                    for clients in protocol.clients if mode == "concurrent" else (1,):
                        yield OperatingPoint(
                            data, entry.engine, entry.name, params, search, rerank, k, mode, clients, protocol.threads
                        )


def _key(point: OperatingPoint, bench: AnnBenchmark, content: str, programs: str, machine: str) -> str:
    """A hash of everything that decides a cell, and of the names it is shown under."""
    how = bench.protocol.model_dump(include={"warmup", "repeats", "min_seconds"})
    text = json.dumps([asdict(point), how, bench.ties, programs, machine], sort_keys=True)
    return sha256_text(content, text)[:24]


def _with_server(entry: EngineEntry, params: Mapping[str, Any], installed: str) -> str:
    """The library, and its server with versions. If the server does not answer, the build will report why."""
    kind = ENGINES.load(entry.engine)
    server = kind.server(kind.build_settings.model_validate(params)) if issubclass(kind, ServedEngine) else None
    return installed if server is None else f"{installed}, {server}"


def _installed(entry: EngineEntry) -> str:
    library = ENGINES.load(entry.engine).library
    try:
        return f"{library} {metadata.version(library)}"
    except metadata.PackageNotFoundError:
        raise not_installed(library, entry.engine) from None


@dataclass(frozen=True)
class DataSize:
    """The size of one data set."""

    name: str
    rows: int
    queries: int
    dimensions: int

    @property
    def bytes(self) -> int:
        """Bytes of its base vectors."""
        return 4 * self.rows * self.dimensions


@dataclass(frozen=True)
class Estimate:
    """Approximate needs of a benchmark in bytes, not counting servers."""

    builds: int
    cells: int
    rankings: int
    data: tuple[DataSize, ...]
    largest_build: str
    memory_bytes: int
    """Memory of the largest build, since one runs at a time."""
    disk_bytes: int
    """Size of the folder while the largest index is saved in it."""

    def lines(self) -> Iterator[str]:
        """The estimate as text for people."""
        rankings = f", {self.rankings} rankings without vectors" if self.rankings else ""
        yield f"{self.builds} builds, {self.cells} cells{rankings}"
        for one in self.data:
            size = f"{one.rows:,} x {one.dimensions:,}, {one.queries:,} queries, {one.bytes / 1e6:,.0f} MB"
            yield f"{one.name}: {size}"
        yield f"memory: about {self.memory_bytes / 1e6:,.0f} MB ({self.largest_build})"
        yield f"disk: about {self.disk_bytes / 1e6:,.0f} MB"


def estimate(bench: AnnBenchmark, folder: Path) -> Estimate:
    """Open the data (what cannot be mapped is read) and estimate; relative paths start at `folder`."""
    refuse_missing(bench)
    sizes, disk, rankings = [], 0, 0
    with locked_data(bench.data, folder):
        for entry in bench.data:
            data = limit_vectors(entry.options.load(entry.name, folder), entry.options.limit, entry.options.query_limit)
            refuse_few_rows(data, max(bench.k))
            sizes.append(DataSize(entry.name, len(data.base), len(data.queries), data.base.shape[1]))
            texts = entry.options.texts(folder)
            rankings += len(texts.retrievers) if texts else 0
            disk += _staged_bytes(bench, data)
    points = [sum(1 for _ in _points(entry, {}, "", bench)) for entry in bench.engines for _ in grid(entry.build)]
    builds = [build for size in sizes for entry in bench.engines for build in _build_sizes(entry, size)]
    memory, _, largest = max(builds, key=lambda build: build[0])
    answers = sum(size.queries for size in sizes) * sum(points) * (8 * max(bench.k) + _QUERY_BYTES)
    return Estimate(
        builds=len(builds),
        cells=sum(points) * len(sizes),
        rankings=rankings,
        data=tuple(sizes),
        largest_build=largest,
        memory_bytes=memory,
        disk_bytes=disk + answers + max(saved for _, saved, _ in builds),
    )


def _build_sizes(entry: EngineEntry, size: DataSize) -> Iterator[tuple[int, int, str]]:
    """For each build: bytes of memory, bytes of the saved index, and its name."""
    kind = ENGINES.load(entry.engine)
    for params in grid(entry.build):
        index = kind.expected_bytes(kind.build_settings.model_validate(params), size.rows, size.dimensions)
        saved = index if issubclass(kind, PersistentEngine) else 0
        here = 0 if issubclass(kind, ServedEngine) else index + saved  # it is loaded again while the first is in memory
        yield _PROGRAM + size.bytes + here, saved, f"{entry.name} on {size.name}"


def _staged_bytes(bench: AnnBenchmark, data: BenchmarkVectors) -> int:
    """Bytes of queries and exact neighbours, and of the vectors if they cannot be mapped."""
    copied = 0 if is_mapped(data.base) else 4 * data.base.size
    return int(copied + 4 * data.queries.size + 16 * len(data.queries) * max(bench.k))
