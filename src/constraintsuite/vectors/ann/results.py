"""The files of a benchmark folder: one record per cell, ranking or failure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_json
from constraintsuite.vectors.ann.data import VectorMetric
from constraintsuite.vectors.ann.metrics import QueryResults, read_queries
from constraintsuite.vectors.ann.settings import QueryMode

KIND = "ann"
CELLS, FAILED, PER_QUERY, RANKINGS, RUN = "cells", "failed", "per_query", "rankings", "run.json"
NOTHING = "–"
"""Shown if a search has no parameters."""
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
"""A text that becomes part of a file name. It is checked when a run is read, since runs are shared."""
Keyed = TypeVar("Keyed", "MeasuredCell", "Failure", "RetrieverBaseline", "FailedRanking")


@dataclass(frozen=True)
class OperatingPoint:
    """One build, one search setting, one k and one mode of an engine."""

    data: FileName
    engine: str
    name: FileName
    """Name of the engine in the benchmark file."""
    build: Mapping[str, Any]
    search: Mapping[str, Any]
    rerank: int
    k: int
    mode: QueryMode
    clients: int
    """Clients that search at the same time; 1 except in the mode `concurrent`."""
    threads: int

    @property
    def series(self) -> str:
        """The name with the parameters of the build, without its address."""
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.build.items() if key != "url")])

    @property
    def setting(self) -> str:
        """The parameters of the search."""
        rerank = {"rerank": self.rerank} if self.rerank > 1 else {}
        return " ".join(f"{key}={value}" for key, value in {**self.search, **rerank}.items()) or NOTHING


@dataclass(frozen=True)
class Repeat:
    """One measurement: the number of answered queries, and its duration."""

    seconds: float
    queries: int

    @property
    def qps(self) -> float:
        """Queries per second of this measurement."""
        return self.queries / self.seconds


@dataclass(frozen=True)
class EngineSpeed:
    """The measured speed of a cell."""

    repeats: tuple[Repeat, ...]
    latencies_ms: Mapping[str, float] | None
    """p50, p95, p99 and p999 over calls of one query; None if a call holds more."""
    engine_share: float | None
    """Share of the measured time that was spent in the engine."""

    @property
    def qps(self) -> float:
        """The median of the repeats."""
        return statistics.median(repeat.qps for repeat in self.repeats)

    @property
    def variation(self) -> float | None:
        """Standard deviation of the repeats over their mean; one repeat has none."""
        if len(self.repeats) == 1:
            return None
        speeds = [repeat.qps for repeat in self.repeats]
        return statistics.pstdev(speeds) / statistics.fmean(speeds)


@dataclass(frozen=True)
class Cost:
    """Time, size and memory of a build; None if not known."""

    build_seconds: float
    save_seconds: float | None
    load_seconds: float | None
    index_bytes: int | None
    memory_bytes: int | None
    """Growth of the anonymous memory of a fresh process: mapped vectors do not count."""
    peak_bytes: int | None
    """Peak memory of the process, with libraries and mapped pages."""


@dataclass(frozen=True)
class MeasuredCell:
    """A finished measurement of one operating point, as a file in `cells`."""

    key: FileName
    point: OperatingPoint
    content: str
    """Hash of the data."""
    exact: bool
    figures: Mapping[str, Interval]
    speed: EngineSpeed
    cost: Cost
    library: str
    """Library with its version, and the version of the server if there is one."""
    code: str = ""
    """Revisions of the measuring code and of the engine's file."""
    host: Mapping[str, str | int | None] = field(default_factory=dict)
    """The machine that measured it; part of the key."""


@dataclass(frozen=True)
class Failure:
    """A cell that could not be measured."""

    key: FileName
    point: OperatingPoint
    error: str


@dataclass(frozen=True)
class RetrieverBaseline:
    """Relevance of a retriever that searches the same texts without the vectors; it is not timed."""

    key: FileName
    data: FileName
    content: str
    """Hash of the data."""
    retriever: str
    figures: Mapping[str, Interval]
    """`rel.*` for every k of the run."""
    facts: Mapping[str, Any]
    """What the retriever says about itself."""


@dataclass(frozen=True)
class FailedRanking:
    """A retriever that failed."""

    key: FileName
    data: FileName
    retriever: str
    error: str


@dataclass(frozen=True)
class DataFacts:
    """What a run records about one data set."""

    name: FileName
    content: str
    metric: VectorMetric
    rows: int
    queries: int
    dimensions: int
    judged_queries: int
    notes: tuple[str, ...]
    overlap: int = 0
    """Queries that equal a base vector: each finds itself, which makes every engine look better."""
    bundle: str | None = None
    """Id of the bundle, if the data are of one."""
    population: int | None = None
    """Documents in the collection that the bundle was drawn from, if known."""
    min_relevance: int = 1
    """The lowest relevant grade."""


@dataclass(frozen=True)
class RunFacts:
    """Settings, machine and data of a run, and the keys of its cells."""

    name: str
    settings: Mapping[str, Any]
    targets: tuple[float, ...]
    ties: str
    host: Mapping[str, str | int | None]
    data: tuple[DataFacts, ...]
    keys: tuple[FileName, ...]
    """Keys of the cells that the benchmark file names; the folder may hold others."""
    ranking_keys: tuple[FileName, ...] = ()


@dataclass(frozen=True)
class AnnRun:
    """The content of a benchmark folder."""

    path: Path
    content: str
    facts: RunFacts
    cells: tuple[MeasuredCell, ...]
    failures: tuple[Failure, ...]
    rankings: tuple[RetrieverBaseline, ...] = ()
    failed_rankings: tuple[FailedRanking, ...] = ()


def load_ann_run(path: Path) -> AnnRun:
    """Read the cells, rankings and failures of a run."""
    artifact = Artifact.open(path, KIND)
    facts = read_json(path / RUN, RunFacts)
    return AnnRun(
        path,
        artifact.manifest.content,
        facts,
        _read_all(artifact, CELLS, facts.keys, MeasuredCell),
        _read_all(artifact, FAILED, facts.keys, Failure),
        _read_all(artifact, RANKINGS, facts.ranking_keys, RetrieverBaseline),
        _read_all(artifact, FAILED, facts.ranking_keys, FailedRanking),
    )


def load_queries(run: AnnRun, cell: MeasuredCell | RetrieverBaseline) -> QueryResults:
    """What a cell, or a ranking without vectors, found for each query."""
    return read_queries(queries_file(run.path, cell.key))


def queries_file(out: Path, key: str) -> Path:
    """The file with the answers of one cell."""
    return out / PER_QUERY / f"{key}.parquet"


def _read_all(run: Artifact, folder: str, keys: Sequence[str], kind: type[Keyed]) -> tuple[Keyed, ...]:
    names = (f"{folder}/{key}.json" for key in keys)
    return tuple(_read_keyed(run.path / name, kind) for name in names if name in run.manifest.files)


def _read_keyed(file: Path, kind: type[Keyed]) -> Keyed:
    """A record whose key is the name of its file; the key names its other files too."""
    record = read_json(file, kind)
    if record.key != file.stem:
        raise UserError(f"{file}: the key inside is {record.key!r}. Was it renamed? Run the benchmark again.")
    return record
