"""Grids of coloured cells: tokens of a query by tokens of a text, and layers of a model by heads or roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from constraintsuite.reports.drawings.svg import WIDTH, Drawing, element, hint, shortened, words

_LABELS, _ROW, _FOOT = 110, 15, 10
_LETTER = 6.0  # height that a letter of a slanted label takes
_WIDEST = 22.0
_LONGEST_TOKEN = 14
MOST_ROWS = 80


def heat_map(
    name: str,
    title: str,
    query_tokens: Sequence[str],
    text_tokens: Sequence[str],
    matrix: npt.NDArray[np.floating],  # (query tokens, text tokens)
) -> Drawing:
    """Columns are tokens of the query, rows those of the text; a frame stands round each query token's best match."""
    best = matrix.argmax(axis=1)
    shown = _rows(matrix, best)
    width = min(_WIDEST, (WIDTH - _LABELS - 8) / len(query_tokens))
    low, high = float(matrix.min()), float(matrix.max())
    head = 16 + _LETTER * max(len(shortened(token, _LONGEST_TOKEN)) for token in query_tokens)
    parts = [_column_label(token, _LABELS + width * (i + 0.7), head - 6) for i, token in enumerate(query_tokens)]
    for line, row in enumerate(shown):
        y = head + _ROW * line
        strong = "token strong" if row in best else "token"
        token = shortened(text_tokens[row], _LONGEST_TOKEN)
        parts.append(words(token, x=_LABELS - 6, y=y + 11, class_=strong, text_anchor="end"))
        for column, query_token in enumerate(query_tokens):
            value = float(matrix[column, row])
            place = {"x": _LABELS + width * column, "y": y, "width": width - 1, "height": float(_ROW - 1)}
            heat = (value - low) / (high - low) if high > low else 0.0
            said = hint(f"{query_token} and {text_tokens[row]}: {value:.3f}")
            parts.append(element("rect", said, class_="heat", fill_opacity=round(heat, 3), **place))
            if best[column] == row:
                parts.append(element("rect", class_="winner", **place))
    told = "; ".join(f"{token} is matched by {text_tokens[best[i]]}" for i, token in enumerate(query_tokens))
    left_out = len(text_tokens) - len(shown)
    if left_out:
        told += f"; the {left_out} tokens least like any of the query are left out"
    return Drawing(name, title, told, WIDTH, head + _ROW * len(shown) + _FOOT, "".join(parts))


def _rows(matrix: npt.NDArray[np.floating], best: npt.NDArray[np.intp]) -> list[int]:
    """Places of the tokens to show, in the order of the text: all that win, then those most like any query token."""
    likeness = matrix.max(axis=0).astype(np.float64)
    likeness[best] = np.inf
    order = np.argsort(-likeness, kind="stable")[:MOST_ROWS]
    return sorted(int(place) for place in order)


def _column_label(token: str, x: float, y: float) -> str:
    return words(shortened(token, _LONGEST_TOKEN), x=x, y=y, class_="token", transform=f"rotate(-60 {x:.2f} {y:.2f})")


_LEFT, _ROW_SITEMAP, _EDGE, _FOOT_SITEMAP = 42, 20, 8, 26
_LETTER_SITEMAP = 6.2  # height that a letter of a slanted label takes
_DIGIT = 7.0  # width of one in a number
_SMALL = 5.4  # of one in a cell
_WIDEST_SITEMAP = 34.0
_GAP = 10.0  # between parts of a map
_LONGEST_LABEL = 12
_KEY, _STEPS, _LINE = 96, 12, 16  # width of a scale under the map, its shades, and the height of its line
_STRONG, _MOST = 0.5, 8  # of the largest value, and how many cells at most have their figure written into them


@dataclass(frozen=True, slots=True)
class MapCell:
    """One place of the map; without a value it is left open."""

    value: float | None
    words: str
    framed: bool = False


@dataclass(frozen=True, slots=True)
class MapColumns:
    """Columns that share a scale."""

    columns: Sequence[str]
    rows: Sequence[Sequence[MapCell]]
    """As many as the map has."""
    name: str = ""
    """Beside the scale; empty where there is but one."""

    @property
    def cells(self) -> list[MapCell]:
        """Those with a value."""
        return [cell for row in self.rows for cell in row if cell.value is not None]

    @property
    def largest(self) -> float:
        """Of the values, whatever their sign."""
        return max((abs(cell.value or 0.0) for cell in self.cells), default=0.0)


def site_map(
    name: str, title: str, rows: Sequence[str], parts: Sequence[MapColumns], note: str = "", frame: str = ""
) -> Drawing:
    """The stronger a value within its part, the stronger the colour: blue above 0, orange below.

    The strongest have their figures written into them; `frame` says what the places are that have one round them.
    """
    columns = [column for part in parts for column in part.columns]
    width = min(_WIDEST_SITEMAP, (WIDTH - _LEFT - _EDGE - _GAP * (len(parts) - 1)) / len(columns))
    slanted = max(map(len, columns)) * 7 > width
    head = 14 + _LETTER_SITEMAP * max(len(shortened(one, _LONGEST_LABEL)) for one in columns) if slanted else 22.0
    drawn = [
        words(row, x=_LEFT - 6, y=head + _ROW_SITEMAP * i + 14, class_="token", text_anchor="end")
        for i, row in enumerate(rows)
    ]
    left = float(_LEFT)
    for part in parts:
        drawn += [_heading(label, left + width * (i + 0.5), head - 7, slanted) for i, label in enumerate(part.columns)]
        drawn += _cells(part, left, head, width)
        left += width * len(part.columns) + _GAP
    bottom = head + _ROW_SITEMAP * len(rows)
    foot = list(chain.from_iterable(_scale(part, bottom + 12 + _LINE * i) for i, part in enumerate(parts)))
    if note:
        foot.append(words(shortened(note, 30), x=WIDTH - _EDGE, y=bottom + 21, class_="tick", text_anchor="end"))
    lines = len(parts)
    if frame and any(cell.framed for part in parts for cell in part.cells):
        foot += _frame_key(frame, bottom + 12 + _LINE * lines)
        lines += 1
    told = "; ".join(cell.words for part in parts for cell in part.cells)
    height = bottom + _FOOT_SITEMAP + _LINE * lines
    return Drawing(name, title, f"{note}: {told}" if note else told, WIDTH, height, "".join([*drawn, *foot]))


def _cells(part: MapColumns, left: float, head: float, width: float) -> Iterator[str]:
    written = _strongest(part)
    for line, row in enumerate(part.rows):
        for column, cell in enumerate(row):
            x, y = left + width * column, head + _ROW_SITEMAP * line
            yield from _cell(cell, x, y, width, part.largest)
            if (line, column) in written:
                yield from _figure(written[line, column], x, y, width)


def _strongest(part: MapColumns) -> dict[tuple[int, int], float]:
    """Values whose figures are written, by row and column."""
    values = {
        (line, column): cell.value
        for line, row in enumerate(part.rows)
        for column, cell in enumerate(row)
        if cell.value and abs(cell.value) >= _STRONG * part.largest
    }
    return dict(sorted(values.items(), key=lambda place: -abs(place[1]))[:_MOST])


def _cell(cell: MapCell, x: float, y: float, width: float, largest: float) -> Iterator[str]:
    place = {"x": x, "y": y, "width": width - 1, "height": float(_ROW_SITEMAP - 1)}
    if cell.value is None:
        yield element("rect", hint(cell.words), class_="open", **place)
        return
    heat = abs(cell.value) / largest if largest else 0.0
    side = "above" if cell.value >= 0 else "below"
    yield element("rect", class_="open", **place)
    yield element("rect", hint(cell.words), class_=side, fill_opacity=round(heat, 3), **place)
    if cell.framed:
        inner = {"x": x + 0.75, "y": y + 0.75, "width": width - 2.5, "height": _ROW_SITEMAP - 2.5}
        yield element("rect", class_="winner", **inner)


def _figure(value: float, x: float, y: float, width: float) -> Iterator[str]:
    """Two digits, or one if there is no more room; nothing where there is not even that."""
    for digits in (2, 1):
        text = f"{value:.{digits}g}".replace("-", "−")
        text = text.replace("0.", ".", 1) if abs(value) < 1 else text
        if len(text) * _SMALL <= width - 2 and "e" not in text:
            yield words(text, x=x + (width - 1) / 2, y=y + 13, class_="figure")
            return


def _heading(label: str, x: float, y: float, slanted: bool) -> str:
    if not slanted:
        return words(label, x=x, y=y, class_="token", text_anchor="middle")
    turned = f"rotate(-60 {x:.2f} {y:.2f})"
    return words(shortened(label, _LONGEST_LABEL), x=x, y=y, class_="token", transform=turned)


def _scale(part: MapColumns, y: float) -> Iterator[str]:
    """What the strongest colours stand for; from 0 on where nothing lies below it."""
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
