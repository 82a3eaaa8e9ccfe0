"""The page of a memory search and its picture. It works offline and without its script."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import NamedTuple

from constraintsuite.app.pages.page import fill_template
from constraintsuite.app.pages.walks.layout import Layout, PagePoint, curve_between, lay_out, place_labels
from constraintsuite.app.pages.walks.model import Link, WalkPicture

_WIDTHS = {"wide": 6, "narrow": 2}  # nodes per row on a desktop and on a phone
_LETTERS = 24  # letters per line inside a node
_LEAST, _MOST = 1.6, 6.0  # widths of lines that the search used


class DrawnLink(NamedTuple):
    """A link, the path of its line, and the width of the line."""

    link: Link
    path: str
    thick: float


class DrawnWalk(NamedTuple):
    """A picture with its positions. The template draws links first, then nodes, then labels."""

    name: str
    """Part of the ids in the picture, so that two pictures on a page share none."""
    layout: Layout
    links: list[DrawnLink]
    labels: list[tuple[Link, PagePoint]]
    lines: Mapping[str, list[str]]
    """The first lines of the text of each node, by id."""


def render_walk(walk: WalkPicture) -> str:
    """The page as text, with everything from documents escaped."""
    return fill_template(
        "walk.html.jinja", styles=("walk.css",), scripts=("walk.js",), walk=walk, pictures=draw_pictures(walk)
    )


def draw_pictures(walk: WalkPicture) -> list[DrawnWalk]:
    """The graph for a desktop and for a phone; the stylesheet shows one of them."""
    return [_draw(walk, name, per_row) for name, per_row in _WIDTHS.items()] if walk.nodes else []


def _draw(walk: WalkPicture, name: str, per_row: int) -> DrawnWalk:
    layout = lay_out(walk, per_row)
    most = max((link.passed for link in walk.links if link.passed is not None), default=0.0) or 1.0
    drawn = sorted(walk.links, key=lambda link: link.passed is not None)  # links that were used are drawn on top
    walked = [link for link in drawn if link.passed is not None]
    lines = {
        node.id: textwrap.wrap(" ".join(node.text.split()), _LETTERS, max_lines=2, placeholder=" …")
        for node in walk.nodes
    }
    return DrawnWalk(
        name,
        layout,
        [DrawnLink(link, _path(link, layout), _thickness(link, most)) for link in drawn],
        list(zip(walked, place_labels(walked, layout), strict=True)),
        lines,
    )


def _path(link: Link, layout: Layout) -> str:
    return curve_between(layout.places[link.source], layout.places[link.target]).path


def _thickness(link: Link, most: float) -> float:
    if link.passed is None:
        return 1.0
    return _LEAST + (_MOST - _LEAST) * math.sqrt(max(0.0, link.passed) / most)
