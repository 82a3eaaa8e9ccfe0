"""What all data formats share: their options in a benchmark file, and how paths are resolved."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import PositiveInt

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.vectors.ann.data import BenchmarkVectors

if TYPE_CHECKING:  # pyarrow, which it needs, need not be there for other formats
    from constraintsuite.vectors.bundle import Bundle


class TextSearch(NamedTuple):
    """Retrievers that search the texts of a bundle without its vectors."""

    bundle: Bundle
    retrievers: tuple[str, ...]


class VectorSourceSettings(StrictModel):
    """The options of one format; `load` reads the data."""

    limit: PositiveInt | None = None
    """Use only the first base vectors."""
    query_limit: PositiveInt | None = None
    """Use only the first queries."""
    drop_overlap: bool = False
    """Leave out queries that equal a base vector."""

    @abstractmethod
    def load(self, name: str, folder: Path) -> BenchmarkVectors:
        """Read the data; relative paths start at `folder`."""

    def locked(self, folder: Path) -> AbstractContextManager[None]:
        """Lock the data while the block runs, if the format has a lock."""
        return nullcontext()

    def texts(self, folder: Path) -> TextSearch | None:
        """The texts of the vectors, if retrievers are named."""
        return None


def existing_path(folder: Path, path: str) -> Path:
    """The path of a file or folder that a benchmark file names; it must exist."""
    found = folder / path
    if not found.exists():
        raise UserError(f"{found}: there is no such file. Relative paths start at the folder of the benchmark file.")
    return found
