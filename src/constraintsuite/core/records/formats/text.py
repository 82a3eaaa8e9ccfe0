"""Plain text, for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from textwrap import fill

from constraintsuite.core.records.figures import PrintedFigure
from constraintsuite.core.records.tables import Table, counts_of

WIDTH = 100
"""Characters per line of a terminal."""
_NAME = 24  # characters that remain for a name next to six stacked figures
_FURTHER = "The same, further columns:"


def text_table(table: Table) -> str:
    """The caption, then one line per row. An n that all figures of a row share gets a column of its own."""
    return _text(table, stacked=False) + "\n"


def text_parts(table: Table, *, stacked: bool = False) -> Iterator[str]:
    """The table cut into pieces that fit the width of a terminal; each piece has the first column.

    With `stacked`, a table that is too wide is first made narrower: the interval and n of a figure are written under its
    value, and long names wrap after a comma or a colon. It is cut only if it is still too wide.
    """
    below = stacked and _width(table, stacked=False) > WIDTH
    caption, left = table.caption, list(range(1, len(table.columns)))
    while left or caption == table.caption:
        lengths = range(1, len(left) + 1)
        fits = max((n for n in lengths if _width(_part(table, left[:n], ""), stacked=below) <= WIDTH), default=1)
        yield _text(_part(table, left[:fits], fill(caption, WIDTH)), stacked=below)
        caption, left = _FURTHER, left[fits:]


def _text(table: Table, *, stacked: bool) -> str:
    counts = list(map(counts_of, table.rows))
    shared = any(len(own) > 1 for own in counts) and all(len(set(own)) == 1 for own in counts)
    rows = [[_lines(f._replace(n="") if shared else f, stacked=stacked) for f in row] for row in table.figures()]
    head = [[column.heading] for column in table.columns]
    if stacked:
        head = [_break(title, _widest(row[place] for row in rows)) for place, (title,) in enumerate(head)]
    left = [column.kind == "text" for column in table.columns]
    if shared:
        for row, said in zip([head, *rows], ["n", *(f"{own[0]:,}" for own in counts)], strict=True):
            row.insert(1, [said])
        left.insert(1, False)
    widths = [_widest(row[place] for row in (head, *rows)) for place in range(len(left))]
    body, rule = [], "  ".join("─" * width for width in widths)
    for row in (head, *rows):
        for line in zip_longest(*row, fillvalue=""):
            cells = zip(line, widths, left, strict=True)
            body.append("  ".join(c.ljust(w) if to_left else c.rjust(w) for c, w, to_left in cells))
    under = max(map(len, head))
    return "\n".join(line.rstrip() for line in (table.caption, "", *body[:under], rule, *body[under:]))


def _lines(figure: PrintedFigure, *, stacked: bool) -> list[str]:
    """The lines of a cell: one line, or its parts below each other."""
    if not stacked:
        return [" ".join(str(figure).split())]
    return [*_break(figure.value, _NAME), *filter(None, figure[1:])]


def _break(text: str, most: int) -> list[str]:
    """The text in lines of at most `most` characters, broken only after a comma or a colon."""
    lines = [""]
    for part in re.split("(?<=[,:])", " ".join(text.split())):
        if lines[-1] and len(lines[-1]) + len(part) > most:
            lines.append("")
        lines[-1] += part if lines[-1] else part.lstrip()
    return lines


def _widest(cells: Iterator[list[str]]) -> int:
    return max((len(line) for cell in cells for line in cell), default=0)


def _part(table: Table, columns: list[int], caption: str) -> Table:
    chosen = [0, *columns]
    rows = tuple(tuple(row[i] for i in chosen) for row in table.rows)
    return replace(table, caption=caption, columns=tuple(table.columns[i] for i in chosen), rows=rows)


def _width(table: Table, *, stacked: bool) -> int:
    return max(map(len, _text(replace(table, caption=""), stacked=stacked).splitlines()))
