"""What all formats share: how they are written in a benchmark file, and how paths are read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from constraintsuite.errors import UserError
from constraintsuite.retrieval.base import Passages
from constraintsuite.vectors.ann.data import BenchmarkVectors


@dataclass(frozen=True)
class Texts:
    """The texts behind vectors, and who searches them without the vectors."""

    retrievers: tuple[str, ...]
    content: str
    """Hash of the texts."""
    passages: Callable[[int], Passages]
    """Of the first so many rows."""
    queries: Callable[[], Sequence[str]]
    """Of all queries of the source."""


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

    def texts(self, folder: Path) -> Texts | None:
        """The texts, if there are any and someone is to search them."""
        return None


def existing(folder: Path, path: str) -> Path:
    """The file or folder that a benchmark file names."""
    found = folder / path
    if not found.exists():
        raise UserError(f"{found}: there is no such file. Paths in a benchmark file start where that file lies.")
    return found
