"""Tables that a terminal has room for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from textwrap import fill

from constraintsuite.records.tables import Table

WIDTH = 100
_FURTHER = "The same, further columns:"


def fitted(table: Table, width: int = WIDTH) -> Iterator[str]:
    """The table, where it must be in pieces that each have the first column; a line is longer only where one column is."""
    caption, left = table.caption, list(range(1, len(table.columns)))
    while left or caption == table.caption:
        fits = max((n for n in range(1, len(left) + 1) if _width(_part(table, left[:n], "")) <= width), default=1)
        yield str(_part(table, left[:fits], fill(caption, width)))
        caption, left = _FURTHER, left[fits:]


def _part(table: Table, columns: list[int], caption: str) -> Table:
    chosen = [0, *columns]
    rows = tuple(tuple(row[i] for i in chosen) for row in table.rows)
    return replace(table, caption=caption, columns=tuple(table.columns[i] for i in chosen), rows=rows)


def _width(table: Table) -> int:
    return max(map(len, str(table).splitlines()))
