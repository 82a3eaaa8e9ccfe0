"""`csuite explain verify`: is an analysis what it says?"""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from pathlib import Path

import click

from constraintsuite.cli.mechanism.options import folder_type, json_option


@click.command()
@click.argument("folder", type=folder_type)
@click.option(
    "--again",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Run so many exact patches once more, one by one from the tokens up.",
)
@json_option
def verify(folder: Path, again: int, as_json: bool) -> None:
    """Check FOLDER: its bytes, its rows, its figures, and with --again some of its effects; exit code 1 if one is wrong."""
    from constraintsuite.mechanism.explain.verify import verify as check

    faults = check(folder, again=again)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "faults": faults}, indent=2, ensure_ascii=False))
    else:
        for fault in faults:
            click.echo(fault)
        if not faults:
            click.echo(f"{folder}: in order")
    if faults:
        raise click.exceptions.Exit(1)
