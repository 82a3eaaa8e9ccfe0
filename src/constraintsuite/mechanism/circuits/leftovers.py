"""Half-written files of a command that was killed."""

from __future__ import annotations

from pathlib import Path


def remove_leftovers(folder: Path) -> None:
    """Take away what a killed command left of files it was writing; only for one who holds the folder's lock."""
    for path in folder.glob(".*.tmp-*"):
        path.unlink(missing_ok=True)
