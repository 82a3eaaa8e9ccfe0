"""Markdown, for an issue or a README."""

from __future__ import annotations

from constraintsuite.core.records.figures import PrintedFigure
from constraintsuite.core.records.tables import Table


def markdown_table(table: Table) -> str:
    """The table with its caption below it."""
    rules = [":--" if column.kind == "text" else "--:" for column in table.columns]
    lines = [_line([column.heading for column in table.columns]), _line(rules)]
    lines += [_line([_in_words(figure) for figure in row]) for row in table.figures()]
    return "\n".join([*lines, *(["", " ".join(table.caption.split())] if table.caption else []), ""])


def _in_words(figure: PrintedFigure) -> str:
    bounds = f" ({figure.bounds})" if figure.bounds else ""
    return f"{figure.value}{bounds}" + (f", {figure.n}" if figure.n else "")


def _line(cells: list[str]) -> str:
    escaped = (" ".join(cell.split()).replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
