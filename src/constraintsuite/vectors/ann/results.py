"""What a benchmark leaves: one file a cell, whole or not at all."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter, describe
from constraintsuite.vectors.ann.data import VectorMetric
from constraintsuite.vectors.ann.metrics import QueryResults, read_queries
from constraintsuite.vectors.ann.settings import QueryMode

KIND = "ann"
CELLS, FAILED, PER_QUERY, RANKINGS, RUN = "cells", "failed", "per_query", "rankings", "run.json"
NOTHING = "–"
"""Stands where a search has no parameters."""
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
"""What becomes part of a file's name; a run may come from somebody else, so that it is checked when it is read."""
T = TypeVar("T")
Keyed = TypeVar("Keyed", "MeasuredCell", "Failure", "RetrieverBaseline", "FailedRanking")


@dataclass(frozen=True)
class OperatingPoint:
    """What was asked of an engine: one build, one way to search, one k, one mode."""

    data: FileName
    engine: str
    name: FileName
    """As the benchmark file calls it."""
    build: Mapping[str, Any]
    search: Mapping[str, Any]
    rerank: int
    k: int
    mode: QueryMode
    clients: int
    """That ask at the same time; 1 but in the mode `concurrent`."""
    threads: int

    @property
    def series(self) -> str:
        """The name with the parameters of the build."""
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.build.items() if key != "url")])

    @property
    def setting(self) -> str:
        """The parameters of the search."""
        said = [f"{key}={value}" for key, value in self.search.items()]
        return " ".join([*said, f"rerank={self.rerank}"] if self.rerank > 1 else said) or NOTHING


@dataclass(frozen=True)
class Repeat:
    """One measurement: how many queries were answered, and in what time."""

    seconds: float
    queries: int

    @property
    def qps(self) -> float:
        """Queries per second of this measurement."""
        return self.queries / self.seconds


@dataclass(frozen=True)
class EngineSpeed:
    """How fast the answers came."""

    repeats: tuple[Repeat, ...]
    latencies_ms: Mapping[str, float] | None
    """p50, p95, p99 and p999 over calls of one query; None where a call holds more."""
    engine_share: float | None
    """Of the measured time, how much was spent in the engine."""

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
    """What a build took; None where it cannot be known."""

    build_seconds: float
    save_seconds: float | None
    load_seconds: float | None
    index_bytes: int | None
    memory_bytes: int | None
    """By how much the anonymous memory of a fresh process grew: mapped vectors do not count."""
    peak_bytes: int | None
    """The most that the process held at any time, all libraries and mapped pages included."""


@dataclass(frozen=True)
class MeasuredCell:
    """A finished measurement of one operating point, as a file in `cells`."""

    key: FileName
    point: OperatingPoint
    content: str
    """Of the data."""
    exact: bool
    figures: Mapping[str, Interval]
    speed: EngineSpeed
    cost: Cost
    library: str
    """With its version, and behind it that of the server it speaks to."""
    code: str = ""
    """Which revision of our own measuring and of our engine this is of."""
    host: Mapping[str, str | int | None] = field(default_factory=dict)
    """The machine that measured it, part of the key."""


@dataclass(frozen=True)
class Failure:
    """A cell that could not be measured."""

    key: FileName
    point: OperatingPoint
    error: str


@dataclass(frozen=True)
class RetrieverBaseline:
    """What a retriever without these vectors finds in the same texts: judged by people alone, and not timed."""

    key: FileName
    data: FileName
    content: str
    """Of the data."""
    retriever: str
    figures: Mapping[str, Interval]
    """`rel.*` for every k of the run."""
    facts: Mapping[str, Any]
    """What the retriever settled on."""


@dataclass(frozen=True)
class FailedRanking:
    """A retriever that could not be run."""

    key: FileName
    data: FileName
    retriever: str
    error: str


@dataclass(frozen=True)
class DataFacts:
    """Of one set of vectors."""

    name: FileName
    content: str
    metric: VectorMetric
    rows: int
    queries: int
    dimensions: int
    judged_queries: int
    notes: tuple[str, ...]
    overlap: int = 0
    """Queries measured that equal a base vector: each finds itself, which flatters every engine."""
    bundle: str | None = None
    """The id of the bundle it is of."""
    population: int | None = None
    """Documents of the collection that the bundle was chosen from, where it is known."""
    min_relevance: int = 1
    """The lowest grade that is relevant."""


@dataclass(frozen=True)
class RunFacts:
    """On what, where and with what a run was made."""

    name: str
    settings: Mapping[str, Any]
    targets: tuple[float, ...]
    ties: str
    host: Mapping[str, str | int | None]
    data: tuple[DataFacts, ...]
    keys: tuple[FileName, ...]
    """Of the cells that the benchmark file asks for now; others may lie beside them."""
    ranking_keys: tuple[FileName, ...] = ()


@dataclass(frozen=True)
class AnnRun:
    """A benchmark folder as it was read."""

    path: Path
    content: str
    facts: RunFacts
    cells: tuple[MeasuredCell, ...]
    failures: tuple[Failure, ...]
    rankings: tuple[RetrieverBaseline, ...] = ()
    failed_rankings: tuple[FailedRanking, ...] = ()


def load_ann_run(path: Path) -> AnnRun:
    """The finished cells and the failures of a run."""
    artifact = Artifact.open(path, KIND)
    facts = read(path / RUN, RunFacts)
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
    """What a cell, or a ranking without vectors, found for every query."""
    return read_queries(queries_file(run.path, cell.key))


def queries_file(out: Path, key: str) -> Path:
    """Where the answers of one cell lie."""
    return out / PER_QUERY / f"{key}.parquet"


def _read_all(run: Artifact, folder: str, keys: Sequence[str], kind: type[Keyed]) -> tuple[Keyed, ...]:
    names = (f"{folder}/{key}.json" for key in keys)
    return tuple(_read_keyed(run.path / name, kind) for name in names if name in run.manifest.files)


def _read_keyed(file: Path, kind: type[Keyed]) -> Keyed:
    """A record that lies under its own key: its other files are found by it."""
    record = read(file, kind)
    if record.key != file.stem:
        raise UserError(f"{file}: the key inside is {record.key!r}. Was it renamed? Run the benchmark again.")
    return record


def read(file: Path, kind: type[T]) -> T:
    """One record; a file that was edited or cut is a UserError."""
    try:
        return adapter(kind).validate_json(file.read_bytes())
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)} Was it edited, or written by another version?") from None


def write(file: Path, record: object) -> None:
    """One record, as a file that appears whole."""
    write_text(file, adapter(type(record)).dump_json(record, indent=2).decode() + "\n")
