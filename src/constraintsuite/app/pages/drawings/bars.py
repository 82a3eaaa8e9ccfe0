"""Horizontal bars: one figure per row with its interval and the chance level, or shares of a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from constraintsuite.app.pages.drawings.svg import WIDTH, Drawing, element, hint, shortened, words
from constraintsuite.core.records.figures import percent, show
from constraintsuite.core.records.scores import Interval

EDGE = 8
PLOT = WIDTH - 2 * EDGE
HEAD, ROW, FOOT = 22, 40, 22
BAR_TOP, BAR = 19, 13  # inside a row, under the label
_LONGEST_LABEL = 30


def bar_chart(name: str, title: str, rows: Sequence[tuple[str, Interval]], chance: float | None) -> Drawing:
    """Horizontal bars from 0 to 100 %, one per row, with whiskers for the intervals."""
    bottom = HEAD + ROW * len(rows)
    parts, labels, described = list(_axis(HEAD, bottom)), [], []
    for number, (label, interval) in enumerate(rows):
        y, figure = HEAD + ROW * number, show(interval, "share")
        text = f"{figure.value} ({figure.bounds})" if figure.bounds else figure.value
        described.append(f"{label}: {text}")
        tooltip = hint(described[-1])
        parts.append(element("g", tooltip, *_bar(interval, y + BAR_TOP)))
        left = words(shortened(label, _LONGEST_LABEL), x=EDGE, y=y + 14, class_="label clear")
        right = words(text, x=EDGE + PLOT, y=y + 14, class_="label clear", text_anchor="end")
        labels.append(element("g", tooltip, left, right))
    if chance is not None:
        x = _across(chance)
        parts.append(element("line", x1=x, x2=x, y1=HEAD - 4, y2=bottom, class_="chance"))
        parts.append(words("chance", x=x, y=HEAD - 8, class_="tick", text_anchor="middle"))
    body = "".join([*parts, *labels])  # labels last, so that no line runs through them
    return Drawing(name, title, "; ".join(described), WIDTH, bottom + FOOT, body)


def _bar(interval: Interval, y: float) -> Iterator[str]:
    yield element("rect", x=EDGE, y=y, width=PLOT * (interval.value or 0), height=BAR, rx=2, class_="bar")
    if interval.low is not None and interval.high is not None:
        low, high, middle = _across(interval.low), _across(interval.high), y + BAR / 2
        ends = "".join(f"M{x:.2f} {middle - 4:.2f}v8" for x in (low, high))
        yield element("path", d=f"{ends}M{low:.2f} {middle:.2f}H{high:.2f}", class_="whisker")


def _across(share: float) -> float:
    """The x position of a share."""
    return EDGE + PLOT * share


def _axis(top: float, bottom: float) -> Iterator[str]:
    """Lines at 0, 25, ... 100 %."""
    for share, anchor in ((0, "start"), (0.25, "middle"), (0.5, "middle"), (0.75, "middle"), (1, "end")):
        x = _across(share)
        yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid")
        yield words(f"{share:.0%}", x=x, y=bottom + 15, class_="tick", text_anchor=anchor)


_LEGEND = 20
_BAR = 17
_LONGEST_STACK_LABEL = 48
_ROOM_FOR_A_NUMBER = 30


def stacked_chart(
    name: str, title: str, classes: Mapping[str, str], rows: Sequence[tuple[str, Mapping[str, float]]]
) -> Drawing:
    """One stacked bar per row from 0 to 100 %; `classes` are names of colours and their titles, in order."""
    head = _LEGEND * ((len(classes) + 1) // 2) + 8
    bottom = head + ROW * len(rows)
    parts = [*_legend(classes), *_axis(head, bottom)]
    described = []
    for number, (label, shares) in enumerate(rows):
        parts.append(_stack(label, shares, classes, head + ROW * number))
        figures = ", ".join(f"{title} {percent(shares.get(key, 0.0))}" for key, title in classes.items())
        described.append(f"{label}: {figures}")
    return Drawing(name, title, "; ".join(described), WIDTH, bottom + FOOT, "".join(parts))


def _legend(classes: Mapping[str, str]) -> Iterator[str]:
    for number, (key, title) in enumerate(classes.items()):
        x, y = EDGE + (number % 2) * PLOT / 2, _LEGEND * (number // 2)
        yield element("rect", x=x, y=y + 4, width=12, height=12, rx=2, class_=key)
        yield words(title, x=x + 18, y=y + 14, class_="tick")


def _stack(label: str, shares: Mapping[str, float], classes: Mapping[str, str], y: float) -> str:
    parts, x = [words(shortened(label, _LONGEST_STACK_LABEL), x=EDGE, y=y + 14, class_="label")], float(EDGE)
    for key, title in classes.items():
        width = PLOT * shares.get(key, 0.0)
        if not width:
            continue
        inside = [hint(f"{label}: {title} {percent(shares[key])}")]
        # A narrow gap tells two classes apart without colour.
        inside.append(element("rect", x=x, y=y + BAR_TOP, width=max(0.5, width - 1), height=_BAR, class_=key))
        if width >= _ROOM_FOR_A_NUMBER:
            number = show(shares[key], "share").value
            inside.append(words(number, x=x + width / 2, y=y + BAR_TOP + 13, class_="inside", text_anchor="middle"))
        parts.append(element("g", *inside))
        x += width
    return element("g", *parts)
