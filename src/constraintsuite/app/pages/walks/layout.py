"""The positions of nodes, lines and labels in a picture of a search. The same picture gets the same positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.app.pages.walks.model import Link, Node, WalkPicture

NODE_WIDTH = 182.0
_UNIT, _RETURNED, _ENTITY = 66.0, 82.0, 34.0  # heights
_ACROSS, _DOWN = 18.0, 42.0  # between nodes of a row, and between rows
_EDGE = 12.0
_BAND_TITLE = 30.0
_BAND_GAP = 26.0


class NodeBox(NamedTuple):
    """The rectangle in which a node or a label is drawn."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        """The centre of the rectangle."""
        return self.x + self.width / 2, self.y + self.height / 2


class LayerBand(NamedTuple):
    """The background stripe of a layer."""

    title: str
    y: float
    height: float


@dataclass(frozen=True)
class Layout:
    """The positions in a picture, and its size."""

    width: float
    height: float
    places: Mapping[str, NodeBox]
    bands: tuple[LayerBand, ...]


def lay_out(walk: WalkPicture, per_row: int) -> Layout:
    """Place the nodes of a picture, with at most `per_row` nodes side by side."""
    width = 2 * _EDGE + per_row * NODE_WIDTH + (per_row - 1) * _ACROSS
    places: dict[str, NodeBox] = {}
    bands = []
    y = 0.0
    for number, title in enumerate(walk.layers):
        members = [node for node in walk.nodes if node.layer == number]
        if not members:
            continue
        top = y
        y += _BAND_TITLE
        for row in _rows(_in_order(members, walk.links, places), per_row):
            places |= _place_row(row, y, width)
            y += max(places[node.id].height for node in row) + _DOWN
        y += _BAND_GAP - _DOWN
        bands.append(LayerBand(title, top, y - top - _BAND_GAP / 2))
    return Layout(width, y, places, tuple(bands))


def _in_order(nodes: Sequence[Node], links: Iterable[Link], places: Mapping[str, NodeBox]) -> list[Node]:
    """Nodes sorted by the mean position of their neighbours in layers above, then by rank, then by id."""
    above: dict[str, list[float]] = {node.id: [] for node in nodes}
    for link in links:
        for here, there in ((link.source, link.target), (link.target, link.source)):
            if here in above and there in places:
                above[here].append(places[there].middle[0])

    def key(node: Node) -> tuple[float, float, str]:
        over = above[node.id]
        return (sum(over) / len(over) if over else 0.0, node.rank or float("inf"), node.id)

    return sorted(nodes, key=key)


def _rows(nodes: Sequence[Node], per_row: int) -> list[Sequence[Node]]:
    """The nodes split into rows of nearly equal length."""
    count = -(-len(nodes) // per_row)
    length = -(-len(nodes) // count)
    return [nodes[start : start + length] for start in range(0, len(nodes), length)]


def _place_row(nodes: Sequence[Node], y: float, width: float) -> dict[str, NodeBox]:
    step, tallest = NODE_WIDTH + _ACROSS, max(map(_height, nodes))
    left = (width - len(nodes) * step + _ACROSS) / 2
    tops = [y + (tallest - _height(node)) / 2 for node in nodes]
    return {node.id: NodeBox(left + i * step, tops[i], NODE_WIDTH, _height(node)) for i, node in enumerate(nodes)}


def _height(node: Node) -> float:
    return _ENTITY if node.entity else _UNIT if node.rank is None else _RETURNED


BEND = 34.0
PagePoint = tuple[float, float]


class Curve(NamedTuple):
    """A cubic Bézier curve: its ends and its two control points."""

    begin: PagePoint
    first: PagePoint
    second: PagePoint
    end: PagePoint

    @property
    def path(self) -> str:
        """The curve as the data of an SVG path."""
        (x1, y1), *others = self
        return f"M{x1:.1f} {y1:.1f}C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in others)

    def at(self, part: float) -> PagePoint:
        """The point at a share of the way along the curve."""
        left = 1 - part
        weights = (left**3, 3 * left**2 * part, 3 * left * part**2, part**3)
        x, y = (sum(weight * point[axis] for weight, point in zip(weights, self, strict=True)) for axis in (0, 1))
        return x, y


def curve_between(begin: NodeBox, end: NodeBox) -> Curve:
    """The curve between the borders of two nodes; nodes of one row are joined by an arc above them."""
    (x1, y1), (x2, y2) = begin.middle, end.middle
    if begin == end:
        top = begin.y
        return Curve((x1 - 14, top), (x1 - 30, top - BEND), (x1 + 30, top - BEND), (x1 + 14, top))
    if abs(y1 - y2) < 1:
        return _in_a_row(begin, end)
    down = y2 > y1
    from_y, to_y = (begin.y + begin.height, end.y) if down else (begin.y, end.y + end.height)
    pull = (to_y - from_y) / 2
    away = max(
        -0.35 * begin.width, min(0.35 * begin.width, (x2 - x1) / 6)
    )  # so that lines do not all meet in one point
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


_LETTER, _ABOVE, _BELOW = 6.4, 10.0, 4.0  # width of a letter, and height above and below the anchor
_PARTS = sorted((step / 40 for step in range(2, 39)), key=lambda part: abs(part - 0.5))


def place_labels(links: Sequence[Link], layout: Layout) -> list[PagePoint]:
    """The anchor point of the label of each link."""
    taken = list(layout.places.values())
    places = []
    for link in links:
        boxes = [
            _box(point, link.kind, layout.width) for point in _wanted(link, layout)
        ]  # the middle of the line first
        box = next((box for box in boxes if not any(_meet(box, other) for other in taken)), boxes[0])
        taken.append(box)
        places.append((box.x + box.width / 2, box.y + _ABOVE))
    return places


def _wanted(link: Link, layout: Layout) -> Iterator[PagePoint]:
    begin, end = layout.places[link.source], layout.places[link.target]
    curve = curve_between(begin, end)
    yield from ((x, y + _BELOW) for x, y in map(curve.at, _PARTS))
    middle = (begin.middle[0] + end.middle[0]) / 2  # between neighbours in a row no word fits
    yield middle, min(begin.y, end.y) - _BELOW - 2
    yield middle, max(begin.y + begin.height, end.y + end.height) + _ABOVE + 2


def _box(point: PagePoint, text: str, width: float) -> NodeBox:
    x, y = point
    long = _LETTER * len(text)
    return NodeBox(min(max(x - long / 2, 0.0), max(0.0, width - long)), y - _ABOVE, long, _ABOVE + _BELOW)


def _meet(one: NodeBox, other: NodeBox) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height
