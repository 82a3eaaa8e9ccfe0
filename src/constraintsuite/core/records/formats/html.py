"""HTML, for a page or a notebook."""

from __future__ import annotations

import re
from html import escape

from constraintsuite.core.records.figures import CellValue, LinkedText, plain, show
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, Table, counts_of

_BREAK = re.compile(r"(?<=\w\w)(?:[/:]|,(?!\d{3}\b))(?=\w)")  # but not inside a number such as 1,000


def html_table(table: Table) -> str:
    """A table with a caption and headings for rows and columns; each cell carries the number that the script sorts by."""
    head = "".join(
        f'<th scope="col" class="{column.kind}">{_breakable(column.heading)}</th>' for column in table.columns
    )
    rows = "".join(f"<tr>{_row(table, row)}</tr>\n" for row in table.rows)
    return (
        f"<table><caption>{escape(table.caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table>"
    )


def _row(table: Table, row: tuple[CellValue, ...]) -> str:
    (heading, first), *others = zip(row, table.columns, strict=True)
    counts = set(counts_of(row))
    shared = f"<br><small>n={counts.pop():,}</small>" if len(counts) == 1 else ""  # n is written once per row
    cells = "".join(
        f'<td class="{column.kind}"{_order(value)}>{_figure(value, column, with_n=not shared)}</td>'
        for value, column in others
    )
    return f'<th scope="row" class="{first.kind}"{_order(heading)}>{_figure(heading, first)}{shared}</th>{cells}'


def _figure(value: CellValue, column: Column, *, with_n: bool = True) -> str:
    if isinstance(value, LinkedText):
        return f'<a href="{escape(value.address)}">{_breakable(value.text)}</a>'
    figure = show(value, column.kind)
    more = "<br>".join(escape(part) for part in (figure.bounds, figure.n if with_n else "") if part)
    return _breakable(figure.value) + (f"<br><small>{more}</small>" if more else "")


def _breakable(text: str) -> str:
    """The escaped text, with places where a long name may wrap."""
    return _BREAK.sub(r"\g<0><wbr>", escape(text))


def _order(value: CellValue) -> str:
    """The attribute with the number to sort by; texts and missing values have none."""
    bare = plain(value)
    number = bare.value if isinstance(bare, Interval) else bare
    return "" if isinstance(number, str) or number is None else f' data-order="{number:.9g}"'
