"""Pages of folders whose sections come from the catalogue of views: memories, analyses, benchmarks, bundles, trainings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.errors import UserError
from constraintsuite.memory.folder import open_memory
from constraintsuite.records.sections import Section
from constraintsuite.reports.walks.page import draw_pictures
from constraintsuite.showing import SHOWN
from constraintsuite.showing.display import Display, ShowOptions
from constraintsuite.showing.memory.graphs import PLAIN, search_memory
from constraintsuite.web.artifact_index import Shelved, WebShelf
from constraintsuite.web.pages import Page, PageView
from constraintsuite.web.rendering import render

TEMPLATE = "displayed.html.jinja"


def view_of(kind: str) -> PageView:
    """The page of all folders of a kind."""

    def show(request: Request, shelf: WebShelf) -> Response:
        one = shelf.get(request.path_params["place"], kind)
        return render_display(request, one, display_of(shelf, one))

    return show


def display_of(shelf: WebShelf, one: Shelved) -> Display:
    """What there is to show of it."""
    show = SHOWN.load(one.kind)

    def read(path: Path) -> Display:
        return show([path], ShowOptions(circuits=False))  # a circuit has a page of its own

    return shelf.load(one, read)


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


EXPLAIN, CIRCUIT, DRIFT = "explain", "circuit", "drift"


def show_explain(request: Request, shelf: WebShelf) -> Response:
    """An analysis, and the circuits that were found in it, which may be younger."""
    one = shelf.get(request.path_params["place"], EXPLAIN)
    circuits = [found for found in shelf.of_kind(CIRCUIT) if found.path.parent.parent == one.path]
    more = [section for found in circuits for section in display_of(shelf, found).sections]
    return render_display(request, one, display_of(shelf, one), more)


def show_circuit(request: Request, shelf: WebShelf) -> Response:
    """One circuit, and the way to the analysis around it."""
    one = shelf.get(request.path_params["place"], CIRCUIT)
    around = [found for found in shelf.of_kind(EXPLAIN) if one.path.parent.parent == found.path]
    return render_display(request, one, display_of(shelf, one), around=around)


PAGES = (
    Page(f"/{EXPLAIN}/{{place:path}}", show_explain),
    Page(f"/{CIRCUIT}/{{place:path}}", show_circuit),
    Page(f"/{DRIFT}/{{place:path}}", view_of(DRIFT)),
)


GRAPH, BUNDLE = "graph", "bundle"
BUDGET, MOST_UNITS = 10, 50
"""Units that a search returns at most: if nothing else is said, and ever."""
LONGEST = 2_000
"""Characters of a query."""


def show_graph(request: Request, shelf: WebShelf) -> Response:
    """What a memory holds; with a query in the address what it answers, and over which paths."""
    one = shelf.get(request.path_params["place"], GRAPH)
    query = request.query_params.get("q", "").strip()
    mode = request.query_params.get("mode") or next(iter(PLAIN))
    budget = _budget(request.query_params.get("budget") or str(BUDGET))
    if mode not in PLAIN:
        raise UserError(f"{mode[:40]!r} is no mode that needs no model. There are: {', '.join(PLAIN)}.")
    if len(query) > LONGEST:
        raise UserError(f"A query may have {LONGEST:,} characters.")
    walk = search_memory(shelf.load(one, open_memory), query, mode, budget) if query else None
    return render_display(
        request,
        one,
        display_of(shelf, one),
        template="memory.html.jinja",
        address=address_of(one),
        modes=PLAIN,
        asked={"q": query, "mode": mode, "budget": budget},
        most=MOST_UNITS,
        longest=LONGEST,
        walk=walk,
        pictures=draw_pictures(walk) if walk is not None else [],
    )


def show_bundle(request: Request, shelf: WebShelf) -> Response:
    """A bundle as it is now: vectors and truths come without a change of its own manifest."""
    one = shelf.get(request.path_params["place"], BUNDLE)
    return render_display(request, one, SHOWN.load(BUNDLE)([one.path], ShowOptions()))


def _budget(said: str) -> int:
    if not (said.isascii() and said.isdecimal() and len(said) < 4 and 1 <= int(said) <= MOST_UNITS):
        raise UserError(f"{said[:40]!r} is no number of units. Ask for 1 to {MOST_UNITS}.")
    return int(said)


PAGES_OTHERS = (
    Page(f"/{GRAPH}/{{place:path}}", show_graph),
    *(Page(f"/{kind}/{{place:path}}", view_of(kind)) for kind in ("memory_run", "ann", "tune", "ranking")),
    Page(f"/{BUNDLE}/{{place:path}}", show_bundle),
)
