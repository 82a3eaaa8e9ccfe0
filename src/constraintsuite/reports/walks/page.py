"""The page of a search: it opens offline, in light and dark, on a phone, and is whole without its script."""

from __future__ import annotations

from markupsafe import Markup

from constraintsuite.reports.page import fill_template
from constraintsuite.reports.walks.drawing import draw_walk
from constraintsuite.reports.walks.model import WalkPicture

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
