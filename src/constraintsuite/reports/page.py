"""One self-contained page: no request, light and dark, whole without its script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple

from jinja2 import Environment, StrictUndefined

from constraintsuite.reports.drawings.theme import drawing_style, page_colours
from constraintsuite.reports.sections.base import Section
from constraintsuite.store.files import sha256_text

WIDEST = 8
"""Columns of figures in a table; of more, several tables are made, so that none is cut on paper."""
_TEMPLATES = ("report.html.jinja", "page.css", "page.js", "drawing.css")


class Masthead(NamedTuple):
    """What stands above all sections."""

    title: str
    kind: str
    """Beside the title, on the tab of a browser."""
    about: str


def render_page(head: Masthead, sections: Sequence[Section]) -> str:
    """The page as text; all that comes from a suite or a run is escaped."""
    return fill_template("report.html.jinja", head=head, sections=sections, widest=WIDEST)


def fill_template(name: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), **values: object) -> str:
    """A page that holds the common style and script, some of its own, and nothing from elsewhere."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    own = "".join(_read(each) for each in styles)
    style = f":root {{ {page_colours()} }}\n{_read('page.css')}{drawing_style()}{own}"
    script = "".join(_read(each) for each in ("page.js", *scripts))
    return environment.from_string(_read(name)).render(
        **values,
        style=style,
        style_hash=_named_by_hash(style),
        script=script,
        script_hash=_named_by_hash(script),
    )


def template_hash() -> str:
    """Of all that decides how the page looks beside the code."""
    return sha256_text(*(_read(name) for name in _TEMPLATES))


def _named_by_hash(source: str) -> str:
    """How a content security policy allows this text and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _read(name: str) -> str:
    return (resources.files("constraintsuite.reports") / "templates" / name).read_text(encoding="utf-8")
