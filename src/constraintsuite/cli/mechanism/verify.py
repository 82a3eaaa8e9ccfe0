"""`csuite explain verify`: is an analysis what it says?"""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path

import click

from constraintsuite.cli.options import guide_option, json_option
from constraintsuite.cli.output import emit
from constraintsuite.cli.places import FOLDER
from constraintsuite.store.mirror import shown


@click.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--again",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Run this many exact patches once more, one by one, from the tokens up.",
)
@guide_option
@json_option
def verify(folder: Path, again: int, guide: Path | None, as_json: bool) -> None:
    """Check FOLDER and the circuits in it: bytes, rows, figures, and with --again some effects; exit code 1 if one is wrong.

    With --guide, what FOLDER says of that attribution is checked too.
    """
    from constraintsuite.mechanism.explain.verify import verify as check

    faults = check(folder, again=again, guide=guide)
    lines = faults or [f"{shown(folder)}: in order{_not_repeated(folder) if again else ''}"]
    emit({"folder": shown(folder), "faults": faults}, as_json, lines)
    if faults:
        raise click.exceptions.Exit(1)


def _not_repeated(folder: Path) -> str:
    from constraintsuite.mechanism.explain.source import KIND
    from constraintsuite.store.artifact import Artifact

    analysis = Artifact.open(folder, KIND).manifest.settings.get("analysis")
    return "" if analysis == "patch" else "; it has no exact patches that could be run again"
