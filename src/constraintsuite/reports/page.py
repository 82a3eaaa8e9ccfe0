"""One self-contained page: no request, light and dark, whole without its script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined

from constraintsuite.records.figures import say
from constraintsuite.records.sections import Section
from constraintsuite.reports.drawings.theme import drawing_style, page_colours

if TYPE_CHECKING:
    from constraintsuite.reports.first_page import FirstPage

WIDEST = 8
"""Columns of figures in a table; of more, several tables are made, so that none is cut on paper."""


class Masthead(NamedTuple):
    """What stands above all sections."""

    title: str
    kind: str
    """Beside the title, on the tab of a browser."""
    about: str


def render_page(head: Masthead, sections: Sequence[Section], first: FirstPage | None = None) -> str:
    """The page as text; all that comes from a suite or a run is escaped.

    Where there is a first page, all sections are folded below it.
    """
    return fill_template("report.html.jinja", head=head, sections=[s for s in sections if s.blocks], first=first)


def fill_template(name: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), **values: object) -> str:
    """A page that holds the common style and script, some of its own, and nothing from elsewhere."""
    own = "".join(read_template(each) for each in styles)
    style = f":root {{ {page_colours()} }}\n{page_rules()}{own}"
    script = "".join(read_template(each) for each in ("page.js", *scripts))
    template = make_environment(read_template).get_template(name)
    return template.render(
        **values,
        style=style,
        style_hash=_named_by_hash(style),
        script=script,
        script_hash=_named_by_hash(script),
    )


def make_environment(read: Callable[[str], str]) -> Environment:
    """What fills templates: all values are escaped, and a name that is not given is an error."""
    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(read)
    )
    made.globals["widest"] = WIDEST
    made.filters["say"] = say
    return made


def page_rules() -> str:
    """The rules that every page shares: of examples, of the page, which changes some of these on paper, and of drawings."""
    return f"{read_template('example.css')}{read_template('page.css')}{drawing_style()}"


def _named_by_hash(source: str) -> str:
    """How a content security policy allows this text and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def read_template(name: str) -> str:
    """The text of a template, style or script."""
    return (resources.files("constraintsuite.reports") / "templates" / name).read_text(encoding="utf-8")
