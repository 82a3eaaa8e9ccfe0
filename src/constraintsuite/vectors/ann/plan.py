"""From a benchmark file to cells: which builds there are, which searches each serves, and what each cell is called."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

from constraintsuite.store.files import sha256_text
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.engines.base import EngineSettings, ServedEngine, not_installed
from constraintsuite.vectors.ann.results import OperatingPoint
from constraintsuite.vectors.ann.settings import AnnBenchmark, EngineEntry, grid


@dataclass(frozen=True)
class PlannedCell:
    """A cell that is to be measured."""

    key: str
    point: OperatingPoint


@dataclass(frozen=True)
class Build:
    """One index, and all that is measured on it."""

    data: str
    engine: str
    name: str
    params: Mapping[str, Any]
    library: str
    code: str
    cells: tuple[PlannedCell, ...]


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
                cells = tuple(
                    PlannedCell(_key(point, bench, content, f"{library}; {code}", machine), point)
                    for point in _points(entry, params, data, bench)
                )
                builds.append(Build(data, entry.engine, entry.name, params, library, code, cells))
    return builds


def refuse_missing(bench: AnnBenchmark) -> None:
    """A UserError if an engine is not installed, before any data is read."""
    for entry in bench.engines:
        _installed(entry)


def count_cells(bench: AnnBenchmark) -> dict[str, int]:
    """How many builds and cells there are, before any data is read."""
    sets = [entry.name for entry in bench.data]
    made = [(entry, params) for entry in bench.engines for params in grid(entry.build)]
    cells = sum(1 for entry, params in made for data in sets for _ in _points(entry, params, data, bench))
    return {"builds": len(made) * len(sets), "cells": cells}


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
