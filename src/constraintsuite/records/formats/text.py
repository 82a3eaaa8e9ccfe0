"""Plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from textwrap import fill

from constraintsuite.records.figures import plain, show
from constraintsuite.records.scores import Interval
from constraintsuite.records.tables import Table

WIDTH = 100
"""Columns of a terminal."""
_FURTHER = "The same, further columns:"


def text_table(table: Table) -> str:
    """Columns side by side, one line a row, the caption above; an n that all figures of a row share has its own column."""
    counts = [[value.n for value in map(plain, row) if isinstance(value, Interval)] for row in table.rows]
    shared = any(len(own) > 1 for own in counts) and all(len(set(own)) == 1 for own in counts)
    cells = [
        [column.heading for column in table.columns],
        *(_line(table, number, shared) for number in range(len(table))),
    ]
    left = [column.kind == "text" for column in table.columns]
    if shared:
        for row, said in zip(cells, ["n", *(f"{own[0]:,}" for own in counts)], strict=True):
            row.insert(1, said)
        left.insert(1, False)
    widths = [max(len(row[place]) for row in cells) for place in range(len(left))]
    lines = [
        "  ".join(c.ljust(w) if to_left else c.rjust(w) for c, w, to_left in zip(row, widths, left, strict=True))
        for row in cells
    ]
    rule = "  ".join("─" * width for width in widths)
    return "\n".join(line.rstrip() for line in (table.caption, "", lines[0], rule, *lines[1:])) + "\n"


def text_parts(table: Table) -> Iterator[str]:
    """The table, where it must be in pieces that each have the first column; a line is longer only where one column is."""
    caption, left = table.caption, list(range(1, len(table.columns)))
    while left or caption == table.caption:
        fits = max((n for n in range(1, len(left) + 1) if _width(_part(table, left[:n], "")) <= WIDTH), default=1)
        yield str(_part(table, left[:fits], fill(caption, WIDTH)))
        caption, left = _FURTHER, left[fits:]


def _line(table: Table, number: int, shared: bool) -> list[str]:
    """The cells of a row; where n is said once for the row, without it."""
    figures = [show(value, column.kind) for value, column in zip(table.rows[number], table.columns, strict=True)]
    return [" ".join(str(figure._replace(n="") if shared else figure).split()) for figure in figures]


def _part(table: Table, columns: list[int], caption: str) -> Table:
    chosen = [0, *columns]
    rows = tuple(tuple(row[i] for i in chosen) for row in table.rows)
    return replace(table, caption=caption, columns=tuple(table.columns[i] for i in chosen), rows=rows)


def _width(table: Table) -> int:
    return max(map(len, str(table).splitlines()))
