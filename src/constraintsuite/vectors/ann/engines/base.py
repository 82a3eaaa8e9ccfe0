"""The one contract of an engine, and what several engines need."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from constraintsuite.errors import MissingExtraError, UserError
from constraintsuite.vectors.ann.data import IntArray, Metric, Vectors

MISSING = -1
"""Stands where an engine found fewer rows than it was asked for; a row is never repeated to fill a place."""
ALL_METRICS: frozenset[Metric] = frozenset({"cosine", "dot", "euclidean"})
_BLOCK = 16_384  # rows that are prepared at a time, so that mapped vectors are never copied as a whole
_ENVIRONMENT = "env:"


class Settings(BaseModel):
    """Parameters of a build or of a search; a key that is not known is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Engine(Protocol):
    """Builds an index of vectors, and finds rows near a query with it."""

    build_settings: ClassVar[type[Settings]]
    search_settings: ClassVar[type[Settings]]
    metrics: ClassVar[frozenset[Metric]]
    library: ClassVar[str]
    """The distribution whose version decides what it does."""
    revision: ClassVar[int]
    """Of our own file: raised when the same settings would find other rows, or cost something else. Part of the key of a cell."""

    # Each engine has its own type of settings, which the benchmark file was checked against.
    def __init__(self, settings: Any, metric: Metric, threads: int) -> None:  # noqa: ANN401
        """Nothing is built or connected yet."""

    @classmethod
    def expected_bytes(cls, settings: Any, rows: int, dimensions: int) -> int:  # noqa: ANN401
        """About what `bytes` will be, before anything is built."""

    @property
    def exact(self) -> bool:
        """Whether it compares everything, as it is built and configured now: such an engine is no ANN."""

    def build(self, vectors: Vectors) -> None:
        """Make the index; rows are numbered from 0."""

    def configure(self, settings: Any, threads: int) -> None:  # noqa: ANN401
        """Set what the next searches do."""

    def search(self, queries: Vectors, k: int) -> IntArray:
        """Rows of the `k` best of each query, best first, -1 where there are no more; called from several threads."""

    def bytes(self) -> int | None:
        """What the index takes where it lives, the vectors in it included; None where nobody can tell."""

    def close(self) -> None:
        """Give back what it holds outside this process."""


@runtime_checkable
class Persistent(Protocol):
    """An engine whose index can be kept in a folder."""

    def save(self, folder: Path) -> None:
        """Write the index into an empty folder."""

    def load(self, folder: Path) -> None:
        """Read it back, instead of building it."""


@runtime_checkable
class Served(Protocol):
    """An engine that lives in a server, so that clients in other processes can ask it too."""

    @classmethod
    def server(cls, settings: Any) -> str | None:  # noqa: ANN401
        """What answers, with its versions; None where nobody answers."""

    def place(self) -> str | None:
        """What the index is called on the server; None where only this process reaches it."""

    def attach(self, place: str) -> None:
        """Search what another process has built."""

    def detach(self) -> None:
        """Close all connections; the index stays."""


def require(module: str, engine: str) -> Any:  # noqa: ANN401 - most of these libraries have no types
    """A library of the extra [ann], or the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError("ann", f"The engine {engine}") from None


def blocks(vectors: Vectors, *, unit: bool = False) -> Iterator[tuple[int, Vectors]]:
    """Consecutive rows with the number of the first, as contiguous floats, of length 1 if `unit`."""
    for start in range(0, len(vectors), _BLOCK):
        block = np.ascontiguousarray(vectors[start : start + _BLOCK], dtype=np.float32)
        yield start, unit_rows(block) if unit else block


def unit_rows(vectors: Vectors) -> Vectors:
    """Each row at length 1; a zero vector stays one, and so has the score 0."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    unit: Vectors = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit


def filled(rows: IntArray, k: int) -> IntArray:
    """The rows with -1 behind them, up to `k` columns."""
    wide = np.full((len(rows), k), MISSING, dtype=np.int64)
    wide[:, : rows.shape[1]] = rows
    return wide


def save_arrays(folder: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """For engines of our own: one file of NumPy's form each."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


def load_arrays(folder: Path) -> dict[str, npt.NDArray[Any]]:
    """What `save_arrays` wrote, in memory."""
    return {file.stem: np.load(file, allow_pickle=False) for file in sorted(folder.glob("*.npy"))}


def address(text: str) -> str:
    """Where a server is: the text itself, or for `env:NAME` what that variable holds, so that no secret is recorded."""
    if not text.startswith(_ENVIRONMENT):
        return text
    name = text.removeprefix(_ENVIRONMENT)
    if not os.environ.get(name):
        raise UserError(f"The environment variable {name} is not set; it must hold the address of the server.")
    return os.environ[name]


def without_password(text: str) -> str:
    """The same text; one with a password in it is refused, because settings are written into results."""
    if not text.startswith(_ENVIRONMENT) and (urlsplit(text).password or "password=" in text):
        raise ValueError("the address holds a password, and settings are recorded; put it into a variable: env:NAME")
    return text
