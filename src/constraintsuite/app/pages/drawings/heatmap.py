"""Grids of coloured cells: tokens of a query by tokens of a text, and layers of a model by heads or roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from constraintsuite.app.pages.drawings.svg import WIDTH, Drawing, element, hint, shortened, words

_LEFT, _ROW, _EDGE, _FOOT = 42, 20, 8, 26
_LETTER = 6.2  # height per letter of a slanted label
_DIGIT = 7.0  # width of a digit
_WIDEST = 34.0
_GAP = 10.0  # between parts of a map
_LONGEST_LABEL = 12
_TOKENS, _LONGEST_TOKEN = 110, 14  # width of the token labels, and their longest length
MOST_ROWS = 80
"""Tokens of a text that a map shows."""
_KEY, _STEPS, _LINE = 96, 12, 16  # width of a scale under the map, its shades, and the height of its line


@dataclass(frozen=True, slots=True)
class MapCell:
    """A cell of a map; without a value it is drawn empty. `words` are shown when the pointer rests on it."""

    value: float | None
    words: str
    framed: bool = False


@dataclass(frozen=True, slots=True)
class MapColumns:
    """Columns that share a scale."""

    columns: Sequence[str]
    rows: Sequence[Sequence[MapCell]]
    """One row of cells for each row of the map."""
    name: str = ""
    """The label of the scale; empty if the map has one scale."""

    @property
    def cells(self) -> list[MapCell]:
        """The cells that have a value."""
        return [cell for row in self.rows for cell in row if cell.value is not None]

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max((abs(cell.value or 0.0) for cell in self.cells), default=0.0)


def site_map(
    name: str,
    title: str,
    rows: Sequence[str],
    parts: Sequence[MapColumns],
    note: str = "",
    frame: str = "",
    beside: int = _LEFT,
) -> Drawing:
    """A grid of coloured cells: blue above 0, orange below; the larger a value within its part, the stronger its colour.

    `frame` is the meaning of a frame around a cell, and `beside` the width of the labels of rows.
    """
    columns = [column for part in parts for column in part.columns]
    width = min(_WIDEST, (WIDTH - beside - _EDGE - _GAP * (len(parts) - 1)) / len(columns))
    slanted = max(map(len, columns)) * 7 > width
    head = 14 + _LETTER * max(len(shortened(one, _LONGEST_LABEL)) for one in columns) if slanted else 22.0
    drawn = [
        words(row, x=beside - 6, y=head + _ROW * i + 14, class_="token", text_anchor="end")
        for i, row in enumerate(rows)
    ]
    left = float(beside)
    for part in parts:
        drawn += [_heading(label, left + width * (i + 0.5), head - 7, slanted) for i, label in enumerate(part.columns)]
        drawn += _cells(part, left, head, width)
        left += width * len(part.columns) + _GAP
    bottom = head + _ROW * len(rows)
    foot = list(chain.from_iterable(_scale(part, bottom + 12 + _LINE * i) for i, part in enumerate(parts)))
    if note:
        foot.append(words(shortened(note, 30), x=WIDTH - _EDGE, y=bottom + 21, class_="tick", text_anchor="end"))
    lines = len(parts)
    if frame and any(cell.framed for part in parts for cell in part.cells):
        foot += _frame_key(frame, bottom + 12 + _LINE * lines)
        lines += 1
    description = "; ".join(cell.words for part in parts for cell in part.cells)
    height = bottom + _FOOT + _LINE * lines
    return Drawing(
        name, title, f"{note}: {description}" if note else description, WIDTH, height, "".join([*drawn, *foot])
    )


def heat_map(
    name: str,
    title: str,
    query_tokens: Sequence[str],
    text_tokens: Sequence[str],
    matrix: npt.NDArray[np.floating],  # (query tokens, text tokens)
) -> Drawing:
    """Columns are tokens of the query, rows are tokens of the text; a frame marks the best match of each query token."""
    best = matrix.argmax(axis=1)
    likeness = matrix.max(axis=0).astype(np.float64)
    likeness[best] = np.inf
    shown = sorted(np.argsort(-likeness, kind="stable")[:MOST_ROWS].tolist())  # in the order of the text
    cells = [
        [
            MapCell(
                float(matrix[i, row]), f"{token} and {text_tokens[row]}: {matrix[i, row]:.3f}", framed=best[i] == row
            )
            for i, token in enumerate(query_tokens)
        ]
        for row in shown
    ]
    labels = [shortened(text_tokens[row], _LONGEST_TOKEN) for row in shown]
    frame = "best match of a query token"
    drawn = site_map(name, title, labels, [MapColumns(query_tokens, cells)], frame=frame, beside=_TOKENS)
    description = "; ".join(f"{token} is matched by {text_tokens[best[i]]}" for i, token in enumerate(query_tokens))
    if left_out := len(text_tokens) - len(shown):
        description += f"; the {left_out} tokens least like any of the query are left out"
    return replace(drawn, description=description)


def _cells(part: MapColumns, left: float, head: float, width: float) -> Iterator[str]:
    for line, row in enumerate(part.rows):
        for column, cell in enumerate(row):
            yield from _cell(cell, left + width * column, head + _ROW * line, width, part.largest)


def _cell(cell: MapCell, x: float, y: float, width: float, largest: float) -> Iterator[str]:
    place = {"x": x, "y": y, "width": width - 1, "height": float(_ROW - 1)}
    if cell.value is None:
        yield element("rect", hint(cell.words), class_="open", **place)
        return
    heat = abs(cell.value) / largest if largest else 0.0
    side = "above" if cell.value >= 0 else "below"
    yield element("rect", class_="open", **place)
    yield element("rect", hint(cell.words), class_=side, fill_opacity=round(heat, 3), **place)
    if cell.framed:
        inner = {"x": x + 0.75, "y": y + 0.75, "width": width - 2.5, "height": _ROW - 2.5}
        yield element("rect", class_="winner", **inner)


def _heading(label: str, x: float, y: float, slanted: bool) -> str:
    if not slanted:
        return words(label, x=x, y=y, class_="token", text_anchor="middle")
    turned = f"rotate(-60 {x:.2f} {y:.2f})"
    return words(shortened(label, _LONGEST_LABEL), x=x, y=y, class_="token", transform=turned)


def _scale(part: MapColumns, y: float) -> Iterator[str]:
    """The scale of a part; it starts at 0 if no value is negative."""
    signed = any(cell.value is not None and cell.value < 0 for cell in part.cells)
    first = -_STEPS if signed else 0
    wide = _KEY / (_STEPS - first)
    lowest, highest = f"−{part.largest:.2g}" if signed else "0", f"{part.largest:.2g}"
    left = _EDGE + _DIGIT * len(lowest) + 4
    yield words(lowest, x=left - 4, y=y + 9, class_="tick", text_anchor="end")
    for number in range(first, _STEPS):
        strength = (abs(number + 0.5) + 0.5) / _STEPS
        side = "above" if number >= 0 else "below"
        x = left + wide * (number - first)
        yield element("rect", x=x, y=y, width=wide, height=9, class_=side, fill_opacity=round(strength, 3))
    named = f"{highest} {part.name}" if part.name else highest
    yield words(named, x=left + _KEY + 4, y=y + 9, class_="tick")


def _frame_key(meaning: str, y: float) -> Iterator[str]:
    yield element("rect", class_="winner", x=_EDGE + 1.0, y=y - 0.5, width=16.0, height=10.0)
    yield words(meaning, x=_EDGE + 24, y=y + 9, class_="tick")
