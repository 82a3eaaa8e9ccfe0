"""`csuite compare`: how far apart systems are on the same items, and whether that could be chance."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.cli.experiments import open_experiments
from constraintsuite.cli.places import FOLDER
from constraintsuite.cli.runs import finished_runs
from constraintsuite.cli.ties import tie_options
from constraintsuite.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.metrics.ties import TieRule

_file = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("folders", nargs=-1, required=True, type=FOLDER)
@click.option("--metric", "metrics", multiple=True, help="Repeatable.  [default: the headline metric]")
@click.option("--by", metavar="GROUPING", help="Also by group: slice, relation, cue, type, notes.KEY, ...")
@click.option("--against", metavar="SYSTEM", help="Of one run with several systems: the one to compare with.")
@click.option("--changed", type=click.IntRange(min=0), default=0, show_default=True, help="Show so many changed items.")
@tie_options
@click.option("--suite", type=FOLDER, help="The suite, if it is no longer where it was.")
@click.option("--out", type=_file, help="Write it to a file as well: .json or .md.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(  # noqa: PLR0913, PLR0917 - one parameter for each option
    folders: tuple[Path, ...],
    metrics: tuple[str, ...],
    by: str | None,
    against: str | None,
    changed: int,
    rule: TieRule,
    suite: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Compare the systems in FOLDERS on the same items: paired differences, intervals and tests.

    FOLDERS are finished runs of one kind, on the same data: of `csuite eval`, `retrieve-eval`, `memory`, `ann` or `explain`. Runs of
    one system each are compared pair by pair, and the systems of a single run with each other.
    """
    from constraintsuite.experiments.compare import Comparison
    from constraintsuite.experiments.experiment import compare_experiments
    from constraintsuite.reports.comparison import comparison_markdown, comparison_text
    from constraintsuite.store.files import write_text
    from constraintsuite.store.jsonl import adapter

    if out is not None and out.suffix not in (".json", ".md"):
        raise UserError(f"{out}: a comparison is written as .json or .md.")
    opened = open_experiments(finished_runs(folders), suite, rule)
    found = compare_experiments(opened, list(dict.fromkeys(metrics)), by=by, against=against, changed=changed)
    as_text = adapter(Comparison).dump_json(found, indent=2).decode()
    if out is not None:
        write_text(out, (as_text if out.suffix == ".json" else comparison_markdown(found)) + "\n")
    click.echo(as_text if as_json else comparison_text(found))
