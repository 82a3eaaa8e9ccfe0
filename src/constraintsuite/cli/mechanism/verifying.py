"""`csuite explain verify`: is an analysis what it says?"""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from pathlib import Path

import click

from constraintsuite.cli.mechanism.options import json_option
from constraintsuite.cli.places import FOLDER
from constraintsuite.store.mirror import shown


@click.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--again",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Run so many exact patches once more, one by one from the tokens up.",
)
@click.option("--guide", type=FOLDER, help="The attribution that chose the patches: check what is said of it too.")
@json_option
def verify(folder: Path, again: int, guide: Path | None, as_json: bool) -> None:
    """Check FOLDER and the circuits in it: bytes, rows, figures, and with --again some effects; exit code 1 if one is wrong."""
    from constraintsuite.mechanism.explain.verify import verify as check

    faults = check(folder, again=again, guide=guide)
    if as_json:
        click.echo(json.dumps({"folder": shown(folder), "faults": faults}, indent=2, ensure_ascii=False))
    else:
        for fault in faults:
            click.echo(fault)
        if not faults:
            click.echo(f"{shown(folder)}: in order{_not_repeated(folder) if again else ''}")
    if faults:
        raise click.exceptions.Exit(1)


def _not_repeated(folder: Path) -> str:
    from constraintsuite.mechanism.explain.source import KIND
    from constraintsuite.store.artifact import Artifact

    analysis = Artifact.open(folder, KIND).manifest.settings.get("analysis")
    return "" if analysis == "patch" else "; it has no exact patches that could be run again"
