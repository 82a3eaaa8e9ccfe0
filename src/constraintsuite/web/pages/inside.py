"""Inside a model: analyses, circuits and drifts."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.web.displayed import display_of, render_display, view_of
from constraintsuite.web.pages import Page
from constraintsuite.web.shelf import WebShelf

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
