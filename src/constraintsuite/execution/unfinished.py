"""Folders of shards that are done, of work that is not."""

from __future__ import annotations

import shutil
from pathlib import Path

from constraintsuite.execution.travel import clear
from constraintsuite.store.files import remove_leftovers, write_text

_MARK = ".working"


def keep_same(folder: Path, work: str) -> Path:
    """Keep the finished shards of the very same work, named by its hash, and nothing else; gives the folder."""
    mark = folder / _MARK
    remove_leftovers(folder)
    if not (mark.is_file() and mark.read_text(encoding="utf-8") == work):
        forget(folder)
        folder.mkdir(parents=True)
        write_text(mark, work)
    return folder


def forget(folder: Path) -> None:
    """Take the folder away, also out of an object store."""
    shutil.rmtree(folder, ignore_errors=True)
    clear(folder)


def is_unfinished_work(folder: Path) -> bool:
    """Whether `keep_same` made the folder."""
    return (folder / _MARK).is_file()
