"""Bars that share out a whole among classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraintsuite.records.figures import percent, show
from constraintsuite.reports.drawings.bars import BAR_TOP, EDGE, FOOT, PLOT, ROW, axis
from constraintsuite.reports.drawings.svg import WIDTH, Drawing, element, hint, shortened, words

_LEGEND = 20
_BAR = 17
_LONGEST_LABEL = 48
_ROOM_FOR_A_NUMBER = 30


def stacked_chart(
    name: str, title: str, classes: Mapping[str, str], rows: Sequence[tuple[str, Mapping[str, float]]]
) -> Drawing:
    """One bar a row from 0 to 100 %; `classes` are the names of colours and their titles, in order."""
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
    parts, x = [words(shortened(label, _LONGEST_LABEL), x=EDGE, y=y + 14, class_="label")], float(EDGE)
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
