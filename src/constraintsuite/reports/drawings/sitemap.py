"""Maps of a model: rows are layers, columns heads or roles, and the colour says how much and which way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from constraintsuite.reports.drawings.svg import WIDTH, Drawing, element, hint, shortened, words

_LEFT, _ROW, _EDGE, _FOOT = 42, 20, 8, 40
_LETTER = 6.2  # height that a letter of a slanted label takes
_DIGIT = 7.0  # width of one in a number
_WIDEST = 34.0
_LONGEST_LABEL = 12
_KEY, _STEPS = 96, 12  # width of the scale under the map, and its shades


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of the map; without a value it is left open."""

    value: float | None
    words: str
    framed: bool = False


def site_map(
    name: str, title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]], note: str = ""
) -> Drawing:
    """The stronger a value, the stronger the colour: blue above 0, orange below; some places have a frame round them."""
    largest = max((abs(cell.value) for _, cells in rows for cell in cells if cell.value is not None), default=0.0)
    width = min(_WIDEST, (WIDTH - _LEFT - _EDGE) / len(columns))
    slanted = max(map(len, columns)) * 7 > width
    head = 14 + _LETTER * max(len(shortened(one, _LONGEST_LABEL)) for one in columns) if slanted else 22.0
    parts = [_heading(label, _LEFT + width * (i + 0.5), head - 7, slanted) for i, label in enumerate(columns)]
    for line, (label, cells) in enumerate(rows):
        y = head + _ROW * line
        parts.append(words(label, x=_LEFT - 6, y=y + 14, class_="token", text_anchor="end"))
        for column, cell in enumerate(cells):
            parts += _cell(cell, _LEFT + width * column, y, width, largest)
    bottom = head + _ROW * len(rows)
    signed = any(cell.value < 0 for _, cells in rows for cell in cells if cell.value is not None)
    parts += [*_scale(largest, bottom + 12, signed=signed)]
    if note:
        parts.append(words(shortened(note, 30), x=WIDTH - _EDGE, y=bottom + 21, class_="tick", text_anchor="end"))
    told = "; ".join(cell.words for _, cells in rows for cell in cells if cell.value is not None)
    return Drawing(name, title, f"{note}: {told}" if note else told, WIDTH, bottom + _FOOT, "".join(parts))


def _cell(cell: Cell, x: float, y: float, width: float, largest: float) -> Iterator[str]:
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


def _scale(largest: float, y: float, *, signed: bool) -> Iterator[str]:
    """What the strongest colours stand for; from 0 on where nothing lies below it."""
    first = -_STEPS if signed else 0
    wide = _KEY / (_STEPS - first)
    lowest, highest = f"−{largest:.2g}" if signed else "0", f"{largest:.2g}"
    left = _EDGE + _DIGIT * len(lowest) + 4
    yield words(lowest, x=left - 4, y=y + 9, class_="tick", text_anchor="end")
    for number in range(first, _STEPS):
        strength = (abs(number + 0.5) + 0.5) / _STEPS
        side = "above" if number >= 0 else "below"
        x = left + wide * (number - first)
        yield element("rect", x=x, y=y, width=wide, height=9, class_=side, fill_opacity=round(strength, 3))
    yield words(highest, x=left + _KEY + 4, y=y + 9, class_="tick")
