"""Files and folders on the command line. A folder may be a URL of an object store, which is mirrored in a local folder."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.core.store.mirror_push import Mirror


class UrlUse(Enum):
    """What a command does with the folder of a URL."""

    READ = auto()
    """It is pulled without unfinished stages."""
    WRITE = auto()
    """All of it is pulled, since the command may resume work there. It is pushed when the command succeeds: finished
    artifacts are pushed before, so this is for pages, exports and other files."""
    MANY = auto()
    """Nothing is pulled: the folder holds many results, and the command calls `take_folder` for its own."""
    REFUSE = auto()
    """Raises UserError if the path is a URL."""


class FolderParameter(click.Path):
    """A path; the URL of an object store gives the folder of its local mirror."""

    def __init__(self, use: UrlUse = UrlUse.READ, **options: Any) -> None:  # noqa: ANN401 - those of click.Path
        super().__init__(path_type=Path, **options)
        self.use = use

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Turn a path or an address such as s3://bucket/folder into the local folder that holds its files."""
        text = os.fspath(value)
        if "://" not in text:
            return super().convert(value, param, ctx)
        from constraintsuite.core.store.mirror import is_url, open_mirror

        if not is_url(text):
            return super().convert(value, param, ctx)
        if self.use is UrlUse.REFUSE:
            raise UserError(
                f"{text}: this must be a local folder. Judgments are kept in a database, which an object store cannot hold. "
                "Give a path."
            )
        mirror = open_mirror(text)
        if self.use is not UrlUse.MANY:
            _pull(mirror, mirror.root, stages=self.use is UrlUse.WRITE)
        if self.use is UrlUse.WRITE and ctx is not None:
            ctx.call_on_close(lambda: _push(mirror, mirror.root))
        return super().convert(mirror.root, param, ctx)


def take_folder(folder: Path) -> Path:
    """Pull one folder below a `RUNS` folder in order to write it, and push it when the command succeeds."""
    from constraintsuite.core.store.mirror import mirror_of

    mirror = mirror_of(folder)
    if mirror is not None:
        _pull(mirror, folder, stages=True)
        click.get_current_context().call_on_close(lambda: _push(mirror, folder))
    return folder


def _pull(mirror: Mirror, folder: Path, *, stages: bool) -> None:
    """Pull a folder, after any other command on this machine has stopped writing it."""
    from constraintsuite.core.store.files import folder_lock

    in_use = (folder / ".lock").exists()
    with folder_lock(folder, shared=True) if in_use else nullcontext():
        mirror.pull(folder, stages=stages)


def _push(mirror: Mirror, folder: Path) -> None:
    """Push a folder unless the command failed; then the files stay here for the next attempt."""
    error = sys.exc_info()[1]
    if folder.exists() and (error is None or isinstance(error, click.exceptions.Exit | SystemExit)):
        mirror.push(folder)


FILE = click.Path(path_type=Path, dir_okay=False)
"""A file to read or write."""
FOLDER = FolderParameter(file_okay=False)
"""A folder to read."""
OUT = FolderParameter(UrlUse.WRITE, file_okay=False)
"""A folder to write, or to read and write."""
RUNS = FolderParameter(UrlUse.MANY, file_okay=False)
"""A folder of many runs, of which a command writes one or more."""
HERE = FolderParameter(UrlUse.REFUSE, file_okay=False)
"""A folder in which people judge; it must be on this machine."""
