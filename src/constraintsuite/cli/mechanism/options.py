"""Options that the commands share."""

from __future__ import annotations

import click

from constraintsuite.cli.places import OUT
from constraintsuite.records.examples import SPLITS

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Say how much work it is, and write nothing.")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all that is drawn by chance."
)
memory_option = click.option(
    "--memory", type=click.IntRange(min=1), metavar="MIB", help="Most memory for activations, beside the weights."
)
split_option = click.option(
    "--split",
    "splits",
    multiple=True,
    type=click.Choice(SPLITS),
    help="Only this split, repeatable; a model that was trained on the suite should be asked test alone.",
)
page_option = click.option("--page", type=OUT, help="Also write a page with tables and pictures to this folder.")
independent_option = click.option(
    "--independent",
    is_flag=True,
    help="Only contrasts of which no two of one side and kind share a document: fewer, and each a sample of its own.",
)
