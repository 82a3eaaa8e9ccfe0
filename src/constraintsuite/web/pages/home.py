"""The first page: what there is, and what a person can do with it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.annotate.kinds.writing import NAME as WRITING
from constraintsuite.web.drawn import batches_on
from constraintsuite.web.pages import ALL, Page
from constraintsuite.web.rendering import render
from constraintsuite.web.shelf import BATCH, Shelf

TITLES = {
    "suite": "Suites",
    "run": "Runs",
    "report": "Reports",
    BATCH: "To judge",
    "proposals": "Proposals",
    "explain": "Inside a model",
    "circuit": "Circuits",
    "drift": "Drift",
    "tune": "Trainings",
    "graph": "Memories",
    "memory_run": "Memory runs",
    "bundle": "Bundles",
    "ann": "Vector search",
}


def home(request: Request, shelf: Shelf) -> Response:
    """All that is on the shelf, by kind; for annotators and adjudicators what waits for them."""
    role = request.state.person.role
    seen = shelf.all() if role == "owner" else shelf.of_kind(BATCH)
    written = {one.place for one, _ in batches_on(shelf, WRITING)}
    listed = [one for one in seen if one.place not in written]
    groups = [(kind, title, [one for one in listed if one.kind == kind]) for kind, title in TITLES.items()]
    writes = role != "adjudicator" and (written or any(one.kind == "suite" for one in seen))
    return render(
        request,
        "home.html.jinja",
        title="ConstraintSuite",
        groups=[group for group in groups if group[2]],
        writes=len(written) if writes else None,
    )


PAGES = (Page("/", home, ALL),)
