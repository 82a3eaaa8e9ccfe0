"""What all formats share: how they are written in a benchmark file, and how paths are read."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import BenchmarkVectors

if TYPE_CHECKING:  # pyarrow, which it needs, need not be there for other formats
    from constraintsuite.vectors.bundle import Bundle


class TextSearch(NamedTuple):
    """Retrievers that search the texts behind vectors, without the vectors."""

    bundle: Bundle
    retrievers: tuple[str, ...]


class VectorSourceSettings(BaseModel):
    """The options of one format; `load` reads what they name."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    limit: int | None = Field(None, ge=1, description="only so many base vectors, the first ones")
    query_limit: int | None = Field(None, ge=1, description="only so many queries, the first ones")
    drop_overlap: bool = Field(False, description="leave out queries that equal a base vector")

    @abstractmethod
    def load(self, name: str, folder: Path) -> BenchmarkVectors:
        """Read the set; relative paths start at `folder`."""

    def locked(self, folder: Path) -> AbstractContextManager[None]:
        """Keeps others from replacing what is read while the block runs, where there is a lock for that."""
        return nullcontext()

    def texts(self, folder: Path) -> TextSearch | None:
        """The texts behind the vectors, if someone is to search them."""
        return None


def existing_path(folder: Path, path: str) -> Path:
    """The file or folder that a benchmark file names."""
    found = folder / path
    if not found.exists():
        raise UserError(f"{found}: there is no such file. Paths in a benchmark file start where that file lies.")
    return found
