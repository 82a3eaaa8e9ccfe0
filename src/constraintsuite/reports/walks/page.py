"""The page of a search and its picture as SVG; it opens offline and is whole without its script."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping

from markupsafe import Markup

from constraintsuite.reports.drawings.svg import element, hint, shortened, words
from constraintsuite.reports.page import fill_template
from constraintsuite.reports.walks.layout import LayerBand, NodeBox, PagePoint, curve_between, lay_out, place_labels
from constraintsuite.reports.walks.model import Link, Node, WalkPicture

_LETTERS = 24  # of a line inside a node
_LABEL = 20
_LEAST, _MOST = 1.6, 6.0  # widths of a link that was walked


def draw_walk(walk: WalkPicture, per_row: int, name: str) -> str:
    """One picture; `name` makes its ids its own."""
    layout = lay_out(walk, per_row)
    most = max((link.passed for link in walk.links if link.passed is not None), default=0.0) or 1.0
    numbers = {node.id: number for number, node in enumerate(walk.nodes, 1)}
    drawn = sorted(walk.links, key=lambda link: link.passed is not None)  # what was walked lies above
    walked = [link for link in drawn if link.passed is not None]
    labels = zip(walked, place_labels(walked, layout), strict=True)
    parts = [
        _arrows(name),
        *(_band(band, layout.width) for band in layout.bands),
        *(_link(link, layout.places, numbers, most, name) for link in drawn),
        *(_node(node, layout.places[node.id], numbers[node.id]) for node in walk.nodes),
        *(_label(link, place, numbers) for link, place in labels),
    ]
    box = f"0 0 {layout.width:g} {layout.height:g}"
    label = "The graph around the answer; every node is a link to its text"
    return element("svg", *parts, viewBox=box, class_=f"walk {name}", role="group", aria_label=label)


def _arrows(name: str) -> str:
    return element("defs", *(_arrow(f"{name}-{kind}", kind) for kind in ("walked", "idle")))


def _arrow(identity: str, kind: str) -> str:
    return element(
        "marker",
        element("path", d="M0 0L10 5L0 10z", class_=f"head {kind}"),
        id=identity,
        viewBox="0 0 10 10",
        refX=9,
        refY=5,
        markerWidth=9,
        markerHeight=9,
        markerUnits="userSpaceOnUse",
        orient="auto-start-reverse",
    )


def _band(band: LayerBand, width: float) -> str:
    return element(
        "g",
        element("rect", x=0, y=band.y, width=width, height=band.height, rx=8, class_="band"),
        words(band.title, x=12, y=band.y + 19, class_="tick strong"),
    )


def _link(link: Link, places: Mapping[str, NodeBox], numbers: Mapping[str, int], most: float, name: str) -> str:
    walked = link.passed is not None
    begin, end = places[link.source], places[link.target]
    path = curve_between(begin, end).path
    thick = _LEAST + (_MOST - _LEAST) * math.sqrt(max(0.0, link.passed or 0.0) / most) if walked else 1.0
    kind = "walked" if walked else "idle"
    said = f"{link.source} → {link.target}: {link.kind}; {link.about}"
    if walked:
        said += f"; passed {link.passed:.4g}{', against the edge' if link.backwards else ''}"
    line = element("path", d=path, class_=f"link {kind}", stroke_width=thick, marker_end=f"url(#{name}-{kind})")
    wide = element("path", d=path, class_="catch")  # so that a thin line can be met with a pointer
    return element("g", hint(said), wide, line, class_="edge", data_ends=_ends(link, numbers))


def _label(link: Link, place: PagePoint, numbers: Mapping[str, int]) -> str:
    x, y = place
    text = words(link.kind, x=round(x, 1), y=round(y, 1), class_="tick clear kind", text_anchor="middle")
    return element("g", text, class_="edge", data_ends=_ends(link, numbers))


def _ends(link: Link, numbers: Mapping[str, int]) -> str:
    return f"{numbers[link.source]} {numbers[link.target]}"


def _node(node: Node, place: NodeBox, number: int) -> str:
    box = element(
        "rect",
        x=place.x,
        y=place.y,
        width=place.width,
        height=place.height,
        rx=place.height / 2 if node.entity else 8,
        class_="box",
    )
    inside = "".join(_entity(node, place) if node.entity else _unit(node, place))
    return element(
        "a",
        hint(_said(node)),
        box,
        inside,
        href=f"#node-{number}",
        class_=f"node {node.part} {'entity' if node.entity else 'unit'}",
        data_node=str(number),
        aria_label=_said(node),
    )


def _unit(node: Node, place: NodeBox) -> Iterator[str]:
    x, y = place.x + 10, place.y + 19
    yield words(shortened(node.label, _LABEL), x=x, y=y, class_="name")
    if node.rank is not None and node.score is not None:
        y += 16
        yield words(f"rank {node.rank} · {node.score:.3g}", x=x, y=y, class_="tick")
    lines = textwrap.wrap(" ".join(node.text.split()), _LETTERS, max_lines=2, placeholder=" …")
    for number, line in enumerate(lines, 1):
        yield words(line, x=x, y=y + 3 + 16 * number, class_="said")


def _entity(node: Node, place: NodeBox) -> Iterator[str]:
    x, y = place.middle
    yield words(shortened(node.label, _LETTERS - 2), x=x, y=y + 4, class_="name", text_anchor="middle")


def _said(node: Node) -> str:
    """What a pointer or a screen reader is told."""
    words_ = {
        "start": "the search began here",
        "reached": "reached over an edge",
        "found": "found by itself",
        "walked": "passed through",
        "near": "not touched",
    }
    place = f"rank {node.rank}, score {node.score:.4g}, " if node.rank is not None and node.score is not None else ""
    facts = "".join(f"; {name} {value}" for name, value in node.facts)
    return f"{node.label}: {place}{words_[node.part]}{facts}"


_WIDE, _NARROW = 6, 2  # nodes side by side on a desk and on a phone
_EMPTY = "<p>There is nothing to draw.</p>"


def render_walk(walk: WalkPicture) -> str:
    """The page as text; all that comes from documents is escaped."""
    return fill_template(
        "walk.html.jinja", styles=("walk.css",), scripts=("walk.js",), walk=walk, pictures=draw_pictures(walk)
    )


def draw_pictures(walk: WalkPicture) -> list[Markup]:
    """The same graph for a desk and for a phone; a stylesheet shows one of them."""
    sizes = {"wide": _WIDE, "narrow": _NARROW}
    drawn = [draw_walk(walk, per_row, name) for name, per_row in sizes.items()] if walk.nodes else [_EMPTY]
    return [Markup(each) for each in drawn]
