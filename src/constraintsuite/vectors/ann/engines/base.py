"""The interface of an engine, and what several engines share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.vectors.ann.data import IntArray, VectorMetric, Vectors

_ALONE = {"hnswlib": "pip install hnswlib (it is compiled on your machine, which needs a C++ compiler)"}
"""Libraries that are not in the extra [ann], because pip must compile them."""


class EngineSettings(StrictModel, hide_input_in_errors=True):
    """Parameters of a build or of a search; unknown keys are refused."""


class AnnEngine(ABC):
    """Builds an index of vectors and searches it; each engine is a subclass in its own file."""

    build_settings: ClassVar[type[EngineSettings]] = EngineSettings
    search_settings: ClassVar[type[EngineSettings]] = EngineSettings
    library: ClassVar[str]
    """The distribution whose version is part of the key of a cell."""
    revision: ClassVar[int]
    """Revision of the engine's file, part of the key of a cell: raise it when the same settings find other rows or take another time."""
    exact: bool = False
    """Whether it compares everything with its current settings."""

    # Each engine has its own type of settings; the benchmark file was validated by it.
    def __init__(self, settings: Any, metric: VectorMetric, threads: int) -> None:  # noqa: ANN401
        """Keep the settings; nothing is built or connected yet."""
        self._settings, self._threads = settings, threads
        self._metric: VectorMetric = metric
        self._index: Any = None

    @classmethod
    @abstractmethod
    def expected_bytes(cls, settings: Any, rows: int, dimensions: int) -> int:  # noqa: ANN401
        """Approximate size of the index before it is built."""

    @abstractmethod
    def build(self, vectors: Vectors) -> None:
        """Build the index; rows are numbered from 0."""

    def configure(self, settings: Any, threads: int) -> None:  # noqa: ANN401
        """Set the parameters of the next searches; by default only the threads."""
        self._threads = threads

    @abstractmethod
    def search(self, queries: Vectors, k: int) -> IntArray:
        """The rows of the `k` nearest vectors of each query, best first, then -1; called from several threads.

        This call is measured, so it should do only what a user of the library does for each search. Queries are contiguous
        32-bit numbers.
        """

    @abstractmethod
    def bytes(self) -> int | None:
        """Size of the index with its vectors; None if not known."""

    def close(self) -> None:
        """Release everything, also outside this process."""
        self._index = None


class PersistentEngine(AnnEngine):
    """An engine whose index can be saved to a folder."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the index into an empty folder."""

    @abstractmethod
    def load(self, folder: Path) -> None:
        """Read the index back."""


class ServedEngine(AnnEngine):
    """An engine in a server, which clients in other processes can search too."""

    place: str | None
    """Name of the index on the server; None if only this process can search it."""

    @classmethod
    @abstractmethod
    def server(cls, settings: Any) -> str | None:  # noqa: ANN401
        """Name and version of the server; None if it does not answer."""

    @abstractmethod
    def detach(self) -> None:
        """Close all connections; the index stays."""


def require(module: str, engine: str) -> Any:  # noqa: ANN401 - most of these libraries have no types
    """Import a library that an engine needs; if it is missing, raise a UserError with the pip command."""
    try:
        return import_module(module)
    except ImportError:
        raise not_installed(module, engine) from None


def not_installed(library: str, engine: str) -> UserError:
    """The error for a missing library, with the pip command."""
    if library in _ALONE:
        return UserError(f"The engine {engine} needs a library that is not in the extra [ann]: {_ALONE[library]}")
    return MissingExtraError("ann", f"The engine {engine}")
