"""Files and folders on the command line; a folder may be a URL of an object store, which becomes the folder of its mirror."""

# The store is imported when a URL is given, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.core.store.mirror_push import Mirror


class FolderParameter(click.Path):
    """A path as click has it; a URL is pulled and gives the folder of its mirror.

    What is only read comes without its stages. With `written`, all of it comes, since the command may go on with it, and
    what it leaves there is pushed when it ends well. Finished artifacts have been by then: this is for pages, exports and
    what lies beside them. Of a folder of `many`, nothing comes before `taken` says what.
    """

    def __init__(self, *, written: bool = False, many: bool = False, **options: Any) -> None:  # noqa: ANN401 - those of click.Path
        super().__init__(path_type=Path, **options)
        self.written = written
        self.many = many

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """The folder here."""
        text = os.fspath(value)
        if "://" not in text:
            return super().convert(value, param, ctx)
        from constraintsuite.core.store.mirror import is_url, open_mirror

        if not is_url(text):
            return super().convert(value, param, ctx)
        mirror = open_mirror(text)
        if not self.many:
            _pull(mirror, mirror.root, stages=self.written)
        if self.written and ctx is not None:
            ctx.call_on_close(lambda: _push(mirror, mirror.root))
        return super().convert(mirror.root, param, ctx)


class Local(click.Path):
    """A path as click has it; a URL is a UserError."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - those of click.Path
        super().__init__(path_type=Path, **options)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """The folder."""
        from constraintsuite.core.store.mirror import is_url

        if is_url(os.fspath(value)):
            raise UserError(
                f"{os.fspath(value)}: this must be a local folder. Judgments are kept in a database, which an object "
                "store cannot hold. Give a path."
            )
        return super().convert(value, param, ctx)


def taken(folder: Path) -> Path:
    """One folder of many, to write to: what is there comes, and what the command leaves there is pushed when it ends well."""
    from constraintsuite.core.store.mirror import mirror_of

    mirror = mirror_of(folder)
    if mirror is not None:
        _pull(mirror, folder, stages=True)
        click.get_current_context().call_on_close(lambda: _push(mirror, folder))
    return folder


def _pull(mirror: Mirror, folder: Path, *, stages: bool) -> None:
    """Not while another command of this machine writes to the folder."""
    from constraintsuite.core.store.files import folder_lock

    at_work = (folder / ".lock").exists()
    with folder_lock(folder, shared=True) if at_work else nullcontext():
        mirror.pull(folder, stages=stages)


def _push(mirror: Mirror, folder: Path) -> None:
    """Only what a command left that ended well: what one left that failed waits here for the next."""
    error = sys.exc_info()[1]
    if folder.exists() and (error is None or isinstance(error, click.exceptions.Exit | SystemExit)):
        mirror.push(folder)


FILE = click.Path(path_type=Path, dir_okay=False)
"""A file that is read or written."""
FOLDER = FolderParameter(file_okay=False)
"""A folder that is read."""
OUT = FolderParameter(file_okay=False, written=True)
"""A folder that is written, or read and written."""
RUNS = FolderParameter(file_okay=False, many=True)
"""A folder of all runs, of which a command takes its own."""
HERE = Local(file_okay=False)
"""A folder in which people judge."""
