"""From a benchmark file to cells: which builds there are, which searches each serves, and what they will need."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.vectors.ann.data import BenchmarkVectors, limit_vectors, refuse_few_rows
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import EngineSettings, PersistentEngine, ServedEngine, not_installed
from constraintsuite.vectors.ann.results import OperatingPoint
from constraintsuite.vectors.ann.settings import AnnBenchmark, EngineEntry, grid, locked_data
from constraintsuite.vectors.ann.staged_data import is_mapped

_PROGRAM = 150_000_000  # bytes of a worker that has loaded its libraries and nothing else
_A_QUERY = 48  # bytes of the figures of a query in a cell, beside its rows


@dataclass(frozen=True)
class Build:
    """One index, and all that is measured on it."""

    library: str
    code: str
    cells: Mapping[str, OperatingPoint]
    """By key; they differ in the search alone."""

    @property
    def point(self) -> OperatingPoint:
        """The first of its cells, which says what is built, of which data and by which engine."""
        return next(iter(self.cells.values()))


def plan(bench: AnnBenchmark, contents: Mapping[str, str], machine: str) -> list[Build]:
    """All builds, in the order of the file; an engine that is not installed is a UserError.

    `contents` has the hash of each data set by its name. `machine` is where they will be measured. A folder that is taken
    to another one is measured anew there, and what was measured before stays beside it: so no table mixes two machines,
    and nothing is thrown away.
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
    """A UserError if an engine is not installed, before any data is read."""
    for entry in bench.engines:
        _installed(entry)


def describe_engines() -> dict[str, dict[str, dict[str, str]]]:
    """Of each engine its parameters: what they are, and their defaults."""
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
    """One way to search after the other, so that an engine is configured as seldom as possible."""
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
    """Of all that decides a cell, and of the names it is shown under."""
    how = bench.protocol.model_dump(include={"warmup", "repeats", "min_seconds"})
    text = json.dumps([asdict(point), how, bench.ties, programs, machine], sort_keys=True)
    return sha256_text(content, text)[:24]


def _with_server(entry: EngineEntry, params: Mapping[str, Any], installed: str) -> str:
    """The library, and the server it speaks to; where nobody answers now, the build will say why."""
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
    """How large one set of vectors is."""

    name: str
    rows: int
    queries: int
    dimensions: int

    @property
    def bytes(self) -> int:
        """What its base vectors take."""
        return 4 * self.rows * self.dimensions


class BuildSize(NamedTuple):
    """About what one build takes, in bytes."""

    name: str
    memory: int
    saved: int


@dataclass(frozen=True)
class Estimate:
    """About what a benchmark will need, in bytes; of a server nothing is counted."""

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
        """The estimate as text for people."""
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
    largest = max(builds, key=lambda build: build.memory)
    answers = sum(size.queries for size in sizes) * sum(points) * (8 * max(bench.k) + _A_QUERY)
    return Estimate(
        builds=len(builds),
        cells=sum(points) * len(sizes),
        rankings=rankings,
        data=tuple(sizes),
        largest_build=largest.name,
        memory_bytes=largest.memory,
        disk_bytes=disk + answers + max(build.saved for build in builds),
    )


def _build_sizes(entry: EngineEntry, size: DataSize) -> Iterator[BuildSize]:
    kind = ENGINES.load(entry.engine)
    for params in grid(entry.build):
        index = kind.expected_bytes(kind.build_settings.model_validate(params), size.rows, size.dimensions)
        saved = index if issubclass(kind, PersistentEngine) else 0
        here = 0 if issubclass(kind, ServedEngine) else index + saved  # read back while the first is still there
        yield BuildSize(f"{entry.name} on {size.name}", _PROGRAM + size.bytes + here, saved)


def _staged_bytes(bench: AnnBenchmark, data: BenchmarkVectors) -> int:
    """The copy of vectors that cannot be mapped, queries, and the truth with its scores."""
    copied = 0 if is_mapped(data.base) else 4 * data.base.size
    return int(copied + 4 * data.queries.size + 16 * len(data.queries) * max(bench.k))
