"""`csuite eval` and `csuite report`: a suite and models give runs, runs give a page."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console

from constraintsuite.evaluate.load import find_suite, load_run
from constraintsuite.evaluate.run import evaluate_suites
from constraintsuite.evaluate.summary import Summary
from constraintsuite.execution.progress import Terminal
from constraintsuite.metrics.pairwise import METRICS, parse_metric
from constraintsuite.models import SCORERS
from constraintsuite.reports.html import write_report
from constraintsuite.reports.table import WIDTH, slice_table
from constraintsuite.store.jsonl import adapter

_MODELS = f"FAMILY or FAMILY:ARGUMENT, repeatable. Families: {', '.join(SCORERS.names())}."
_METRICS = f"What the table shows: {', '.join(METRICS)}."
_folder = click.Path(path_type=Path, file_okay=False)


@click.command("eval")
@click.argument("suite", type=_folder)
@click.option("--model", "models", multiple=True, required=True, metavar="M", help=_MODELS)
@click.option("--out", type=_folder, default=Path("runs"), show_default=True, help="Folder of all runs.")
@click.option("--metric", default="accuracy", show_default=True, help=_METRICS)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the resampling for intervals."
)
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def eval_command(suite: Path, models: tuple[str, ...], out: Path, metric: str, seed: int, as_json: bool) -> None:
    """Score SUITE with each model, into one folder a model: OUT/SUITE/MODEL."""
    shown = parse_metric(metric)
    runs = [run.path for run in evaluate_suites(suite, models, out, Terminal(), seed)]
    summaries = [load_run(run).summary for run in runs]
    if as_json:
        entries = [
            {"run": str(r), "summary": adapter(Summary).dump_python(s)} for r, s in zip(runs, summaries, strict=True)
        ]
        click.echo(json.dumps(entries, indent=2, ensure_ascii=False))
    else:
        console = Console(highlight=False)
        console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
        console.print(slice_table(summaries, shown))


@click.command()
@click.argument("runs", nargs=-1, required=True, type=_folder)
@click.option("--out", type=_folder, required=True, help="Folder to create.")
@click.option("--suite", type=_folder, help="The suite, if it is no longer where it was.")
@click.option("--json", "as_json", is_flag=True, help="Print the path of the page as JSON.")
def report(runs: tuple[Path, ...], out: Path, suite: Path | None, as_json: bool) -> None:
    """Write one page, index.html, of RUNS on the same suite."""
    page = write_report(suite or find_suite(runs[0]), runs, out)
    click.echo(json.dumps({"page": str(page)}) if as_json else str(page))
