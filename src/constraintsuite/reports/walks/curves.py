"""The line of a link: from the border of a node to that of another."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.reports.walks.layout import NodeBox

BEND = 34.0
PagePoint = tuple[float, float]


class Curve(NamedTuple):
    """A cubic Bézier curve: its ends, and where it is pulled to between them."""

    begin: PagePoint
    first: PagePoint
    second: PagePoint
    end: PagePoint

    @property
    def path(self) -> str:
        """As SVG writes it."""
        (x1, y1), *others = self
        return f"M{x1:.1f} {y1:.1f}C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in others)

    def at(self, part: float) -> PagePoint:
        """The point so far along, from 0 to 1."""
        left = 1 - part
        weights = (left**3, 3 * left**2 * part, 3 * left * part**2, part**3)
        x, y = (sum(weight * point[axis] for weight, point in zip(weights, self, strict=True)) for axis in (0, 1))
        return x, y


def curve_between(begin: NodeBox, end: NodeBox) -> Curve:
    """From border to border; two nodes of one row are joined by an arc above them."""
    (x1, y1), (x2, y2) = begin.middle, end.middle
    if begin == end:
        top = begin.y
        return Curve((x1 - 14, top), (x1 - 30, top - BEND), (x1 + 30, top - BEND), (x1 + 14, top))
    if abs(y1 - y2) < 1:
        return _in_a_row(begin, end)
    down = y2 > y1
    from_y, to_y = (begin.y + begin.height, end.y) if down else (begin.y, end.y + end.height)
    pull = (to_y - from_y) / 2
    away = max(-0.35 * begin.width, min(0.35 * begin.width, (x2 - x1) / 6))  # so that many lines do not meet in a point
    return Curve((x1 + away, from_y), (x1 + away, from_y + pull), (x2 - away, to_y - pull), (x2 - away, to_y))


def _in_a_row(begin: NodeBox, end: NodeBox) -> Curve:
    right = end.x > begin.x
    gap = end.x - (begin.x + begin.width) if right else begin.x - (end.x + end.width)
    (x1, y1), (x2, y2) = begin.middle, end.middle
    if gap < begin.width / 2:  # side by side
        from_x, to_x = (begin.x + begin.width, end.x) if right else (begin.x, end.x + end.width)
        return Curve((from_x, y1), (from_x, y1), (to_x, y2), (to_x, y2))
    top = min(begin.y, end.y) - BEND
    return Curve((x1, begin.y), (x1, top), (x2, top), (x2, end.y))
