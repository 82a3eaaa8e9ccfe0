"""Folders on the command line: paths, or URLs of object stores, which become the folders of their mirrors."""

# The store is imported when a URL is given, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from constraintsuite.store.mirror import Mirror


class Place(click.Path):
    """A path as click has it; a URL is pulled and gives the folder of its mirror.

    With `written`, what the command leaves there is pushed when it ends well. Finished artifacts have been by then: this
    is for pages, exports and what lies beside them.
    """

    def __init__(self, *, written: bool = False, **options: Any) -> None:  # noqa: ANN401 - those of click.Path
        super().__init__(path_type=Path, **options)
        self.written = written

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """The folder here."""
        text = os.fspath(value)
        if "://" not in text:
            return super().convert(value, param, ctx)
        from constraintsuite.store.mirror import is_url, open_mirror

        if not is_url(text):
            return super().convert(value, param, ctx)
        mirror = open_mirror(text)
        _pull(mirror)
        if self.written and ctx is not None:
            ctx.call_on_close(lambda: _push(mirror))
        return super().convert(mirror.root, param, ctx)


def _pull(mirror: Mirror) -> None:
    """Not while another command of this machine writes to the mirror."""
    from constraintsuite.store.files import folder_lock

    at_work = (mirror.root / ".lock").exists()
    with folder_lock(mirror.root, shared=True) if at_work else nullcontext():
        mirror.pull()


def _push(mirror: Mirror) -> None:
    """Only what a command left that ended well: what one left that failed waits here for the next."""
    error = sys.exc_info()[1]
    if mirror.root.exists() and (error is None or isinstance(error, click.exceptions.Exit | SystemExit)):
        mirror.push(mirror.root)


FOLDER = Place(file_okay=False)
"""A folder that is read."""
OUT = Place(file_okay=False, written=True)
"""A folder that is written, or read and written."""
