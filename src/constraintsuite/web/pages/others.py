"""Memories and their runs, benchmarks of vector search, bundles, trainings, and rankings."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.errors import UserError
from constraintsuite.memory.folder import open_memory
from constraintsuite.reports.walks.page import draw_pictures
from constraintsuite.showing import SHOWN
from constraintsuite.showing.display import ShowOptions
from constraintsuite.showing.memory.graphs import PLAIN, search_memory
from constraintsuite.web.displayed import address_of, display_of, render_display, view_of
from constraintsuite.web.pages import Page
from constraintsuite.web.shelf import WebShelf

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


PAGES = (
    Page(f"/{GRAPH}/{{place:path}}", show_graph),
    *(Page(f"/{kind}/{{place:path}}", view_of(kind)) for kind in ("memory_run", "ann", "tune", "ranking")),
    Page(f"/{BUNDLE}/{{place:path}}", show_bundle),
)
