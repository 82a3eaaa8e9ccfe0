"""Folders of any kind that was measured, opened by the line that its kind has in the catalogue."""

# What does the work is imported when there is work to do, so that --help stays under 0.3 s.
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


def open_experiments(folders: Sequence[Path], suite: Path | None, rule: TieRule) -> list[Experiment]:
    """The experiments in some folders; one of a kind that was not measured is a UserError.

    Runs of the model that guesses are left out, and told, where there are others: chance is a line and no system.
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
    """The run that a user named as the baseline: a folder, the URL of one, or a name of `csuite baseline`."""
    from constraintsuite.core.store.artifact import MANIFEST
    from constraintsuite.core.store.mirror import is_url, open_mirror
    from constraintsuite.experiments.baselines import baseline_store, find_baseline

    folder = open_mirror(given).root if is_url(given) else Path(given)
    if (folder / MANIFEST).is_file() or (folder.is_dir() and os.sep in given):
        return folder
    return find_baseline(baseline_store(store), given, kind, data, inputs)
