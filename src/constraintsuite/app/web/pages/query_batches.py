"""Batches for writing queries: the list, drawing a new one, and exporting the queries as a test set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.web.annotator_session import progress_of_all
from constraintsuite.app.web.artifact_index import BATCH, ArtifactIndex, ServedArtifact
from constraintsuite.app.web.commands import shell_path
from constraintsuite.app.web.forms import first_value, read_whole
from constraintsuite.app.web.new_folders import create_sibling, list_siblings, require_sibling_allowed, sibling_fault
from constraintsuite.app.web.origins import batches_on, served_batch, writing_address
from constraintsuite.app.web.pages import JUDGES, OWNER, Page, page_of
from constraintsuite.app.web.pages.queries import MODELS
from constraintsuite.app.web.renderer import render
from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import open_batch, write_batch
from constraintsuite.suites.annotation.current_answers import current_answers, progress_of
from constraintsuite.suites.annotation.kinds.written_queries import NAME, collect_queries, sample_passages, write_nevir

EXPORT = "nevir"
DEFAULT_SIZE, MOST = 50, 2_000


def show_all(request: Request, artifacts: ArtifactIndex) -> Response:
    """List all batches with the person's progress; an owner also gets the form for a new one."""
    return _render_form(request, artifacts, {"suite": "", "size": str(DEFAULT_SIZE), "seed": "0"}, ())


def create_batch(request: Request, artifacts: ArtifactIndex) -> Response:
    """Draw pairs of passages from a suite into a new batch next to it."""
    form = request.state.form
    given = {name: first_value(form, name) for name in ("suite", "size", "seed")}
    models = tuple(name for name in MODELS if name in form.get("model", ()))
    try:
        size, seed = read_whole(given["size"], "Pairs", 1, MOST), read_whole(given["seed"], "Seed", 0, 2**31)
        suite = artifacts.get(given["suite"], "suite")
        require_sibling_allowed(artifacts, suite)
        items = sample_passages(suite.path, size, seed, models)
        with create_sibling(artifacts, suite, NAME) as folder:
            write_batch(folder, items, seed=seed, repeats=0.0)
    except UserError as error:
        return _render_form(request, artifacts, given, models, artifacts.describe_error(error), 422)
    return RedirectResponse(writing_address(artifacts.get(folder.relative_to(artifacts.root).as_posix(), BATCH)), 303)


def show_export(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show what would be exported now, and the earlier exports with the commands that read them."""
    batch = served_batch(artifacts, artifact, writing=True)
    found = collect_queries(batch, current_answers(batch.store.events()))
    return render(
        request,
        "writing_export.html.jinja",
        title=f"What was written for {artifact.name}",
        address=writing_address(artifact),
        kept=[each for each in found if not each.faults],
        left_out=[each for each in found if each.faults],
        items=len(batch.judged),
        nowhere=sibling_fault(artifacts, artifact),
        made=[(folder.name, _commands(folder)) for folder in reversed(list_siblings(artifacts, artifact, EXPORT))],
    )


def export(_request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Write the queries in NevIR's layout into a new folder."""
    batch = served_batch(artifacts, artifact, writing=True)
    with create_sibling(artifacts, artifact, EXPORT) as folder:
        write_nevir(batch, folder)
    return RedirectResponse(f"{writing_address(artifact)}/export", 303)


def _render_form(
    request: Request,
    artifacts: ArtifactIndex,
    given: Mapping[str, str],
    models: tuple[str, ...],
    fault: str = "",
    status: int = 200,
) -> Response:
    owner, name = request.state.person.role == "owner", request.state.person.name
    suites = [artifact for artifact in artifacts.of_kind("suite") if owner and not sibling_fault(artifacts, artifact)]
    batches = [(artifact, artifacts.load(artifact, open_batch)) for artifact, _ in batches_on(artifacts, NAME)]
    rows = [
        (
            artifact,
            writing_address(artifact),
            progress_of(batch, name, batch.store.events(name)),
            progress_of_all(batch) if owner else (),
        )
        for artifact, batch in batches
    ]
    return render(
        request,
        "writing_all.html.jinja",
        status=status,
        title="Write queries",
        rows=rows,
        suites=suites,
        nowhere=next(filter(None, (sibling_fault(artifacts, artifact) for artifact in artifacts.of_kind("suite"))), ""),
        owner=owner,
        given=given,
        models=[(model, model in models) for model in MODELS],
        fault=fault,
        most=MOST,
    )


def _commands(folder: Path) -> list[str]:
    """One command per split, since the splits of NevIR are separate test sets."""
    files = sorted(folder.glob("*.jsonl"))
    return [f"csuite import nevir {shell_path(file)} --out suites/written-{file.stem}" for file in files]


PAGES = (
    Page("/writing", show_all, JUDGES),
    Page("/writing", create_batch, OWNER, "POST"),
    page_of(BATCH, show_export, "/export", at=NAME),
    page_of(BATCH, export, "/export", method="POST", at=NAME),
)
