"""Pages of folders that `app/views/` shows: memories, analyses, benchmarks, bundles, trainings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.app.pages.walks.page import draw_pictures
from constraintsuite.app.views import SHOWN
from constraintsuite.app.views.display import Display, ShowOptions
from constraintsuite.app.views.memory.graphs import PLAIN, search_memory
from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.app.web.forms import read_whole
from constraintsuite.app.web.pages import page_of
from constraintsuite.app.web.renderer import render
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.sections import Section
from constraintsuite.memory.folder import open_memory

GRAPH, BUNDLE, EXPLAIN, CIRCUIT = "graph", "bundle", "explain", "circuit"
BUDGET, MOST_UNITS = 10, 50
"""The default and the largest number of units that a search returns."""
LONGEST = 2_000
"""Characters that a query may have."""


def show_folder(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """The page of a folder that has no page of its own kind: its tables, drawings and texts."""
    return _render(request, artifact, _display(artifacts, artifact))


def show_explain(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show an analysis and the circuits inside its folder, which may have been added later."""
    circuits = [found for found in artifacts.of_kind(CIRCUIT) if found.path.parent.parent == artifact.path]
    more = [section for found in circuits for section in _display(artifacts, found).sections]
    return _render(request, artifact, _display(artifacts, artifact), more)


def show_circuit(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show a circuit, with a link to its analysis."""
    around = [found for found in artifacts.of_kind(EXPLAIN) if artifact.path.parent.parent == found.path]
    return _render(request, artifact, _display(artifacts, artifact), around=around)


def show_graph(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show a memory and, if the address has a query, the answer with its paths."""
    query = request.query_params.get("q", "").strip()
    mode = request.query_params.get("mode") or next(iter(PLAIN))
    budget = read_whole(request.query_params.get("budget") or str(BUDGET), "Number of units", 1, MOST_UNITS)
    if mode not in PLAIN:
        raise UserError(f"{mode[:40]!r} is not a mode that works without a model. Choose one of: {', '.join(PLAIN)}.")
    if len(query) > LONGEST:
        raise UserError(f"The query is too long: it may have at most {LONGEST:,} characters.")
    walk = search_memory(artifacts.load(artifact, open_memory), query, mode, budget) if query else None
    return _render(
        request,
        artifact,
        _display(artifacts, artifact),
        template="memory.html.jinja",
        modes=PLAIN,
        asked={"q": query, "mode": mode, "budget": budget},
        most=MOST_UNITS,
        longest=LONGEST,
        walk=walk,
        pictures=draw_pictures(walk) if walk is not None else [],
    )


def _display(artifacts: ArtifactIndex, artifact: ServedArtifact) -> Display:
    """The display of a folder, read once and then cached."""
    show = SHOWN.load(artifact.kind)

    def read(path: Path) -> Display:
        return show([path], ShowOptions(circuits=False))  # a circuit has a page of its own

    if artifact.kind == BUNDLE:  # vectors and truths are added without a change of its manifest
        return read(artifact.path)
    return artifacts.load(artifact, read)


def _render(
    request: Request,
    artifact: ServedArtifact,
    display: Display,
    more: Sequence[Section] = (),
    around: Sequence[ServedArtifact] = (),
    template: str = "displayed.html.jinja",
    **values: object,
) -> Response:
    """The page of a folder, with `more` sections at the end, and links to the artifacts `around` it."""
    sections = (*display.sections, *more)
    shared = {"artifact": artifact, "around": around, "display": display, "sections": sections}
    return render(request, template, status=200, title=artifact.label, **shared, **values)


_OWN_PAGES = {GRAPH: show_graph, EXPLAIN: show_explain, CIRCUIT: show_circuit}
PAGES = tuple(page_of(kind, _OWN_PAGES.get(kind, show_folder)) for kind in SHOWN.names() if kind != "suite")
