"""What a report leaves in its folder: the page, and its tables and pictures as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.reports.formats import EXPORTED, FORMATS
from constraintsuite.reports.page import Masthead, render_page
from constraintsuite.reports.sections.base import Section
from constraintsuite.store.files import write_text

PAGE, TABLES, PLOTS = "index.html", "tables", "plots"
TABLE_FILES = tuple(f"{TABLES}/*.{ending}" for ending in EXPORTED.values())
PLOT_FILES = (f"{PLOTS}/*.svg",)
_FOR_PROGRAMS = ("csv", "json")


def write_files(folder: Path, head: Masthead, sections: Sequence[Section]) -> int:
    """The page, and each table in each format; gives how many tables there were."""
    write_text(folder / PAGE, render_page(head, sections))
    tables = [table for section in sections for table in section.tables()]
    for table in tables:
        for name in _FOR_PROGRAMS if table.long else EXPORTED:
            write_text(folder / TABLES / f"{table.name}.{EXPORTED[name]}", FORMATS.load(name)(table))
    return len(tables)


def write_plots(folder: Path, sections: Sequence[Section]) -> None:
    """Each picture of the page, for a paper."""
    for section in sections:
        for drawing in section.drawings():
            write_text(folder / PLOTS / f"{drawing.name}.svg", str(drawing))
