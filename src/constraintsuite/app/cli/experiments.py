"""Folders of runs on the command line: leave out unfinished ones, open them as experiments, and find a baseline."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.mirror import shown

if TYPE_CHECKING:
    from constraintsuite.core.statistics.ties import TieRule
    from constraintsuite.experiments.experiment import Experiment


def finished_runs(folders: Sequence[Path]) -> tuple[Path, ...]:
    """The folders that are finished; a note names each of the others, which a shell pattern may also match."""
    from constraintsuite.core.store.workspace import is_unfinished

    left = [folder for folder in folders if is_unfinished(folder)]
    for folder in left:
        click.echo(
            f"{shown(folder)}: left out, because it is not finished. Run its command again to finish it.", err=True
        )
    if len(left) == len(folders):
        raise UserError("None of these runs is finished. Make one with `csuite eval SUITE --model bm25`.")
    return tuple(folder for folder in folders if folder not in left)


def open_experiments(folders: Sequence[Path], suite: Path | None, rule: TieRule) -> list[Experiment]:
    """Open folders as experiments. Raises UserError if the kind of a folder has no measurements.

    Runs of `random` are left out with a note if there are others, because chance is shown as a line.
    """
    from constraintsuite.app.views import EXPERIMENTS
    from constraintsuite.core.store.artifact import Artifact
    from constraintsuite.experiments.experiment import OpenOptions
    from constraintsuite.experiments.pairs import is_chance

    options = OpenOptions(suite, rule)
    found = []
    for folder in folders:
        kind = Artifact.open_unverified(folder).manifest.kind
        if kind not in EXPERIMENTS.names():
            known = ", ".join(EXPERIMENTS.names())
            raise UserError(f"{folder}: a {kind} holds no measurements to compare. Give one of these kinds: {known}.")
        found.append(EXPERIMENTS.load(kind)(folder, options))
    kept = [one for one in found if not all(map(is_chance, one.table.systems))] or found
    for one in found:
        if one not in kept:
            click.echo(
                f"{shown(one.path)}: left out, because it only guesses: chance is shown as a line, not as a system.",
                err=True,
            )
    return kept


def baseline_folder(given: str, kind: str, data: str, inputs: Mapping[str, str], store: Path | None) -> Path:
    """The folder of the baseline that a user named: a path, a URL, or a name of `csuite baseline`."""
    from constraintsuite.core.store.artifact import MANIFEST
    from constraintsuite.core.store.mirror import is_url, open_mirror
    from constraintsuite.experiments.baselines import baseline_store, find_baseline

    folder = open_mirror(given).root if is_url(given) else Path(given)
    if (folder / MANIFEST).is_file() or (folder.is_dir() and os.sep in given):
        return folder
    return find_baseline(baseline_store(store), given, kind, data, inputs)
