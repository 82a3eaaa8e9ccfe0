"""`csuite report`: an HTML page about runs or other folders with its tables as files, or the leaderboard alone."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.arguments import folders_argument
from constraintsuite.app.cli.experiments import baseline_folder, finished_runs
from constraintsuite.app.cli.options import (
    baseline_option,
    json_option,
    out_option,
    store_option,
    suite_option,
    tie_options,
)
from constraintsuite.app.cli.output import print_json
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.formats import EXPORTED, FORMATS
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.core.statistics.ties import TieRule
    from constraintsuite.experiments.load import Run


@click.command()
@folders_argument
@out_option(otherwise="none, if --format prints the leaderboard")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(EXPORTED)),
    help="Print the leaderboard of runs in this format; then --out is not needed.",
)
@baseline_option
@store_option
@tie_options
@click.option(
    "--vectors",
    multiple=True,
    metavar="M",
    help="Show how similar this bi-encoder finds the two documents; repeatable.",
)
@click.option(
    "--maxsim",
    multiple=True,
    metavar="M",
    help="Show which tokens this ColBERT model matches in each --example; repeatable.",
)
@click.option(
    "--example", "examples", multiple=True, metavar="ID", help="Example to show for --maxsim, by its id; repeatable."
)
@click.option(
    "--attention",
    is_flag=True,
    help="For results of `csuite explain`: also show where heads attend. This loads the model.",
)
@suite_option
@json_option
def report(  # noqa: PLR0913, PLR0917 - one parameter per option
    folders: tuple[Path, ...],
    out: Path | None,
    form: str | None,
    baseline: str | None,
    store: Path | None,
    rule: TieRule,
    vectors: tuple[str, ...],
    maxsim: tuple[str, ...],
    examples: tuple[str, ...],
    attention: bool,
    suite: Path | None,
    as_json: bool,
) -> None:
    """Write an HTML report of FOLDERS: index.html, which opens offline, and all its tables as files.

    FOLDERS are runs of `csuite eval` on one suite, or other results of one or several kinds: rankings, memory runs and graphs,
    vector searches, bundles, analyses, circuits, drifts and trainings.
    """
    from constraintsuite.app.pages.run_report import Extras, write_report
    from constraintsuite.app.pages.sections.systems import leaderboard_table
    from constraintsuite.app.pages.view import make_view
    from constraintsuite.app.views.display import ShowOptions, write_shown_report
    from constraintsuite.core.execution.progress import Terminal
    from constraintsuite.core.store.download import cache_folder
    from constraintsuite.experiments.load import find_suite, load_run, load_suite
    from constraintsuite.models.base import Workbench

    if out is None and form is None:
        raise UserError("There is no output. Give --out FOLDER for a report, or --format csv to print the leaderboard.")
    if out is None and (vectors or maxsim or examples or baseline or as_json):
        raise UserError(
            "--vectors, --maxsim, --example, --baseline and --json need a page. Say where it should go: --out FOLDER"
        )
    folders = finished_runs(tuple(dict.fromkeys(folders)))
    if _kinds_of(folders) != {"run"}:
        if form or baseline or vectors or maxsim or examples:
            raise UserError(
                "--format, --baseline, --vectors, --maxsim and --example are only for runs of `csuite eval`. Leave them out."
            )
        assert out is not None
        _print_page(write_shown_report(folders, out, ShowOptions(attention=attention)), as_json)
        return
    place = suite or find_suite(folders[0])
    if out is not None:
        bench = Workbench(cache=cache_folder() / "scores", reporter=Terminal())
        before = _open_baseline(baseline, place, store) if baseline else None
        page = write_report(place, folders, out, Extras(rule, vectors, maxsim, examples), bench, baseline=before)
        _print_page(page, as_json, err=form is not None)
    if form is not None:
        view = make_view(load_suite(place), [load_run(run) for run in folders], rule)
        click.echo(FORMATS.load(form)(leaderboard_table(view)), nl=False)


def _open_baseline(given: str, suite: Path, store: Path | None) -> Run:
    from constraintsuite.core.store.artifact import Artifact
    from constraintsuite.experiments.load import load_run

    manifest = Artifact.open_unverified(suite, "suite").manifest
    return load_run(baseline_folder(given, "run", manifest.name, {"suite": manifest.content}, store))


def _print_page(page: Path, as_json: bool, *, err: bool = False) -> None:
    if as_json and not err:
        print_json({"page": shown(page)})
    else:
        click.echo(shown(page), err=err)


def _kinds_of(folders: Sequence[Path]) -> set[str]:
    """The kinds of the given folders.

    Raises UserError that lists every folder that is not an artifact; for a folder of runs it suggests the runs.
    """
    from constraintsuite.core.store.artifact import Artifact

    kinds, faults = set(), []
    for folder in folders:
        try:
            kinds.add(Artifact.open_unverified(folder).manifest.kind)
        except UserError as error:
            inside = sorted(str(file.parent) for file in folder.glob("**/summary.json") if file.parent != folder)
            fault = f"{folder}: this is not a run, but a folder of runs. Give these: {' '.join(inside)}"
            faults.append(fault if inside else str(error))
    if faults:
        raise UserError("\n".join(faults))
    if len(kinds) > 1 and "run" in kinds:
        raise UserError(
            "Runs of `csuite eval` need a report of their own. Report the other folders with a second command."
        )
    return kinds
