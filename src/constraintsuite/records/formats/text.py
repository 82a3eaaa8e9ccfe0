"""Plain text, for a terminal."""

from __future__ import annotations

from constraintsuite.records.figures import PrintedFigure, show
from constraintsuite.records.tables import Table


def text_table(table: Table) -> str:
    """Columns side by side, one line a row, the caption above."""
    body = [
        [_in_words(show(value, column.kind)) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    cells = [[column.title for column in table.columns], *body]
    widths = [max(len(row[place]) for row in cells) for place in range(len(table.columns))]
    left = [column.kind == "text" for column in table.columns]
    lines = [
        "  ".join(c.ljust(w) if to_left else c.rjust(w) for c, w, to_left in zip(row, widths, left, strict=True))
        for row in cells
    ]
    rule = "  ".join("─" * width for width in widths)
    return "\n".join(line.rstrip() for line in (table.caption, "", lines[0], rule, *lines[1:])) + "\n"


def _in_words(figure: PrintedFigure) -> str:
    value = " ".join(figure.value.split())
    return " ".join(part for part in (value, f"[{figure.bounds}]" if figure.bounds else "", figure.n) if part)
