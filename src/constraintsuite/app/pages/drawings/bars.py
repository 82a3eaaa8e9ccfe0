"""Horizontal bars: one figure per row with its interval and the chance level, or shares of a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.app.pages.drawings.svg import WIDTH, Drawing, element, hint, shortened, words
from constraintsuite.core.records.figures import percent, show
from constraintsuite.core.records.scores import Interval

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
    """Horizontal bars from 0 to 100 %, one per row, with 95 % whiskers."""
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
    """The place and size of the bar of each row, from top to bottom."""
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


_LEGEND = 20
_BAR = 17
_LONGEST_STACK_LABEL = 48
_ROOM_FOR_A_NUMBER = 30


def stacked_chart(
    name: str, title: str, classes: Mapping[str, str], rows: Sequence[tuple[str, Mapping[str, float]]]
) -> Drawing:
    """One bar per row from 0 to 100 %; `classes` are the names of colours and their titles, in order."""
    head = _LEGEND * ((len(classes) + 1) // 2) + 8
    bottom = head + ROW * len(rows)
    parts = [*_legend(classes), *axis(head, bottom)]
    described = []
    for number, (label, shares) in enumerate(rows):
        parts.append(_stack(label, shares, classes, head + ROW * number))
        told = ", ".join(f"{title} {percent(shares.get(key, 0.0))}" for key, title in classes.items())
        described.append(f"{label}: {told}")
    return Drawing(name, title, "; ".join(described), WIDTH, bottom + FOOT, "".join(parts))


def _legend(classes: Mapping[str, str]) -> list[str]:
    parts = []
    for number, (key, title) in enumerate(classes.items()):
        x, y = EDGE + (number % 2) * PLOT / 2, _LEGEND * (number // 2)
        parts.append(element("rect", x=x, y=y + 4, width=12, height=12, rx=2, class_=key))
        parts.append(words(title, x=x + 18, y=y + 14, class_="tick"))
    return parts


def _stack(label: str, shares: Mapping[str, float], classes: Mapping[str, str], y: float) -> str:
    parts, x = [words(shortened(label, _LONGEST_STACK_LABEL), x=EDGE, y=y + 14, class_="label")], float(EDGE)
    for key, title in classes.items():
        width = PLOT * shares.get(key, 0.0)
        if not width:
            continue
        said = show(shares[key], "share").value
        inside = [hint(f"{label}: {title} {percent(shares[key])}")]
        # A hair of the ground between two classes tells them apart without colour.
        inside.append(element("rect", x=x, y=y + BAR_TOP, width=max(0.5, width - 1), height=_BAR, class_=key))
        if width >= _ROOM_FOR_A_NUMBER:
            inside.append(words(said, x=x + width / 2, y=y + BAR_TOP + 13, class_="inside", text_anchor="middle"))
        parts.append(element("g", *inside))
        x += width
    return element("g", *parts)
