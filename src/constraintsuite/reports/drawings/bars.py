"""Bars with whiskers, and a line where chance lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from constraintsuite.records.figures import show
from constraintsuite.records.scores import Interval
from constraintsuite.reports.drawings.svg import WIDTH, Drawing, element, hint, shortened, words

EDGE = 8
PLOT = WIDTH - 2 * EDGE
HEAD, ROW, FOOT = 22, 40, 22
BAR_TOP, BAR = 19, 13  # inside a row, under the label
_LONGEST_LABEL = 30


@dataclass(frozen=True)
class Bar:
    """One bar with its whisker, in the units of the drawing; `low` and `high` are None where there is no interval."""

    label: str
    text: str
    y: float
    width: float
    low: float | None
    high: float | None


def bar_chart(name: str, title: str, rows: Sequence[tuple[str, Interval]], chance: float | None) -> Drawing:
    """Horizontal bars from 0 to 100 %, one a row, with 95 % whiskers."""
    bars = place_bars(rows)
    bottom = HEAD + ROW * len(rows)
    parts = [*axis(HEAD, bottom), *map(_draw, bars)]
    if chance is not None:
        x = across(chance)
        parts.append(element("line", x1=x, x2=x, y1=HEAD - 4, y2=bottom, class_="chance"))
        parts.append(words("chance", x=x, y=HEAD - 8, class_="tick", text_anchor="middle"))
    parts += map(_name, bars)  # last, so that no line runs through a name
    described = "; ".join(f"{bar.label}: {bar.text}" for bar in bars)
    return Drawing(name, title, described, WIDTH, bottom + FOOT, "".join(parts))


def place_bars(rows: Sequence[tuple[str, Interval]]) -> list[Bar]:
    """Where each bar stands."""
    return [_place(label, interval, HEAD + ROW * i) for i, (label, interval) in enumerate(rows)]


def across(share: float) -> float:
    """Where a share lies between left and right."""
    return EDGE + PLOT * share


def axis(top: float, bottom: float) -> Iterator[str]:
    """Lines at 0, 25, ... 100 %."""
    for share, anchor in ((0, "start"), (0.25, "middle"), (0.5, "middle"), (0.75, "middle"), (1, "end")):
        x = across(share)
        yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid")
        yield words(f"{share:.0%}", x=x, y=bottom + 15, class_="tick", text_anchor=anchor)


def _place(label: str, interval: Interval, y: float) -> Bar:
    figure = show(interval, "share")
    return Bar(
        label=label,
        text=f"{figure.value} ({figure.bounds})" if figure.bounds else figure.value,
        y=y,
        width=PLOT * (interval.value or 0),
        low=None if interval.low is None else across(interval.low),
        high=None if interval.high is None else across(interval.high),
    )


def _draw(bar: Bar) -> str:
    parts = [
        hint(f"{bar.label}: {bar.text}"),
        element("rect", x=EDGE, y=bar.y + BAR_TOP, width=bar.width, height=BAR, rx=2, class_="bar"),
    ]
    if bar.low is not None and bar.high is not None:
        middle = bar.y + BAR_TOP + BAR / 2
        ends = "".join(f"M{x:.2f} {middle - 4:.2f}v8" for x in (bar.low, bar.high))
        parts.append(element("path", d=f"{ends}M{bar.low:.2f} {middle:.2f}H{bar.high:.2f}", class_="whisker"))
    return element("g", *parts)


def _name(bar: Bar) -> str:
    return element(
        "g",
        hint(f"{bar.label}: {bar.text}"),
        words(shortened(bar.label, _LONGEST_LABEL), x=EDGE, y=bar.y + 14, class_="label clear"),
        words(bar.text, x=EDGE + PLOT, y=bar.y + 14, class_="label clear", text_anchor="end"),
    )
