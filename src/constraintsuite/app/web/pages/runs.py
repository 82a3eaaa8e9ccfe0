"""Runs: the leaderboard of a suite, the figures and examples of a run, and the pages of reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.pages.page import PAGE
from constraintsuite.app.web.artifact_index import REPORT, RUN, SUITE, ArtifactIndex, ServedArtifact
from constraintsuite.app.web.commands import eval_command, quickstart_command
from constraintsuite.app.web.origins import SuiteFamily, families, family_of, require_suite, suite_of_run
from constraintsuite.app.web.pages import Page, page_of
from constraintsuite.app.web.renderer import render
from constraintsuite.app.web.runs.figures import SLICE, Board, make_board, run_sections
from constraintsuite.app.web.runs.outcomes import PART, RESULT_FACETS, outcomes_of, show_result
from constraintsuite.app.web.suites.search import read_choice, read_index, show_found
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments.load import Run, load_run

_HASH = rb"'sha256-[A-Za-z0-9+/]{43}='"
_POLICY = re.compile(rb'"(default-src \'none\'; style-src ' + _HASH + rb"; script-src " + _HASH + rb'; img-src data:)"')
_NOTHING = "default-src 'none'"
_ALONE = "sandbox allow-scripts; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""A report may come from anyone, so its page gets no cookies, requests or forms of this site."""
_HEAD = 2_000  # bytes of a page that are searched for its policy


def show_report(_request: Request, _artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Serve the page of a report under its own policy; a page without one gets neither styles nor scripts."""
    page = _read(artifact.path)
    stated = _POLICY.search(page[:_HEAD])
    policy = f"{stated[1].decode() if stated else _NOTHING}; {_ALONE}"
    return Response(page, media_type="text/html", headers={"content-security-policy": policy})


def _read(folder: Path) -> bytes:
    if PAGE not in Artifact.open(folder, REPORT).manifest.files:
        raise UserError(f"{folder.name}: this report has tables but no page.")
    if (folder / PAGE).is_symlink():
        raise UserError(f"{folder / PAGE}: the page is a link, and links are not followed. Copy the page itself there.")
    return (folder / PAGE).read_bytes()


ORDER = "order"
_ORDERS = {"": "as in the suite", "worst": "smallest gap first", "best": "largest gap first"}
_SIGNS = {"worst": 1, "best": -1}
_SHOWN_AT_ONCE = ("constraint", "slice", "domain", "relation", "cue", "control")
"""Filters of the suite that are shown next to the filters of the run; the others are collapsed."""
_BOARD, _EXAMPLES = "/runs", "examples"


def show_board(request: Request, artifacts: ArtifactIndex) -> Response:
    """Show the leaderboard of the suite in the address, or list all suites with runs."""
    place = request.query_params.get(SUITE)
    if place is None:
        return _list(request, artifacts)
    suite = artifacts.get(place, SUITE)
    family = family_of(artifacts, suite)
    runs, faults = _load(artifacts, family.runs)
    board = None
    if runs:
        given = request.query_params
        loaded = artifacts.load(suite, read_index).suite
        board = make_board(loaded, runs, given.get("metric", ""), given.get("by", SLICE))
    return render(
        request,
        "run_board.html.jinja",
        title=f"Runs of {suite.label}",
        suite=suite,
        command=eval_command(suite),
        board=board,
        faults=faults,
        labels=family.rivals(),
        reports=family.reports,
        first=board.first_page() if board else None,
        sections=board.sections() if board else [],
        link=lambda **changed: _board_link(suite, board, **changed),
    )


def _list(request: Request, artifacts: ArtifactIndex) -> Response:
    suites = artifacts.of_kind(SUITE)
    return render(
        request,
        "runs.html.jinja",
        title="Runs",
        families=[family for family in families(artifacts) if family.runs],
        command=eval_command(suites[0]) if suites else quickstart_command(artifacts),
    )


def show_run(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show the figures of one run."""
    run, family = artifacts.load(artifact, load_run), family_of(artifacts, artifact)
    suite = suite_of_run(artifacts, family, artifact)
    return _render(request, artifact, run, family, suite, "run.html.jinja", sections=run_sections(run))


def show_examples(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show the examples of a run, which can be filtered by outcome."""
    run, family = artifacts.load(artifact, load_run), family_of(artifacts, artifact)
    suite = require_suite(artifacts, family, artifact)
    index, results = outcomes_of(artifacts.load(suite, read_index), run), {result.id: result for result in run.results}
    given = request.query_params.multi_items()
    order = request.query_params.get(ORDER, "")
    if order not in _ORDERS:
        raise UserError(
            f"{order[:40]!r} is not an order of examples. Choose one of: {', '.join(filter(None, _ORDERS))}."
        )
    choice = read_choice([item for item in given if item[0] != ORDER], index.facets)
    kept, sign = {ORDER: order} if order else {}, _SIGNS.get(order)
    address = f"{artifact.address}/{_EXAMPLES}"
    if any(not value for _, value in given):  # forms also send empty fields; the final address has none
        return RedirectResponse(address + choice.query(**kept), 303)
    found = show_found(
        index,
        index.find(choice),
        choice,
        (*RESULT_FACETS, *_SHOWN_AT_ONCE),
        lambda example: show_result(results[example.id]),
        (lambda example: sign * results[example.id].gaps["query"]) if sign else None,
    )
    more = {"orders": _ORDERS, "order": order, "to": lambda chosen: address + chosen.query(**kept)}
    return _render(request, artifact, run, family, suite, "run_examples.html.jinja", **more, **found)


def _render(
    request: Request,
    artifact: ServedArtifact,
    run: Run,
    family: SuiteFamily,
    suite: ServedArtifact | None,
    template: str,
    **values: object,
) -> Response:
    shared = {
        "artifact": artifact,
        "examples": f"{artifact.address}/{_EXAMPLES}",
        "part": urlencode({PART: "main"}),
        "family": family,
        "suite": suite,
        "others": _others(family, artifact),
    }
    return render(request, template, status=200, title=run.summary.system, **shared, **values)


def _others(family: SuiteFamily, artifact: ServedArtifact) -> dict[str, str]:
    """The runs that a run can be compared with; empty for a run of the random system."""
    rivals = family.rivals()
    return {place: label for place, label in rivals.items() if artifact.place in rivals and place != artifact.place}


def _load(
    artifacts: ArtifactIndex, runs: Sequence[ServedArtifact]
) -> tuple[list[tuple[ServedArtifact, Run]], list[str]]:
    """The runs that can be read, and messages about the others."""
    loaded, faults = [], []
    for artifact in runs:
        try:
            loaded.append((artifact, artifacts.load(artifact, load_run)))
        except UserError as error:
            faults.append(artifacts.describe_error(error))
    return loaded, faults


def _board_link(suite: ServedArtifact, board: Board | None, **changed: str) -> str:
    now = {"metric": board.metric.name, "by": board.by} if board else {}
    return f"{_BOARD}?{urlencode({SUITE: suite.place, **now, **changed})}"


PAGES = (
    page_of(REPORT, show_report),
    Page(_BOARD, show_board),
    page_of(RUN, show_examples, f"/{_EXAMPLES}"),
    page_of(RUN, show_run),
)
