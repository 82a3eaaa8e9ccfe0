"""The settings of a benchmark file; unknown keys are refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, PositiveFloat, PositiveInt, ValidationError, model_validator

from constraintsuite.core.errors import UserError, prefixed_errors
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.jsonl import describe
from constraintsuite.core.store.yaml_files import read_yaml
from constraintsuite.vectors.ann.engines import ENGINES
from constraintsuite.vectors.ann.metrics import RecallTieRule
from constraintsuite.vectors.ann.sources import SOURCES
from constraintsuite.vectors.ann.sources.base import VectorSourceSettings

QueryMode = Literal["serial", "batch", "concurrent"]
Params = Mapping[str, Any]
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


class MeasuringProtocol(StrictModel):
    """How speed is measured: modes, clients, threads, warm-up, repeats."""

    modes: tuple[QueryMode, ...] = ("serial",)
    """One query per call, all queries in one call, or several clients."""
    clients: tuple[PositiveInt, ...] = (1,)
    """Numbers of clients in the mode concurrent."""
    threads: PositiveInt = 1
    """Processors that an engine may use, in every mode."""
    warmup: int = Field(1, ge=0)
    """Passes over all queries that are not measured."""
    repeats: PositiveInt = 5
    """Measurements; the median of their speeds is reported."""
    min_seconds: float = Field(2.0, ge=0)
    """A measurement repeats the queries for at least this time."""
    timeout_seconds: PositiveFloat = 7_200
    """For one build and all its searches."""

    @model_validator(mode="after")
    def _check_lists(self) -> MeasuringProtocol:
        _check_axes({"modes": self.modes, "clients": self.clients})
        return self


class DataEntry(StrictModel):
    """One data set: its name, its format and the options of that format."""

    name: str = Field(pattern=_NAME)
    format: str
    options: VectorSourceSettings

    @model_validator(mode="before")
    @classmethod
    def _parse_options(cls, entry: Any) -> Any:  # noqa: ANN401 - any value of the file
        if not isinstance(entry, dict) or not isinstance(entry.get("format"), str) or "options" in entry:
            return entry
        rest = {key: value for key, value in entry.items() if key not in ("name", "format")}
        options = _checked(SOURCES.load(entry["format"]), rest)
        return {"name": entry.get("name", entry["format"]), "format": entry["format"], "options": options}


@contextmanager
def locked_data(entries: Sequence[DataEntry], folder: Path) -> Iterator[None]:
    """While the block runs, no command may replace the data of these entries."""
    with ExitStack() as locks:
        for entry in entries:
            locks.enter_context(entry.options.locked(folder))
        yield


class EngineEntry(StrictModel):
    """An engine with its parameters; a list of values is an axis of a grid."""

    engine: str
    name: str = Field(pattern=_NAME)
    build: dict[str, Any] = Field(default_factory=dict)
    """Parameters of the index."""
    search: dict[str, Any] = Field(default_factory=dict)
    """Parameters of a search; one build serves all searches."""
    rerank: tuple[PositiveInt, ...] = (1,)
    """Ask for this multiple of k, and compare these in full precision."""

    @model_validator(mode="before")
    @classmethod
    def _default_name(cls, entry: Any) -> Any:  # noqa: ANN401
        if isinstance(entry, dict):
            rerank = entry.get("rerank", 1)
            single = isinstance(rerank, int) and not isinstance(rerank, bool)
            return {"name": entry.get("engine"), **entry, "rerank": (rerank,) if single else rerank}
        return entry

    @model_validator(mode="after")
    def _check_grid(self) -> EngineEntry:
        kind = ENGINES.load(self.engine)
        _check_axes({**self.build, **self.search, "rerank": self.rerank})
        for params, settings in ((self.build, kind.build_settings), (self.search, kind.search_settings)):
            for point in grid(params):
                _checked(settings, point)
        empty = next((name for name, value in self.search.items() if None in _values(value)), None)
        if empty is not None:  # an index would keep its previous value
            raise ValueError(f"search.{empty} is null; give a number, or leave {empty} out")
        return self


class AnnBenchmark(StrictModel):
    """A benchmark: data, engines and how to measure."""

    name: str = Field("ann", pattern=_NAME)
    data: tuple[DataEntry, ...]
    k: tuple[PositiveInt, ...] = (10,)
    """Numbers of neighbours to find."""
    ties: RecallTieRule = "relative"
    """Which rows count as equal to the last true neighbour."""
    targets: tuple[Annotated[float, Field(gt=0, le=1)], ...] = (0.9, 0.95, 0.99)
    """Recalls in the table of speeds."""
    speeds: tuple[PositiveFloat, ...] = ()
    """Queries per second in the table of recalls; by default round ones."""
    protocol: MeasuringProtocol = Field(default_factory=MeasuringProtocol)
    engines: tuple[EngineEntry, ...]

    @model_validator(mode="after")
    def _check_names(self) -> AnnBenchmark:
        for names in ([entry.name for entry in self.data], [entry.name for entry in self.engines]):
            repeated = {name for name in names if names.count(name) > 1}
            if repeated:
                raise ValueError(f"two entries are called {min(repeated)!r}; give each its own `name`")
        _check_axes({"data": self.data, "engines": self.engines, "k": self.k})
        return self

    @classmethod
    def read(cls, path: Path) -> AnnBenchmark:
        """Read a YAML file. Raises UserError with the place of an error."""
        data = read_yaml(path, "benchmark file", "`csuite ann example` prints one to start from.")
        try:
            with prefixed_errors(str(path)):
                return cls.model_validate(data)
        except ValidationError as error:
            raise UserError(f"{path}: {describe(error)}") from None


def grid(params: Params) -> Iterator[dict[str, Any]]:
    """Every combination of the values of parameters that have a list of values."""
    for values in product(*(_values(value) for value in params.values())):
        yield dict(zip(params, values, strict=True))


def _values(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _check_axes(axes: Mapping[str, object]) -> None:
    """Refuse an empty list, and a list with the same value twice."""
    for name, axis in axes.items():
        values = list(axis) if isinstance(axis, list | tuple) else [axis]
        if not values:
            raise ValueError(f"{name} is an empty list; name at least one")
        repeated = next((value for value in values if values.count(value) > 1), None)
        if repeated is not None:
            raise ValueError(f"{name} names {repeated!r} twice; once is enough")


def _checked(kind: type[BaseModel], values: object) -> BaseModel:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise ValueError(describe(error).rstrip(".")) from None
