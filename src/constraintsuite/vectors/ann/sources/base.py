"""What all formats share: how they are written in a benchmark file, and how paths are read."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from constraintsuite.errors import UserError
from constraintsuite.vectors.ann.data import VectorSet


class SourceSettings(BaseModel):
    """The options of one format; `load` reads what they name."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    limit: int | None = Field(None, ge=1, description="only so many base vectors, the first ones")
    query_limit: int | None = Field(None, ge=1, description="only so many queries, the first ones")

    @abstractmethod
    def load(self, name: str, folder: Path) -> VectorSet:
        """Read the set; relative paths start at `folder`."""


def existing(folder: Path, path: str) -> Path:
    """The file or folder that a benchmark file names."""
    found = folder / path
    if not found.exists():
        raise UserError(f"{found}: there is no such file. Paths in a benchmark file start where that file lies.")
    return found
