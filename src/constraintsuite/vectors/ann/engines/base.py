"""The one contract of an engine, and what several engines need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors

_ALONE = {"hnswlib": "pip install hnswlib (it is compiled on your machine, which needs a C++ compiler)"}
"""Libraries that are not in the extra [ann], because pip has no finished ones of them."""


class EngineSettings(BaseModel):
    """Parameters of a build or of a search; a key that is not known is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)


class AnnEngine(ABC):
    """Builds an index of vectors, and finds rows near a query with it; each engine is a subclass in a file of its own."""

    build_settings: ClassVar[type[EngineSettings]] = EngineSettings
    search_settings: ClassVar[type[EngineSettings]] = EngineSettings
    library: ClassVar[str]
    """The distribution whose version decides what it does."""
    revision: ClassVar[int]
    """Of our own file: raised when the same settings would find other rows, or cost something else. Part of the key of a cell."""
    exact: bool = False
    """Whether it compares everything, as it is built and configured now: such an engine is no ANN."""

    # Each engine has its own type of settings, which the benchmark file was checked against.
    def __init__(self, settings: Any, metric: VectorMetric, threads: int) -> None:  # noqa: ANN401
        """Keep what the index is made of; nothing is built or connected yet."""
        self._settings, self._threads = settings, threads
        self._metric: VectorMetric = metric
        self._index: Any = None

    @classmethod
    @abstractmethod
    def expected_bytes(cls, settings: Any, rows: int, dimensions: int) -> int:  # noqa: ANN401
        """About what `bytes` will be, before anything is built."""

    @abstractmethod
    def build(self, vectors: Vectors) -> None:
        """Make the index; rows are numbered from 0."""

    def configure(self, settings: Any, threads: int) -> None:  # noqa: ANN401
        """Set what the next searches do; without parameters of its own, an engine only takes over the threads."""
        self._threads = threads

    @abstractmethod
    def search(self, queries: Vectors, k: int) -> IntArray:
        """Rows of the `k` best of each query, best first, -1 where there are no more; called from several threads.

        This is what the clock measures: the call that a user of the library makes, and nothing that he would do once and before.
        Queries are contiguous 32-bit numbers.
        """

    @abstractmethod
    def bytes(self) -> int | None:
        """What the index takes where it lives, the vectors in it included; None where nobody can tell."""

    def close(self) -> None:
        """Give back what it holds, also outside this process."""
        self._index = None


class PersistentEngine(AnnEngine):
    """An engine whose index can be kept in a folder."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the index into an empty folder."""

    @abstractmethod
    def load(self, folder: Path) -> None:
        """Read it back, instead of building it."""


class ServedEngine(AnnEngine):
    """An engine that lives in a server, so that clients in other processes can ask it too."""

    place: str | None
    """What the index is called on the server, which clients in other processes search; None where only this process reaches it."""

    @classmethod
    @abstractmethod
    def server(cls, settings: Any) -> str | None:  # noqa: ANN401
        """What answers, with its versions; None where nobody answers."""

    @abstractmethod
    def detach(self) -> None:
        """Close all connections; the index stays."""


def require(module: str, engine: str) -> Any:  # noqa: ANN401 - most of these libraries have no types
    """A library that an engine needs, or the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise not_installed(module, engine) from None


def not_installed(library: str, engine: str) -> UserError:
    """What to tell of a library that is missing: what pip can install."""
    if library in _ALONE:
        return UserError(f"The engine {engine} needs a library that is not in the extra [ann]: {_ALONE[library]}")
    return MissingExtraError("ann", f"The engine {engine}")
