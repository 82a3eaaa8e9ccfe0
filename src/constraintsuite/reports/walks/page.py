"""The page of a search: it opens offline, in light and dark, on a phone, and is whole without its script."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from constraintsuite.reports.drawings.theme import drawing_style, page_colours
from constraintsuite.reports.walks.drawing import draw_walk
from constraintsuite.reports.walks.model import Walk

_WIDE, _NARROW = 6, 2  # nodes side by side on a desk and on a phone


def render_walk(walk: Walk) -> str:
    """The page as text; all that comes from documents is escaped."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    style = f":root {{ {page_colours()} }}\n{_read('page.css')}{drawing_style()}{_read('walk.css')}"
    script = _read("page.js") + _read("walk.js")
    pictures = [draw_walk(walk, _WIDE, "wide"), draw_walk(walk, _NARROW, "narrow")]
    return environment.from_string(_read("walk.html.jinja")).render(
        walk=walk,
        pictures=[Markup(picture) for picture in pictures],
        style=style,
        style_hash=_named_by_hash(style),
        script=script,
        script_hash=_named_by_hash(script),
    )


def _named_by_hash(source: str) -> str:
    """How a content security policy allows this text and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _read(name: str) -> str:
    return (resources.files("constraintsuite.reports") / "templates" / name).read_text(encoding="utf-8")
