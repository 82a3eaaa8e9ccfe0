"""Folders of runs as a shell gives them: a pattern also finds what a model that failed has left behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.mirror import shown


def finished_runs(folders: Sequence[Path]) -> tuple[Path, ...]:
    """The folders without those that a command began to fill and did not finish, each of which is told."""
    from constraintsuite.core.store.workspace import is_unfinished  # noqa: PLC0415 - so that --help stays under 0.3 s

    left = [folder for folder in folders if is_unfinished(folder)]
    for folder in left:
        click.echo(
            f"{shown(folder)}: left out, because it is not finished. Run its command again to finish it.", err=True
        )
    if len(left) == len(folders):
        raise UserError("None of these runs is finished. Make one with `csuite eval SUITE --model bm25`.")
    return tuple(folder for folder in folders if folder not in left)
