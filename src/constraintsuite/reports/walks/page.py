"""The page of a search: it opens offline, in light and dark, on a phone, and is whole without its script."""

from __future__ import annotations

from markupsafe import Markup

from constraintsuite.reports.page import fill_template
from constraintsuite.reports.walks.drawing import draw_walk
from constraintsuite.reports.walks.model import Walk

_WIDE, _NARROW = 6, 2  # nodes side by side on a desk and on a phone


def render_walk(walk: Walk) -> str:
    """The page as text; all that comes from documents is escaped."""
    pictures = [Markup(draw_walk(walk, _WIDE, "wide")), Markup(draw_walk(walk, _NARROW, "narrow"))]
    return fill_template("walk.html.jinja", styles=("walk.css",), scripts=("walk.js",), walk=walk, pictures=pictures)
