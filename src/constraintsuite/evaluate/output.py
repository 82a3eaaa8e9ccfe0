"""Folders that a command may write to, because they are empty or hold its own earlier output."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.store.artifact import ENVIRONMENT, MANIFEST, Manifest, read_manifest
from constraintsuite.store.files import folder_lock


@contextmanager
def claimed_folder(out: Path, kind: str, name: str) -> Iterator[Manifest | None]:
    """Keeps others out of `out`, and gives the manifest of finished output of this kind and name, if it is there.

    A file, or an artifact of another kind or name, is a UserError.
    """
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: this is a file, not a folder. Choose another --out.")
    manifest = read_manifest(out)
    if manifest is not None and (manifest.kind, manifest.name) != (kind, name):
        raise UserError(f"{out}: here lies the {manifest.kind} {manifest.name!r}. Choose another --out.")
    with folder_lock(out):
        yield read_manifest(out)


def clear_folder(out: Path, files: Collection[str]) -> None:
    """Take the named files of earlier output away; a folder that holds others is a UserError, and left as it is."""
    own = {MANIFEST, ENVIRONMENT, *files}
    foreign = sorted(path.name for path in out.iterdir() if path.name not in own and not path.name.startswith("."))
    if foreign:
        raise UserError(f"{out}: the folder holds {foreign[0]!r}, which is not of this command. Choose another --out.")
    for name in (MANIFEST, *own):  # the manifest first: from now on the folder is unfinished
        (out / name).unlink(missing_ok=True)
