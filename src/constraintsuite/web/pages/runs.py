"""Runs: the leaderboard of a suite, one run's figures, and its examples by how they came out."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.errors import UserError
from constraintsuite.experiments.load import Run, load_run
from constraintsuite.reports.marks import cut, query_marks
from constraintsuite.web.artifact_index import Shelved, WebShelf
from constraintsuite.web.commands import eval_command, quickstart_command
from constraintsuite.web.origins import RUN, SUITE, SuiteFamily, families, family_of, suite_of_run
from constraintsuite.web.pages import Page
from constraintsuite.web.rendering import render
from constraintsuite.web.runs.figures import SLICE, Board, make_board, run_sections
from constraintsuite.web.runs.outcomes import PART, ResultIndex, outcomes_of, show_result
from constraintsuite.web.suites.search import ExampleFilter, leaf, read_choice, read_index

ORDER = "order"
_ORDERS = {"": "as in the suite", "worst": "smallest gap first", "best": "largest gap first"}
_SHOWN_AT_ONCE = ("slice", "domain", "relation", "cue", "control")
"""Filters of the suite that stand beside those of the run; the others are folded."""
_BOARD, _EXAMPLES = "/runs", "examples"


def show_board(request: Request, shelf: WebShelf) -> Response:
    """All runs of the suite that the address names; without one, what suites and runs there are."""
    place = request.query_params.get(SUITE)
    if place is None:
        return _list(request, shelf)
    suite = shelf.get(place, SUITE)
    family = family_of(shelf, suite)
    runs, faults = _load(shelf, family.runs)
    board = None
    if runs:
        given = request.query_params
        loaded = shelf.load(suite, read_index).suite
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


def _list(request: Request, shelf: WebShelf) -> Response:
    suites = shelf.of_kind(SUITE)
    return render(
        request,
        "runs.html.jinja",
        title="Runs",
        families=[family for family in families(shelf) if family.runs],
        command=eval_command(suites[0]) if suites else quickstart_command(shelf),
    )


def show_run(request: Request, shelf: WebShelf) -> Response:
    """The figures of one run."""
    one = shelf.get(request.path_params["place"], RUN)
    run, family = shelf.load(one, load_run), family_of(shelf, one)
    suite = suite_of_run(shelf, family, one)
    return _render(request, one, run, family, suite, "run.html.jinja", sections=run_sections(run))


def show_examples(request: Request, shelf: WebShelf) -> Response:
    """Its examples, by how they came out."""
    one = shelf.get(request.path_params["place"], RUN)
    run, family = shelf.load(one, load_run), family_of(shelf, one)
    suite = suite_of_run(shelf, family, one)
    if suite is None:
        raise UserError("The suite of this run is not in the folder that is served, so its examples cannot be shown.")
    outcomes = outcomes_of(shelf.load(suite, read_index), run)
    given = request.query_params.multi_items()
    order = request.query_params.get(ORDER, "")
    if order not in _ORDERS:
        raise UserError(f"{order[:40]!r} is no order of examples. There are: {', '.join(filter(None, _ORDERS))}.")
    choice = read_choice([item for item in given if item[0] != ORDER], outcomes.choosable)
    kept = {ORDER: order} if order else {}
    address = f"{_address(one)}/{_EXAMPLES}"
    if any(not value for _, value in given):  # a form sends empty fields too; the address that stays has none
        return RedirectResponse(address + choice.query(**kept), 303)
    return _render(
        request,
        one,
        run,
        family,
        suite,
        "run_examples.html.jinja",
        orders=_ORDERS,
        order=order,
        to=lambda chosen: address + chosen.query(**kept),
        **_found(outcomes, choice, run, order),
    )


def _found(outcomes: ResultIndex, choice: ExampleFilter, run: Run, order: str) -> dict[str, object]:
    """The examples of a choice, and what else could be chosen."""
    found, results = outcomes.find(choice), {result.id: result for result in run.results}
    examples = [outcomes.index.examples[member] for member in found.members]
    if order:
        sign = 1 if order == "worst" else -1
        examples.sort(key=lambda example: sign * results[example.id].gaps["query"])
    shown = leaf(examples, choice.page)
    first = (*outcomes.own, *_SHOWN_AT_ONCE)
    offers = [offer for offer in found.offers if offer.useful]
    return {
        "choice": choice,
        "leaf": shown,
        "parts": outcomes.index.parts(found),
        "rows": [(e, cut(e.query, query_marks(e)), show_result(results[e.id])) for e in shown.things],
        "first_offers": [offer for offer in offers if offer.facet.name in first],
        "more_offers": [offer for offer in offers if offer.facet.name not in first],
    }


def _render(
    request: Request,
    one: Shelved,
    run: Run,
    family: SuiteFamily,
    suite: Shelved | None,
    template: str,
    **values: object,
) -> Response:
    shared = {
        "one": one,
        "address": _address(one),
        "examples": f"{_address(one)}/{_EXAMPLES}",
        "part": urlencode({PART: "main"}),
        "family": family,
        "suite": suite,
        "others": _others(family, one),
    }
    return render(request, template, status=200, title=run.summary.system, **shared, **values)


def _others(family: SuiteFamily, one: Shelved) -> dict[str, str]:
    """The runs that a run can be compared with; none for one of the model that guesses."""
    rivals = family.rivals()
    return {place: label for place, label in rivals.items() if one.place in rivals and place != one.place}


def _load(shelf: WebShelf, runs: Sequence[Shelved]) -> tuple[list[tuple[Shelved, Run]], list[str]]:
    """The runs that can be read, and why others cannot: one damaged folder must not hide the rest."""
    loaded, faults = [], []
    for one in runs:
        try:
            loaded.append((one, shelf.load(one, load_run)))
        except UserError as error:
            faults.append(shelf.told(error))
    return loaded, faults


def _board_link(suite: Shelved, board: Board | None, **changed: str) -> str:
    now = {"metric": board.metric.name, "by": board.by} if board else {}
    return f"{_BOARD}?{urlencode({SUITE: suite.place, **now, **changed})}"


def _address(one: Shelved) -> str:
    return f"/{RUN}/{quote(one.place)}"


PAGES = (
    Page(_BOARD, show_board),
    Page(f"/{RUN}/{{place:path}}/{_EXAMPLES}", show_examples),
    Page(f"/{RUN}/{{place:path}}", show_run),
)
