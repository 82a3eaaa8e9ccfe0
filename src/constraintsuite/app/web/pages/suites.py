"""Suites: their examples with filters and search, one example, the suite as a whole, and rejected pairs."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.app.web.pages import page_of
from constraintsuite.app.web.renderer import render
from constraintsuite.app.web.runs.outcomes import outcomes_in
from constraintsuite.app.web.suites.about import MOST, list_rejects, read_about, read_rejects, show_reject
from constraintsuite.app.web.suites.details import LONGEST, describe_example, raw_json
from constraintsuite.app.web.suites.facets import parse_terms, snippet
from constraintsuite.app.web.suites.search import (
    PAGE,
    PER_PAGE,
    paginate,
    read_choice,
    read_index,
    read_page,
    show_found,
)
from constraintsuite.core.errors import UserError
from constraintsuite.experiments.load import has_pairs

KIND = "suite"
_SHOWN_AT_ONCE = ("constraint", "slice", "split", "domain", "relation", "cue", "pattern", "control")
"""Filters that are shown next to the search; the others are folded."""


def show_suite(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show the examples of a suite; for a suite without pairs, the page about it."""
    page = _examples if has_pairs(dict(artifact.counts)) else _about
    return page(request, artifacts, artifact)


def _examples(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    index = artifacts.load(artifact, read_index)
    given = request.query_params.multi_items()
    choice = read_choice(given, index.facets)
    if any(not value for _, value in given):  # forms also send empty fields; the final address has none
        return RedirectResponse(artifact.address + choice.query(), 303)
    terms = parse_terms(choice.search)
    found = show_found(index, index.find(choice), choice, _SHOWN_AT_ONCE, lambda example: snippet(example, terms))
    return _render(request, artifact, "suite.html.jinja", to=lambda chosen: artifact.address + chosen.query(), **found)


def _example(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    index = artifacts.load(artifact, read_index)
    given = [(name, value) for name, value in request.query_params.multi_items() if name != "id" and value]
    choice = read_choice(given, index.facets).at(1)
    example = index.get(_id(request))
    around = index.find(choice).members
    place = index.places[example.id]
    at = around.index(place) if place in around else None
    return _render(
        request,
        artifact,
        "suite_example.html.jinja",
        choice=choice.at(1 if at is None else at // PER_PAGE + 1),
        shown=describe_example(index, example),
        at=at,
        total=len(around),
        longest=LONGEST,
        runs=outcomes_in(artifacts, artifact, example.id),
        before=index.examples[around[at - 1]] if at else None,
        after=index.examples[around[at + 1]] if at is not None and at + 1 < len(around) else None,
    )


def _raw(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    return Response(raw_json(artifacts.load(artifact, read_index).get(_id(request))), media_type="application/json")


def _about(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    rejects = list_rejects(artifact.address, artifacts.load(artifact, read_rejects))
    sections = artifacts.load(artifact, read_about)
    return _render(request, artifact, "suite_about.html.jinja", sections=sections, rejects=rejects)


def _rejects(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    rejects = artifacts.load(artifact, read_rejects)
    reason = request.query_params.get("reason", "")
    if reason not in rejects.counts:
        raise UserError(f"No pair was rejected for the reason {reason[:200]!r}.")
    shown = paginate(rejects.drafts.get(reason, ()), read_page(request.query_params.get(PAGE, "1")))
    return _render(
        request,
        artifact,
        "suite_rejects.html.jinja",
        reason=reason,
        count=rejects.counts[reason],
        most=MOST,
        pagination=shown,
        rows=[show_reject(rejects, draft) for draft in shown.items],
    )


def _render(request: Request, artifact: ServedArtifact, template: str, **values: object) -> Response:
    shared = {"artifact": artifact, "address": artifact.address, "pairs": has_pairs(dict(artifact.counts))}
    return render(request, template, status=200, title=artifact.label, **shared, **values)


def _id(request: Request) -> str:
    return request.query_params.get("id", "")


PAGES = (
    page_of(KIND, _example, "/example"),
    page_of(KIND, _raw, "/example.json"),
    page_of(KIND, _about, "/about"),
    page_of(KIND, _rejects, "/rejects"),
    page_of(KIND, show_suite),
)
