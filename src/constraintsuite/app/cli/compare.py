"""`csuite compare`: test whether systems differ on the same items by more than chance."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.app.cli.arguments import folders_argument
from constraintsuite.app.cli.experiments import finished_runs, open_experiments
from constraintsuite.app.cli.options import by_option, json_option, out_file_option, suite_option, tie_options
from constraintsuite.app.cli.output import emit
from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.core.statistics.ties import TieRule


@click.command()
@folders_argument
@click.option(
    "--metric", "metrics", multiple=True, show_default="the headline metric", help="Metric to compare; repeatable."
)
@by_option
@click.option("--against", metavar="SYSTEM", help="System that the others are compared with.")
@click.option(
    "--changed", type=click.IntRange(min=0), default=0, show_default=True, help="Number of changed items to show."
)
@tie_options
@suite_option
@out_file_option(otherwise="no file; the name ends in .json or .md")
@json_option
def compare(  # noqa: PLR0913, PLR0917 - one parameter per option
    folders: tuple[Path, ...],
    metrics: tuple[str, ...],
    by: str,
    against: str | None,
    changed: int,
    rule: TieRule,
    suite: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Compare the systems in FOLDERS on the same items: paired differences, intervals and tests.

    FOLDERS are finished runs of one kind on the same data, made by `csuite eval`, `retrieve-eval`, `memory`, `ann` or `explain`.
    Runs of one system each are compared pair by pair. The systems of a single run are compared with each other.
    """
    from constraintsuite.app.pages.comparison import comparison_markdown, comparison_text
    from constraintsuite.core.store.files import write_text
    from constraintsuite.core.store.jsonl import adapter
    from constraintsuite.experiments.compare import Comparison
    from constraintsuite.experiments.experiment import compare_experiments

    if out is not None and out.suffix not in (".json", ".md"):
        raise UserError(f"{out}: a comparison is written as JSON or Markdown. End the name in .json or .md.")
    opened = open_experiments(finished_runs(folders), suite, rule)
    found = compare_experiments(opened, list(dict.fromkeys(metrics)), by=by or None, against=against, changed=changed)
    if out is not None:
        as_json_text = adapter(Comparison).dump_json(found, indent=2).decode()
        write_text(out, (as_json_text if out.suffix == ".json" else comparison_markdown(found)) + "\n")
    emit(found, as_json, comparison_text(found))
