"""Tables by group: the page leaves small groups out, the files have all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from constraintsuite.records.sections import TableBlock
from constraintsuite.records.tables import Table
from constraintsuite.reports.grouped import without_small


class GroupSheets(NamedTuple):
    """What a section shows and what it leaves in files."""

    blocks: tuple[TableBlock, ...]
    files: tuple[Table, ...]
    """The whole tables, where the page has only a part."""


def group_sheets(tables: Iterable[Table]) -> GroupSheets:
    """The tables without rows of fewer than ten examples; one of which no row is left stands in files only."""
    both = [(table, without_small(table)) for table in tables]
    return GroupSheets(
        tuple(TableBlock(shown) for _, shown in both if shown.rows),
        tuple(whole for whole, shown in both if len(shown) < len(whole)),
    )
