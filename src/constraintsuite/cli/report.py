"""`csuite report`: one page of runs, its tables as files, or the leaderboard alone."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.options import tie_options
from constraintsuite.cli.places import FOLDER, OUT
from constraintsuite.cli.runs import finished_runs
from constraintsuite.errors import UserError
from constraintsuite.records.formats import EXPORTED, FORMATS
from constraintsuite.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.metrics.ties import TieRule


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER)
@click.option("--out", type=OUT, help="Folder to create: index.html, and tables/ as CSV, JSON, Markdown and LaTeX.")
@click.option(
    "--format", "form", type=click.Choice(list(EXPORTED)), help="Print the leaderboard so; --out is not needed then."
)
@tie_options
@click.option("--vectors", multiple=True, metavar="M", help="Show how alike this bi-encoder finds the two documents.")
@click.option("--maxsim", multiple=True, metavar="M", help="Show what this ColBERT model compares, on --example.")
@click.option("--example", "examples", multiple=True, metavar="ID", help="An example for --maxsim, repeatable.")
@click.option("--suite", type=FOLDER, help="The suite, if it is no longer where it was.")
@click.option("--json", "as_json", is_flag=True, help="Print the path of the page as JSON.")
def report(  # noqa: PLR0913, PLR0917 - one parameter an option
    runs: tuple[Path, ...],
    out: Path | None,
    form: str | None,
    rule: TieRule,
    vectors: tuple[str, ...],
    maxsim: tuple[str, ...],
    examples: tuple[str, ...],
    suite: Path | None,
    as_json: bool,
) -> None:
    """Write one page of RUNS on the same suite, which opens offline, and all its tables as files."""
    from constraintsuite.execution.progress import Terminal
    from constraintsuite.experiments.load import find_suite
    from constraintsuite.models.base import Workbench
    from constraintsuite.reports.html import Extras, write_report
    from constraintsuite.store.download import cache_folder

    if out is None and form is None:
        raise UserError("Say where the report should go, --out FOLDER, or how to print the leaderboard, --format csv")
    if out is None and (vectors or maxsim or examples or as_json):
        raise UserError(
            "--vectors, --maxsim, --example and --json are for a page: say where it should go, --out FOLDER"
        )
    runs = finished_runs(runs)
    _refuse_other_folders(runs)
    of = suite or find_suite(runs[0])
    if out is not None:
        bench = Workbench(cache=cache_folder() / "scores", reporter=Terminal())
        page = write_report(of, runs, out, Extras(rule, vectors, maxsim, examples), bench)
        click.echo(json.dumps({"page": shown(page)}) if as_json else shown(page), err=form is not None)
    if form is not None:
        click.echo(_leaderboard(of, runs, rule, form), nl=False)


def _leaderboard(suite: Path, runs: Sequence[Path], rule: TieRule, form: str) -> str:
    from constraintsuite.experiments.load import load_run, load_suite
    from constraintsuite.reports.sections.leaderboard import leaderboard_table
    from constraintsuite.reports.view import make_view

    view = make_view(load_suite(suite), [load_run(run) for run in runs], rule)
    return FORMATS.load(form)(leaderboard_table(view))


def _refuse_other_folders(runs: Sequence[Path]) -> None:
    """Name every folder that is not a finished run; one that holds runs is answered with them."""
    from constraintsuite.store.artifact import Artifact

    faults = []
    for run in runs:
        try:
            Artifact.open_unverified(run, "run")
        except UserError as error:
            inside = sorted(str(file.parent) for file in run.glob("**/summary.json") if file.parent != run)
            faults.append(
                f"{run}: not a run, but it holds runs. Give these: {' '.join(inside)}" if inside else str(error)
            )
    if faults:
        raise UserError("\n".join(faults))
