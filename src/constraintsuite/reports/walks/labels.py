"""Where the kind of a link is written: on its line, where no node and no other label lies, inside the picture."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from constraintsuite.reports.walks.curves import PagePoint, curve_between
from constraintsuite.reports.walks.layout import Layout, NodeBox
from constraintsuite.reports.walks.model import Link

_LETTER, _ABOVE, _BELOW = 6.4, 10.0, 4.0  # of a line of text, about its anchor
_PARTS = sorted((step / 40 for step in range(2, 39)), key=lambda part: abs(part - 0.5))


def place_labels(links: Sequence[Link], layout: Layout) -> list[PagePoint]:
    """The middle of the base line of each link's label, in the order of the links."""
    taken = list(layout.places.values())
    places = []
    for link in links:
        box = _free(link, layout, taken)
        taken.append(box)
        places.append((box.x + box.width / 2, box.y + _ABOVE))
    return places


def _free(link: Link, layout: Layout, taken: Collection[NodeBox]) -> NodeBox:
    """The free place nearest to the middle of the line; the middle itself where all is full."""
    boxes = [_box(point, link.kind, layout.width) for point in _wanted(link, layout)]
    return next((box for box in boxes if not any(_meet(box, other) for other in taken)), boxes[0])


def _wanted(link: Link, layout: Layout) -> Iterator[PagePoint]:
    begin, end = layout.places[link.source], layout.places[link.target]
    curve = curve_between(begin, end)
    yield from ((x, y + _BELOW) for x, y in map(curve.at, _PARTS))
    middle = (begin.middle[0] + end.middle[0]) / 2  # between two that stand side by side no word fits
    yield middle, min(begin.y, end.y) - _BELOW - 2
    yield middle, max(begin.y + begin.height, end.y + end.height) + _ABOVE + 2


def _box(point: PagePoint, text: str, width: float) -> NodeBox:
    x, y = point
    long = _LETTER * len(text)
    return NodeBox(min(max(x - long / 2, 0.0), max(0.0, width - long)), y - _ABOVE, long, _ABOVE + _BELOW)


def _meet(one: NodeBox, other: NodeBox) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height
