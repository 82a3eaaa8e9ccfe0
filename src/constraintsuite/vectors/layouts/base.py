"""The contract of this folder, and what its members share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from constraintsuite.errors import UserError
from constraintsuite.store.files import atomic_writer
from constraintsuite.vectors.bundle import Bundle


class Exporter(Protocol):
    """Writes a bundle in another form."""

    def __call__(self, bundle: Bundle, out: Path, encoder: str | None) -> list[str]:
        """Write into the empty folder `out`; gives what a user should know of what could not be carried over."""


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines, each ended by one LF."""
    with atomic_writer(path) as file:
        for line in lines:
            file.write(line.encode() + b"\n")


def require_plain(kind: str, name: str, forbidden: str, where: str) -> str:
    """The name, or a UserError if it holds a character that the form cannot carry."""
    found = next((character for character in name if character in forbidden), None)
    if found is not None:
        raise UserError(f"The {kind} {name!r} holds {found!r}, which {where} cannot carry. Choose another layout.")
    return name
