"""Draws `Plot` data: series of points over two axes, with dashed lines for levels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from constraintsuite.app.pages.drawings.scales import Ruler, make_ruler
from constraintsuite.app.pages.drawings.svg import SERIES, WIDTH, Drawing, element, hint, shortened, words
from constraintsuite.core.records.plots import LevelLine, Picture, Plot, Series
from constraintsuite.core.records.sections import Charts, Section, SectionBlock

_LEFT, _TOP, _WIDE, _TALL = 54, 28, 292, 210  # position and size of the plotting area
_BOTTOM = _TOP + _TALL
_KEY, _KEY_TOP, _KEY_LEFT = 18, 50, 8  # line height, distance from the plotting area and left edge of the legend
_LONGEST_NAME, _SHORT_NAME, _LONGEST_NOTE = 46, 20, 58
_SHAPES = (  # for readers who cannot tell the colours apart
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.6 3.4H-4.6z",
    "M0-5L5 0L0 5L-5 0z",
    "M0 4.8L4.6-3.4H-4.6z",
)
_DASHES = ("4 3", "10 3", "1.5 3", "10 3 1.5 3", "1.5 6")


def draw_plot(plot: Plot) -> Drawing:
    """The drawing of a plot, with a description in words."""
    field = _Field(plot)
    parts = [*_axes(plot, field), *(_line(level, n, field) for n, level in enumerate(plot.levels))]
    for number, series in enumerate(plot.series):
        parts += _thin(series, number, field)
    for number, series in enumerate(plot.series):
        parts += _curve(series, number, field, stepped=plot.stepped)
    key, rows = _key(plot)
    parts += key
    description = [f"{one.name}: {', '.join(s.words for s in one.spots if s.best and s.words)}" for one in plot.series]
    description += [f"dashed line, {level.name}: {level.words}" for level in plot.levels]
    foot = _BOTTOM + _KEY_TOP + _KEY * rows
    if plot.note:
        parts.append(words(shortened(plot.note, _LONGEST_NOTE), x=_KEY_LEFT, y=foot, class_="tick"))
        description.append(plot.note)
    height = foot + 6 if plot.note else foot - 6
    return Drawing(plot.name, plot.title, "; ".join(description), WIDTH, height, "".join(parts))


def draw_charts(section: Section) -> Section:
    """The section with a drawing in place of each plot."""

    def draw(block: SectionBlock) -> SectionBlock:
        return Charts(tuple(map(_drawn, block.drawings))) if isinstance(block, Charts) else block

    return replace(section, blocks=tuple(map(draw, section.blocks)))


def _drawn(picture: Picture) -> Picture:
    return draw_plot(picture) if isinstance(picture, Plot) else picture


class _Field:
    """Converts values to positions in the drawing."""

    def __init__(self, plot: Plot) -> None:
        spots = [spot for series in plot.series for line in (series.spots, *series.behind) for spot in line]
        self.across: Ruler = make_ruler(plot.across.scale, [spot.x for spot in spots])
        bounds = [end for spot in spots for end in spot.bounds or ()]
        heights = [*(spot.y for spot in spots), *bounds, *(level.y for level in plot.levels)]
        self.up: Ruler = make_ruler(plot.up.scale, heights)

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
    yield words(plot.across.heading, x=_LEFT + _WIDE, y=_BOTTOM + 31, class_="tick", text_anchor="end")
    yield words(plot.up.heading, x=4, y=_TOP - 14, class_="tick")


def _line(level: LevelLine, number: int, field: _Field) -> str:
    y = field.y(level.y)
    tooltip = hint(f"{level.name}: {level.words}")
    return element(
        "line", tooltip, x1=_LEFT, x2=_LEFT + _WIDE, y1=y, y2=y, class_="level", stroke_dasharray=_dash(number)
    )


def _curve(series: Series, number: int, field: _Field, *, stepped: bool) -> Iterator[str]:
    joined = [(field.x(spot.x), field.y(spot.y)) for spot in series.spots if spot.best]
    if stepped:
        steps = "".join(f"V{y:.2f}H{x:.2f}" for x, y in joined[1:])
        path = f"M{joined[0][0]:.2f} {joined[0][1]:.2f}{steps}"
    else:
        path = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in joined)
    yield element("path", hint(series.name), d=path, class_="curve", stroke=_colour(number))
    yield from _whiskers(series, number, field)
    if stepped:
        yield _marker(number, *joined[-1], f"{series.name}: {series.spots[-1].words}", hollow=False)
    else:
        for spot in sorted(series.spots, key=lambda spot: spot.best):  # the best on top
            yield _marker(
                number, field.x(spot.x), field.y(spot.y), f"{series.name}: {spot.words}", hollow=not spot.best
            )


def _thin(series: Series, number: int, field: _Field) -> Iterator[str]:
    for line in series.behind:
        path = "M" + "L".join(f"{field.x(spot.x):.2f} {field.y(spot.y):.2f}" for spot in line)
        tooltip = hint(f"{series.name}: {', '.join(spot.words for spot in line)}")
        yield element("path", tooltip, d=path, class_="curve thin", stroke=_colour(number), stroke_opacity=0.55)


def _whiskers(series: Series, number: int, field: _Field) -> Iterator[str]:
    for spot in series.spots:
        if spot.bounds is not None:
            x, (low, high) = field.x(spot.x), map(field.y, spot.bounds)
            shape = f"M{x - 3:.2f} {low:.2f}h6M{x - 3:.2f} {high:.2f}h6M{x:.2f} {low:.2f}V{high:.2f}"
            yield element("path", d=shape, class_="curve", stroke=_colour(number), stroke_opacity=0.6)


def _key(plot: Plot) -> tuple[list[str], int]:
    """The legend below the plotting area, and its number of rows."""
    names = [*(series.name for series in plot.series), *(level.name for level in plot.levels)]
    columns = 2 if all(len(name) <= _SHORT_NAME for name in names) else 1
    parts: list[str] = []
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        x, y = _KEY_LEFT + column * (WIDTH - _KEY_LEFT) / columns, _BOTTOM + _KEY_TOP + _KEY * row
        if (dashed := number - len(plot.series)) >= 0:
            look = {"class_": "level", "stroke_dasharray": _dash(dashed)}
            parts.append(element("line", x1=x, x2=x + 20, y1=y - 4, y2=y - 4, **look))
        else:
            parts.append(element("path", d=f"M{x:.2f} {y - 4:.2f}h20", class_="curve", stroke=_colour(number)))
            parts.append(_marker(number, x + 10, y - 4, name, hollow=False))
        parts.append(words(shortened(name, _LONGEST_NAME), x=x + 28, y=y, class_="label"))
    return parts, math.ceil(len(names) / columns)


def _marker(number: int, x: float, y: float, text: str, *, hollow: bool) -> str:
    look = (
        {"fill": "none", "stroke": _colour(number)} if hollow else {"fill": _colour(number), "stroke": "var(--panel)"}
    )
    shape = _SHAPES[number % len(_SHAPES)]
    return element("path", hint(text), d=shape, transform=f"translate({x:.2f} {y:.2f})", class_="spot", **look)


def _dash(number: int) -> str:
    return _DASHES[number % len(_DASHES)]


def _colour(number: int) -> str:
    return f"var(--{SERIES[number % len(SERIES)]})"
