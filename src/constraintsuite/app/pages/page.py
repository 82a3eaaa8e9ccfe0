"""Writes a self-contained page that loads nothing, and its tables and pictures as files."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined

from constraintsuite.app.pages.drawings.svg import drawing_style, format_value, page_colours, shortened
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import say
from constraintsuite.core.records.formats import EXPORTED, FORMATS
from constraintsuite.core.records.sections import Section
from constraintsuite.core.store.files import write_text

if TYPE_CHECKING:
    from constraintsuite.app.pages.first_page import FirstPage

WIDEST = 8
"""Columns of figures per table; wider tables are split, so that none is cut off on paper."""


class Masthead(NamedTuple):
    """The head of a page."""

    title: str
    kind: str
    """Shown after the title on the tab of the browser."""
    about: str


def render_page(head: Masthead, sections: Sequence[Section], first: FirstPage | None = None) -> str:
    """The page as text, with everything from suites and runs escaped.

    If there is a first page, all sections are folded below it.
    """
    return fill_template("report.html.jinja", head=head, sections=[s for s in sections if s.blocks], first=first)


def fill_template(name: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), **values: object) -> str:
    """A page with the common styles and scripts and those named here, all inside the page."""
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
    """The Jinja environment: all values are escaped, and an undefined name is an error."""
    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(read)
    )
    made.globals["widest"] = WIDEST
    made.filters |= {"say": say, "svg": format_value, "shortened": shortened}
    return made


def page_rules() -> str:
    """The styles that every page shares: of examples, of the page and its print, and of drawings."""
    return f"{read_template('example.css')}{read_template('page.css')}{drawing_style()}"


def _named_by_hash(source: str) -> str:
    """The hash with which a content security policy allows exactly this text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def read_template(name: str) -> str:
    """The text of a template, style or script."""
    return (resources.files("constraintsuite.app.pages") / "templates" / name).read_text(encoding="utf-8")


PAGE, TABLES, PLOTS = "index.html", "tables", "plots"
TABLE_FILES = tuple(f"{TABLES}/*.{ending}" for ending in EXPORTED.values())
PLOT_FILES = (f"{PLOTS}/*.svg",)
_FOR_PROGRAMS = ("csv", "json")
_ONE_FILE = re.compile(r"[^./\\\0][^/\\\0]*")


def write_files(folder: Path, head: Masthead, sections: Sequence[Section], first: FirstPage | None = None) -> int:
    """Write the page, and each table in each format; return the number of tables.

    If the page shows only a part of a table, the complete table, which has the same name in `files`, is written.
    """
    tables = {table.name: table for section in sections for table in section.tables()}
    _refuse_paths(tables)
    write_text(folder / PAGE, render_page(head, sections, first))
    for table in tables.values():
        for name in _FOR_PROGRAMS if table.long else EXPORTED:
            write_text(folder / TABLES / f"{table.name}.{EXPORTED[name]}", FORMATS.load(name)(table))
    return len(tables)


def write_plots(folder: Path, sections: Sequence[Section]) -> None:
    """Write each picture of the page as an SVG file."""
    drawings = [drawing for section in sections for drawing in section.drawings()]
    _refuse_paths(drawing.name for drawing in drawings)
    for drawing in drawings:
        write_text(folder / PLOTS / f"{drawing.name}.svg", str(drawing))


def _refuse_paths(names: Iterable[str]) -> None:
    """Refuse names that are paths. Names may come from the run of someone else, and no file may leave the report."""
    for name in names:
        if not _ONE_FILE.fullmatch(name):
            raise UserError(
                f"{name!r} cannot be the name of a file in a report: it has a slash, a backslash or a leading dot. Was the run edited?"
            )
