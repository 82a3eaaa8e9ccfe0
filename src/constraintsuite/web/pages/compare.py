"""Two runs of one suite: who is right where the other is not, and whether the difference could be chance."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.errors import UserError
from constraintsuite.experiments.compare import Comparison
from constraintsuite.experiments.differences import LEGEND
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.load import Run, load_run
from constraintsuite.experiments.pair_experiment import pair_experiments
from constraintsuite.experiments.run_labels import name_runs
from constraintsuite.metrics.pairwise import METRICS, PairMetric
from constraintsuite.reports.comparison import comparison_tables
from constraintsuite.reports.grouped import words_for
from constraintsuite.reports.marks import cut, query_marks
from constraintsuite.web.artifact_index import Shelved, WebShelf
from constraintsuite.web.origins import RUN, SuiteFamily, family_of, suite_of_run
from constraintsuite.web.pages import Page
from constraintsuite.web.rendering import render
from constraintsuite.web.runs.outcomes import CELL, CELLS, ResultIndex, cells_of, show_result
from constraintsuite.web.suites.search import ExampleFilter, leaf, read_choice, read_index

FIRST, SECOND, METRIC, BY = "a", "b", "metric", "by"
_OWN = (FIRST, SECOND, METRIC, BY)
_METRICS = ("accuracy", "paired_accuracy", "opposite_accuracy")
"""Those in which an example is right or wrong."""
_SHOWN_AT_ONCE = (CELL, "slice", "domain", "relation", "cue")


def show_comparison(request: Request, shelf: WebShelf) -> Response:
    """Counts of the four cells, the paired test, and the examples of a cell: those first whose gaps are furthest apart."""
    given = request.query_params
    first, second = (shelf.get(given.get(name, ""), RUN) for name in (FIRST, SECOND))
    family, metric, by = _family(shelf, first, second), _metric(given.get(METRIC, "")), given.get(BY, "")
    suite = _suite(shelf, family, first)
    index = shelf.load(suite, read_index)
    runs = name_runs([shelf.load(one, load_run) for one in (first, second)])
    cells = cells_of(index, runs, metric)
    own = {FIRST: first.place, SECOND: second.place, METRIC: metric.name} | ({BY: by} if by else {})
    choice = read_choice([item for item in given.multi_items() if item[0] not in _OWN], cells.choosable)
    if any(not value for _, value in given.multi_items()):  # a form sends empty fields too
        return RedirectResponse(_address(own, choice), 303)
    compared = shelf.keep(  # its bootstrap takes longer than all else here, and is the same on every page of examples
        ("compare", metric.name, by),
        (suite, first, second),
        lambda: compare_experiments(pair_experiments(index.suite, runs), [metric.name], by=by or None, changed=None),
    )
    return render(
        request,
        "run_compare.html.jinja",
        status=200,
        title=" and ".join(runs),
        suite=suite,
        offered=family.rivals(),
        chosen=(first, second),
        labels=tuple(runs),
        own=own,
        metric=metric,
        metrics=[METRICS[name] for name in _METRICS],
        groupings={name: words_for(name) for name in _shared(runs)},
        by=by,
        tables=comparison_tables(compared),
        legend=LEGEND,
        left_out=compared.left_out,
        swapped=_address({**own, FIRST: second.place, SECOND: first.place}, choice.without(CELL)),
        **_found(cells, choice, compared, runs),
        **_links(own, choice),
    )


def _found(
    cells: ResultIndex, choice: ExampleFilter, compared: Comparison, runs: Mapping[str, Run]
) -> dict[str, object]:
    """The examples of a choice, and what else could be chosen."""
    found = cells.find(choice)
    (changes,) = compared.changes.values()
    furthest = {change.id: place for place, change in enumerate(changes)}
    examples = [cells.index.examples[member] for member in found.members]
    examples.sort(key=lambda example: furthest.get(example.id, len(furthest)))
    shown = leaf(examples, choice.page)
    results = [{result.id: result for result in run.results} for run in runs.values()]
    offers = [offer for offer in found.offers if offer.useful]
    return {
        "cell": found.offers[0],
        "choice": choice,
        "leaf": shown,
        "parts": cells.index.parts(found),
        "rows": [
            (e, cut(e.query, query_marks(e)), [show_result(known[e.id]) for known in results]) for e in shown.things
        ],
        "first_offers": [offer for offer in offers if offer.facet.name in _SHOWN_AT_ONCE],
        "more_offers": [offer for offer in offers if offer.facet.name not in _SHOWN_AT_ONCE],
    }


def _links(own: Mapping[str, str], choice: ExampleFilter) -> dict[str, object]:
    """To other choices of the same comparison."""
    return {
        "to": lambda chosen: _address(own, chosen),
        "everything": _address(own, ExampleFilter()),
        "cells": {cell: _address(own, ExampleFilter({**choice.values, CELL: cell}, choice.search)) for cell in CELLS},
    }


def _shared(runs: Mapping[str, Run]) -> list[str]:
    """Groupings of main examples that both runs have."""
    first, second = (run.summary.by for run in runs.values())
    return [name for name in first if name in second and name != "control"]


def _family(shelf: WebShelf, first: Shelved, second: Shelved) -> SuiteFamily:
    family = family_of(shelf, first)
    if second not in family:
        raise UserError(f"{first.place} and {second.place} are runs of two suites, so there is nothing to compare.")
    guess = next((one for one in (first, second) if one.place not in family.rivals()), None)
    if guess is not None:
        raise UserError(f"{guess.place} only guesses: chance is a line and no system. Compare two other runs.")
    return family


def _suite(shelf: WebShelf, family: SuiteFamily, run: Shelved) -> Shelved:
    """The one that the first was made from; the other may have been made from a copy."""
    suite = suite_of_run(shelf, family, run)
    if suite is None:
        raise UserError(
            "The suite of these runs is not in the folder that is served, so their examples cannot be shown side by "
            "side. Put it there, or serve a folder that holds all three."
        )
    return suite


def _metric(name: str) -> PairMetric:
    if name and name not in _METRICS:
        raise UserError(f"Runs are compared here by {', '.join(_METRICS)}, not by {name[:40]!r}.")
    return METRICS[name or _METRICS[0]]


def _address(own: Mapping[str, str], choice: ExampleFilter) -> str:
    return f"/compare{choice.query(**own)}"


PAGES = (Page("/compare", show_comparison),)
