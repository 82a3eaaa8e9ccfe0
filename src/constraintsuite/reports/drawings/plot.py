"""Points of several series over two axes: those that are best joined by a line, the others hollow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from constraintsuite.reports.drawings.scales import Ruler, Scale, make_ruler
from constraintsuite.reports.drawings.svg import WIDTH, Drawing, element, hint, shortened, words
from constraintsuite.reports.drawings.theme import SERIES

_LEFT, _TOP, _WIDE, _TALL = 54, 28, 292, 210  # of the field, in the units of the drawing
_BOTTOM = _TOP + _TALL
_KEY, _KEY_TOP, _KEY_LEFT = 18, 50, 8  # a line of the key, its distance from the field, where it begins
_LETTER, _LINE = 6.3, 13  # about the size of a letter of a label
_LONGEST_NAME, _SHORT_NAME, _LONGEST_NOTE = 46, 20, 58
_SHAPES = (  # who cannot tell colours apart can tell these
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.6 3.4H-4.6z",
    "M0-5L5 0L0 5L-5 0z",
    "M0 4.8L4.6-3.4H-4.6z",
)


@dataclass(frozen=True)
class Axis:
    """What is counted, and on what scale."""

    title: str
    scale: Scale


@dataclass(frozen=True)
class Spot:
    """A point; those that are not `best` are hollow, and no line joins them."""

    x: float
    y: float
    words: str
    best: bool = True


@dataclass(frozen=True)
class Series:
    """Points under one name, joined in this order."""

    name: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class Level:
    """A dashed line across: something that has no place along the other axis."""

    name: str
    y: float
    words: str


@dataclass(frozen=True)
class Plot:
    """All that is drawn."""

    name: str
    title: str
    across: Axis
    up: Axis
    series: tuple[Series, ...]
    levels: tuple[Level, ...] = ()
    stepped: bool = False
    """Joined by steps, with a marker at the end alone: a distribution."""
    note: str = ""
    """Stands under the key."""


def draw_plot(plot: Plot) -> Drawing:
    """The picture; what it shows is also said in words."""
    field = _Field(plot)
    columns = 2 if all(len(series.name) <= _SHORT_NAME for series in plot.series) else 1
    parts = [*_axes(plot, field), *(_line(level, field) for level in plot.levels)]
    for number, series in enumerate(plot.series):
        parts += _curve(series, number, field, stepped=plot.stepped)
        row, column = divmod(number, columns)
        parts += _key(
            series.name, number, _KEY_LEFT + column * (WIDTH - _KEY_LEFT) / columns, _BOTTOM + _KEY_TOP + _KEY * row
        )
    parts += _names(plot, field)  # last, so that no line runs through a name
    told = [f"{one.name}: {', '.join(s.words for s in one.spots if s.best and s.words)}" for one in plot.series]
    told += [f"dashed line, {level.name}: {level.words}" for level in plot.levels]
    foot = _BOTTOM + _KEY_TOP + _KEY * math.ceil(len(plot.series) / columns)
    if plot.note:
        parts.append(words(shortened(plot.note, _LONGEST_NOTE), x=_KEY_LEFT, y=foot, class_="tick"))
        told.append(plot.note)
    height = foot + 6 if plot.note else foot - 6
    return Drawing(plot.name, plot.title, "; ".join(told), WIDTH, height, "".join(parts))


class _Field:
    """From values to places in the drawing."""

    def __init__(self, plot: Plot) -> None:
        spots = [spot for series in plot.series for spot in series.spots]
        self.across: Ruler = make_ruler(plot.across.scale, [spot.x for spot in spots])
        self.up: Ruler = make_ruler(plot.up.scale, [*(s.y for s in spots), *(level.y for level in plot.levels)])

    def x(self, value: float) -> float:
        return _LEFT + _WIDE * self.across.place(value)

    def y(self, value: float) -> float:
        return _BOTTOM - _TALL * self.up.place(value)


def _axes(plot: Plot, field: _Field) -> Iterator[str]:
    for place, label in field.across.ticks:
        x = _LEFT + _WIDE * place
        yield element("line", x1=x, x2=x, y1=_TOP, y2=_BOTTOM, class_="grid")
        yield words(label, x=x, y=_BOTTOM + 15, class_="tick", text_anchor="middle")
    for place, label in field.up.ticks:
        y = _BOTTOM - _TALL * place
        yield element("line", x1=_LEFT, x2=_LEFT + _WIDE, y1=y, y2=y, class_="grid")
        yield words(label, x=_LEFT - 6, y=y + 4, class_="tick", text_anchor="end")
    yield words(plot.across.title, x=_LEFT + _WIDE, y=_BOTTOM + 31, class_="tick", text_anchor="end")
    yield words(plot.up.title, x=4, y=_TOP - 14, class_="tick")


def _line(level: Level, field: _Field) -> str:
    y = field.y(level.y)
    said = hint(f"{level.name}: {level.words}")
    return element("line", said, x1=_LEFT, x2=_LEFT + _WIDE, y1=y, y2=y, class_="chance")


def _curve(series: Series, number: int, field: _Field, *, stepped: bool) -> Iterator[str]:
    joined = [(field.x(spot.x), field.y(spot.y)) for spot in series.spots if spot.best]
    if stepped:
        steps = "".join(f"V{y:.2f}H{x:.2f}" for x, y in joined[1:])
        path = f"M{joined[0][0]:.2f} {joined[0][1]:.2f}{steps}"
    else:
        path = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in joined)
    yield element("path", hint(series.name), d=path, class_="curve", stroke=_colour(number))
    if stepped:
        yield _marker(number, *joined[-1], f"{series.name}: {series.spots[-1].words}", hollow=False)
    else:
        for spot in sorted(series.spots, key=lambda spot: spot.best):  # the best on top
            yield _marker(
                number, field.x(spot.x), field.y(spot.y), f"{series.name}: {spot.words}", hollow=not spot.best
            )


def _key(name: str, number: int, x: float, y: float) -> Iterator[str]:
    yield element("path", d=f"M{x:.2f} {y - 4:.2f}h20", class_="curve", stroke=_colour(number))
    yield _marker(number, x + 10, y - 4, name, hollow=False)
    yield words(shortened(name, _LONGEST_NAME), x=x + 28, y=y, class_="label")


def _marker(number: int, x: float, y: float, said: str, *, hollow: bool) -> str:
    look = (
        {"fill": "none", "stroke": _colour(number)} if hollow else {"fill": _colour(number), "stroke": "var(--panel)"}
    )
    shape = _SHAPES[number % len(_SHAPES)]
    return element("path", hint(said), d=shape, transform=f"translate({x:.2f} {y:.2f})", class_="spot", **look)


def _colour(number: int) -> str:
    return f"var(--{SERIES[number % len(SERIES)]})"


def _names(plot: Plot, field: _Field) -> Iterator[str]:
    """The names of the dashed lines, each where the fewest points, lines and other names are."""
    spots = [place for series in plot.series for place in _trace(series, field)]
    lines = [field.y(level.y) for level in plot.levels]
    placed: list[_Box] = []
    for level in sorted(plot.levels, key=lambda level: level.y):
        name = shortened(level.name, _LONGEST_NAME)
        line, wide = field.y(level.y), _LETTER * len(name)
        lefts = (_LEFT + 4, _LEFT + _WIDE - 4 - wide, _LEFT + (_WIDE - wide) / 2)
        boxes = [_Box(x, top, wide) for top, x in product((line - 3 - _LINE, line + 3), lefts)]
        box = min(boxes, key=lambda box: (box.covered(placed, lines), box.crowded(spots)))
        placed.append(box)
        yield words(name, x=box.x, y=box.top + 10, class_="tick clear")


def _trace(series: Series, field: _Field) -> Iterator[tuple[float, float]]:
    """The points, and places between those that a line joins."""
    yield from ((field.x(spot.x), field.y(spot.y)) for spot in series.spots)
    joined = [(field.x(spot.x), field.y(spot.y)) for spot in series.spots if spot.best]
    for (x, y), (to_x, to_y) in pairwise(joined):
        yield from ((x + part * (to_x - x), y + part * (to_y - y)) for part in (0.2, 0.4, 0.6, 0.8))


@dataclass(frozen=True)
class _Box:
    """Where a name would stand."""

    x: float
    top: float
    wide: float

    def covered(self, others: Sequence[_Box], lines: Sequence[float]) -> int:
        """What may not be in the way: other names first, then dashed lines and the ends of the field."""
        names = sum(
            self.x < other.x + other.wide and other.x < self.x + self.wide and abs(self.top - other.top) < _LINE
            for other in others
        )
        struck = sum(self.top < y < self.top + _LINE for y in lines)
        outside = self.top < _TOP - _LINE / 2 or self.top + _LINE > _BOTTOM
        return names * (len(lines) + 2) + struck + outside

    def crowded(self, spots: Sequence[tuple[float, float]]) -> int:
        """How many points it would lie on."""
        return sum(
            self.x - 5 < x < self.x + self.wide + 5 and self.top - 5 < y < self.top + _LINE + 5 for x, y in spots
        )
