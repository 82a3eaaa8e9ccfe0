"""`csuite eval` and `csuite report`: a suite and models give runs, runs give a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import click

from constraintsuite.models import SCORERS

# Other imports stand in the commands, so that `csuite --help` needs neither numpy nor pydantic.


@click.command("eval")
@click.argument("suite", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--model",
    "models",
    multiple=True,
    required=True,
    metavar="M",
    help=f"FAMILY or FAMILY:ARGUMENT, repeatable. Families: {', '.join(SCORERS.names())}.",
)
@click.option(
    "--out", default=Path("runs"), show_default=True, type=click.Path(path_type=Path), help="Folder of all runs."
)
@click.option("--metric", default="accuracy", show_default=True, help="What the table shows.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the resampling behind the intervals."
)
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def eval_command(suite: Path, models: tuple[str, ...], out: Path, metric: str, seed: int, as_json: bool) -> None:
    """Score SUITE with each model, into one folder a model: OUT/SUITE/MODEL."""
    from rich.console import Console  # noqa: PLC0415

    from constraintsuite.evaluate.load import load_run  # noqa: PLC0415
    from constraintsuite.evaluate.run import evaluate_suites  # noqa: PLC0415
    from constraintsuite.evaluate.summary import Summary  # noqa: PLC0415
    from constraintsuite.execution.progress import Reporter, Terminal  # noqa: PLC0415
    from constraintsuite.metrics.pairwise import parse_metric  # noqa: PLC0415
    from constraintsuite.reports.table import WIDTH, slice_table  # noqa: PLC0415
    from constraintsuite.store.jsonl import adapter  # noqa: PLC0415

    shown = parse_metric(metric)
    reporter = cast(Reporter, Terminal())
    folders = [artifact.path for artifact in evaluate_suites(suite, models, out, reporter, seed)]
    summaries = [load_run(folder).summary for folder in folders]
    if as_json:
        parts = zip(folders, summaries, strict=True)
        click.echo(
            json.dumps([{"run": str(f), "summary": adapter(Summary).dump_python(s)} for f, s in parts], indent=2)
        )
    else:
        console = Console()
        width = min(console.width, WIDTH) if console.is_terminal else WIDTH
        Console(width=width).print(slice_table(summaries, shown))


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to create.")
@click.option(
    "--suite", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The suite, if it was moved."
)
@click.option("--json", "as_json", is_flag=True, help="Print the page's path as JSON.")
def report_command(runs: tuple[Path, ...], out: Path, suite: Path | None, as_json: bool) -> None:
    """Write one page, index.html, of RUNS on the same suite."""
    from constraintsuite.evaluate.load import find_suite  # noqa: PLC0415
    from constraintsuite.reports.html import write_report  # noqa: PLC0415

    page = write_report(suite or find_suite(runs[0]), runs, out)
    click.echo(json.dumps({"page": str(page)}) if as_json else str(page))
