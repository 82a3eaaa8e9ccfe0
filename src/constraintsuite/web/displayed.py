"""Folders whose sections are made by `showing`, in the site's frame; read when they are first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.records.sections import Section
from constraintsuite.showing import SHOWN
from constraintsuite.showing.display import Display
from constraintsuite.web.pages import PageView
from constraintsuite.web.rendering import render
from constraintsuite.web.shelf import Shelved, WebShelf

TEMPLATE = "displayed.html.jinja"


def view_of(kind: str) -> PageView:
    """The page of all folders of a kind."""

    def show(request: Request, shelf: WebShelf) -> Response:
        one = shelf.get(request.path_params["place"], kind)
        return render_display(request, one, display_of(shelf, one))

    return show


def display_of(shelf: WebShelf, one: Shelved) -> Display:
    """What there is to show of it."""
    return shelf.load(one, SHOWN.load(one.kind))


def render_display(
    request: Request,
    one: Shelved,
    display: Display,
    more: Sequence[Section] = (),
    around: Sequence[Shelved] = (),
    template: str = TEMPLATE,
    **values: object,
) -> Response:
    """Its page, with more sections behind its own, and the way to what it lies in."""
    return render(
        request,
        template,
        status=200,
        title=one.label,
        one=one,
        around=[(found.label, address_of(found)) for found in around],
        display=display,
        sections=(*display.sections, *more),
        **values,
    )


def address_of(one: Shelved) -> str:
    """Where its page is."""
    return f"/{one.kind}/{quote(one.place)}"
