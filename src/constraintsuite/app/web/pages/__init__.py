"""The pages of the site: one file per topic, with its routes and the roles that may use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.app.web.access import PersonRole
from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.core.catalogue import Catalogue

PageView = Callable[[Request, ArtifactIndex], Response]
"""Makes the response to a request. It runs in a thread, so it may read files and wait."""
OWNER: frozenset[PersonRole] = frozenset({"owner"})
JUDGES: frozenset[PersonRole] = frozenset({"owner", "annotator"})
RULERS: frozenset[PersonRole] = frozenset({"owner", "adjudicator"})
ALL: frozenset[PersonRole] = frozenset({"owner", "annotator", "adjudicator"})


@dataclass(frozen=True, slots=True)
class Page:
    """A route of the site."""

    path: str
    """In the syntax of Starlette, such as `/suite/{place:path}`."""
    view: PageView
    roles: frozenset[PersonRole] = OWNER
    method: str = "GET"


def page_of(
    kind: str,
    view: Callable[[Request, ArtifactIndex, ServedArtifact], Response],
    below: str = "",
    roles: frozenset[PersonRole] = OWNER,
    method: str = "GET",
    at: str = "",
) -> Page:
    """A page for each artifact of a kind, at the address of the artifact plus `below`; `view` gets the artifact.

    The address begins with the kind, or with `at`.
    """

    def show(request: Request, artifacts: ArtifactIndex) -> Response:
        return view(request, artifacts, artifacts.get(request.path_params["place"], kind))

    return Page(f"/{at or kind}/{{place:path}}{below}", show, roles, method)


PAGES: Catalogue[tuple[Page, ...]] = Catalogue(
    "page",
    {
        "home": "constraintsuite.app.web.pages.home:PAGES",
        "suites": "constraintsuite.app.web.pages.suites:PAGES",
        "runs": "constraintsuite.app.web.pages.runs:PAGES",
        "compare": "constraintsuite.app.web.pages.compare:PAGES",
        "proposals": "constraintsuite.app.web.pages.proposals:PAGES",
        "writings": "constraintsuite.app.web.pages.query_batches:PAGES",
        "writing": "constraintsuite.app.web.pages.queries:PAGES",
        "rulings": "constraintsuite.app.web.pages.rulings:PAGES",
        "batches": "constraintsuite.app.web.pages.batches:PAGES",
        "annotate": "constraintsuite.app.web.pages.annotate:PAGES",
        "folders": "constraintsuite.app.web.pages.folders:PAGES",
    },
)
