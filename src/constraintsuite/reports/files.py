"""What a report leaves in its folder: the page, and its tables and pictures as files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from constraintsuite.errors import UserError
from constraintsuite.records.formats import EXPORTED, FORMATS
from constraintsuite.records.sections import Section
from constraintsuite.reports.page import Masthead, render_page
from constraintsuite.store.files import write_text

if TYPE_CHECKING:
    from constraintsuite.reports.first_page import FirstPage

PAGE, TABLES, PLOTS = "index.html", "tables", "plots"
TABLE_FILES = tuple(f"{TABLES}/*.{ending}" for ending in EXPORTED.values())
PLOT_FILES = (f"{PLOTS}/*.svg",)
_FOR_PROGRAMS = ("csv", "json")
_ONE_FILE = re.compile(r"[^./\\\0][^/\\\0]*")


def write_files(folder: Path, head: Masthead, sections: Sequence[Section], first: FirstPage | None = None) -> int:
    """The page, and each table in each format; gives how many tables there were.

    A table of which the page shows only a part is written whole: it stands under the same name in `files` of its section.
    """
    tables = {table.name: table for section in sections for table in section.tables()}
    _refuse_paths(tables)
    write_text(folder / PAGE, render_page(head, sections, first))
    for table in tables.values():
        for name in _FOR_PROGRAMS if table.long else EXPORTED:
            write_text(folder / TABLES / f"{table.name}.{EXPORTED[name]}", FORMATS.load(name)(table))
    return len(tables)


def write_plots(folder: Path, sections: Sequence[Section]) -> None:
    """Each picture of the page, for a paper."""
    drawings = [drawing for section in sections for drawing in section.drawings()]
    _refuse_paths(drawing.name for drawing in drawings)
    for drawing in drawings:
        write_text(folder / PLOTS / f"{drawing.name}.svg", str(drawing))


def _refuse_paths(names: Iterable[str]) -> None:
    """Names may come from a run that somebody else made: no file is written outside the folder of the report."""
    for name in names:
        if not _ONE_FILE.fullmatch(name):
            raise UserError(f"{name!r} is no name of a file in a report. Was the run edited?")
