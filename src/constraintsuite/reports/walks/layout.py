"""Where each node stands: a band for each layer, rows as wide as the page, neighbours near those they belong to.

The same picture gives the same places: nothing is drawn by chance, and there is no simulation to wait for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from constraintsuite.reports.walks.model import Link, Node, WalkPicture

NODE_WIDTH = 182.0
_UNIT, _RETURNED, _ENTITY = 66.0, 82.0, 34.0  # heights
_ACROSS, _DOWN = 18.0, 42.0  # between nodes of a row, and between rows
_EDGE = 12.0
_BAND_TITLE = 30.0
_BAND_GAP = 26.0


class NodeBox(NamedTuple):
    """A node's rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return self.x + self.width / 2, self.y + self.height / 2


class LayerBand(NamedTuple):
    """The stripe of a layer."""

    title: str
    y: float
    height: float


@dataclass(frozen=True)
class Layout:
    """A whole picture."""

    width: float
    height: float
    places: Mapping[str, NodeBox]
    bands: tuple[LayerBand, ...]


def lay_out(walk: WalkPicture, per_row: int) -> Layout:
    """At most so many nodes side by side."""
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
    """By where those lie, on the average, that a node is joined with above; then by rank; then by name."""
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
    """Rows of nearly the same length."""
    count = -(-len(nodes) // per_row)
    length = -(-len(nodes) // count)
    return [nodes[start : start + length] for start in range(0, len(nodes), length)]


def _place_row(nodes: Sequence[Node], y: float, width: float) -> dict[str, NodeBox]:
    taken = len(nodes) * NODE_WIDTH + (len(nodes) - 1) * _ACROSS
    left = (width - taken) / 2
    tallest = max(map(_height, nodes))
    return {
        node.id: NodeBox(
            left + i * (NODE_WIDTH + _ACROSS), y + (tallest - _height(node)) / 2, NODE_WIDTH, _height(node)
        )
        for i, node in enumerate(nodes)
    }


def _height(node: Node) -> float:
    return _ENTITY if node.entity else _UNIT if node.rank is None else _RETURNED
