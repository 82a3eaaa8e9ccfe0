"""Wide tables in a terminal of 100 columns: figures without their n, which the caption tells."""

from __future__ import annotations

from constraintsuite.records.figures import CellValue, ColumnKind, show
from constraintsuite.records.scores import Interval
from constraintsuite.records.tables import Table

_WIDTH = 110


def narrow(table: Table) -> str:
    """Each figure with its interval under it; as many columns side by side as fit, the rest below."""
    body = [
        [_lines(value, column.kind) for value, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    widths = [
        max(len(text) for cell in [[column.heading], *(row[place] for row in body)] for text in cell)
        for place, column in enumerate(table.columns)
    ]
    blocks, start = [], 1
    while start < len(widths):
        end, taken = start, widths[0]
        while end < len(widths) and (taken + 2 + widths[end] <= _WIDTH or end == start):
            taken += 2 + widths[end]
            end += 1
        blocks.append(_block(table, body, widths, [0, *range(start, end)]))
        start = end
    return "\n\n".join([table.caption, *blocks])


def _block(table: Table, body: list[list[list[str]]], widths: list[int], places: list[int]) -> str:
    lines = [_line([table.columns[place].heading for place in places], [widths[place] for place in places])]
    lines.append("  ".join("─" * widths[place] for place in places))
    for row in body:
        for number in range(max(len(row[place]) for place in places)):
            cells = [row[place][number] if number < len(row[place]) else "" for place in places]
            lines.append(_line(cells, [widths[place] for place in places]))
    return "\n".join(lines)


def _line(cells: list[str], widths: list[int]) -> str:
    first, *others = cells
    return "  ".join([first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(others, widths[1:], strict=True))]).rstrip()


def _lines(value: CellValue, kind: ColumnKind) -> list[str]:
    figure = show(value, kind)
    return [figure.value, figure.bounds] if isinstance(value, Interval) and figure.bounds else [figure.value]
