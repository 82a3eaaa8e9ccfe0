"""Two runs of one suite: on which examples they disagree, and whether the difference could be chance."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.pages.comparison import comparison_tables
from constraintsuite.app.pages.group_tables import words_for
from constraintsuite.app.web.artifact_index import RUN, ArtifactIndex, ServedArtifact
from constraintsuite.app.web.origins import SuiteFamily, family_of, require_suite
from constraintsuite.app.web.pages import Page
from constraintsuite.app.web.renderer import render
from constraintsuite.app.web.runs.outcomes import CELL, CELLS, cells_of, show_result
from constraintsuite.app.web.suites.search import ExampleFilter, read_choice, read_index, show_found
from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.pairwise import METRICS, PairMetric
from constraintsuite.experiments.compare import Comparison
from constraintsuite.experiments.differences import LEGEND
from constraintsuite.experiments.experiment import compare_experiments
from constraintsuite.experiments.load import Run, load_run, name_runs
from constraintsuite.experiments.pair_experiment import pair_experiments

FIRST, SECOND, METRIC, BY = "a", "b", "metric", "by"
_OWN = (FIRST, SECOND, METRIC, BY)
_METRICS = ("accuracy", "paired_accuracy", "opposite_accuracy")
"""The metrics in which an example is either right or wrong."""
_SHOWN_AT_ONCE = ("constraint", "slice", "domain", "relation", "cue")


def show_comparison(request: Request, artifacts: ArtifactIndex) -> Response:
    """Show who is right how often, the paired test, and the examples, those with the largest difference of gaps first."""
    given = request.query_params
    first, second = (artifacts.get(given.get(name, ""), RUN) for name in (FIRST, SECOND))
    family, metric, by = _family(artifacts, first, second), _metric(given.get(METRIC, "")), given.get(BY, "")
    suite = require_suite(artifacts, family, first)  # the other run may be of a copy
    index = artifacts.load(suite, read_index)
    runs = name_runs([artifacts.load(artifact, load_run) for artifact in (first, second)])
    cells = cells_of(index, runs, metric)
    own = {FIRST: first.place, SECOND: second.place, METRIC: metric.name} | ({BY: by} if by else {})
    choice = read_choice([item for item in given.multi_items() if item[0] not in _OWN], cells.facets)
    if any(not value for _, value in given.multi_items()):  # forms also send empty fields
        return RedirectResponse(_address(own, choice), 303)

    def compare() -> Comparison:
        return compare_experiments(pair_experiments(index.suite, runs), [metric.name], by=by or None, changed=None)

    # The bootstrap is slow, and is the same on every page of examples.
    compared = artifacts.compute_once(("compare", metric.name, by), (suite, first, second), compare)
    (changes,) = compared.changes.values()
    furthest = {change.id: place for place, change in enumerate(changes)}
    results = [{result.id: result for result in run.results} for run in runs.values()]
    found = cells.find(choice)
    examples = show_found(
        cells,
        found,
        choice,
        (CELL, *_SHOWN_AT_ONCE),
        lambda example: [show_result(known[example.id]) for known in results],
        lambda example: furthest.get(example.id, len(furthest)),
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
        cell=found.offers[0],
        cells={cell: _address(own, ExampleFilter({**choice.values, CELL: cell}, choice.search)) for cell in CELLS},
        to=lambda chosen: _address(own, chosen),
        everything=_address(own, ExampleFilter()),
        swapped=_address({**own, FIRST: second.place, SECOND: first.place}, choice.without(CELL)),
        **examples,
    )


def _shared(runs: Mapping[str, Run]) -> list[str]:
    """The groupings of main examples that both runs have."""
    first, second = (run.summary.by for run in runs.values())
    return [name for name in first if name in second and name != "control"]


def _family(artifacts: ArtifactIndex, first: ServedArtifact, second: ServedArtifact) -> SuiteFamily:
    family = family_of(artifacts, first)
    if second not in family:
        raise UserError(f"{first.place} and {second.place} are runs of different suites, so they cannot be compared.")
    guess = next((artifact for artifact in (first, second) if artifact.place not in family.rivals()), None)
    if guess is not None:
        raise UserError(
            f"{guess.place} is a run of the random system. Compare two other runs; they show the chance level."
        )
    return family


def _metric(name: str) -> PairMetric:
    if name and name not in _METRICS:
        raise UserError(f"{name[:40]!r} cannot be compared here. Choose one of: {', '.join(_METRICS)}.")
    return METRICS[name or _METRICS[0]]


def _address(own: Mapping[str, str], choice: ExampleFilter) -> str:
    return f"/compare{choice.query(**own)}"


PAGES = (Page("/compare", show_comparison),)
