"""Baselines: runs that are kept under a name, so that a gate finds them again.

A baseline is a copy of a run's folder, `STORE/NAME/KIND-DATA-HASH`, where the hash is of the data as it was. One name holds one
run for each kind of run and suite, so that `main` can stand for all that is measured on a branch.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact, read_manifest
from constraintsuite.core.store.files import folder_lock, remove_leftovers, sha256_text, whole_folder
from constraintsuite.experiments.experiment import Experiment
from constraintsuite.experiments.run import plain_name

STORE = Path(".csuite/baselines")
"""Where baselines are kept unless told otherwise, seen from where the command runs."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}", re.ASCII)
_OLD = ".old"
"""Where the baseline that is being replaced lies until the new one has taken its place."""


class KeptBaseline(NamedTuple):
    """A run that is kept."""

    name: str
    path: Path
    kind: str
    run: str
    """What the run calls itself, such as its system."""


def baseline_store(given: Path | None = None) -> Path:
    """Where baselines are kept: as given, else `CSUITE_BASELINES`, else `.csuite/baselines` in the working folder."""
    return given or Path(os.environ.get("CSUITE_BASELINES") or STORE)


def save_baseline(store: Path, name: str, run: Experiment) -> Path:
    """Keep a copy of a finished run under a name; an earlier one of the same name, kind and data is replaced.

    Stopped at any point, either the earlier one or the new one is there, whole.
    """
    check_name(name)
    Artifact.open(run.path)
    place = store / name / _folder(run.kind, run.data, run.inputs)
    old = _aside(place)
    with folder_lock(place.parent):
        remove_leftovers(place.parent)
        with whole_folder(place) as new:
            shutil.copytree(run.path, new, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
            if place.is_dir():
                shutil.rmtree(old, ignore_errors=True)  # of a process that was killed before it removed it
                old.parent.mkdir(exist_ok=True)
                place.replace(old)
        shutil.rmtree(old, ignore_errors=True)
    return place


def find_baseline(store: Path, name: str, kind: str, data: str, inputs: Mapping[str, str]) -> Path:
    """The baseline of that name for a kind of run and what it was measured on, `data` with the hashes `inputs`.

    That there is none is a UserError that says how to make it.
    """
    check_name(name)
    place = _current(store / name / _folder(kind, data, inputs))
    if read_manifest(place) is not None:
        return place
    known = list(list_baselines(store))
    own = [one.path.name for one in known if one.name == name]
    names = sorted({one.name for one in known})
    if own:
        said = f"The baseline {name!r} has no run on {data} as it is now; it has: {', '.join(own)}."
    else:
        there = f" There are: {', '.join(names)}." if names else ""
        said = f"{name!r} is neither a folder nor a baseline in {store}.{there}"
    raise UserError(f"{said} Store a run under this name with `csuite baseline save {name} RUN`.")


def list_baselines(store: Path) -> Iterator[KeptBaseline]:
    """Every run that is kept, by name and folder; one that a stopped save has moved aside is among them."""
    asides = (old.parent.parent / old.name for old in store.glob(f"*/{_OLD}/*"))
    for place in sorted({*store.glob("*/[!.]*"), *asides}):
        found = _current(place)
        manifest = read_manifest(found)
        if manifest is not None:
            yield KeptBaseline(place.parent.name, found, manifest.kind, manifest.name)


def remove_baseline(store: Path, name: str) -> int:
    """Remove all runs that are kept under a name; gives how many there were."""
    found = [one for one in list_baselines(store) if one.name == name]
    if not found:
        raise UserError(f"There is no baseline named {name!r} in {store}.")
    with folder_lock(store / name):
        shutil.rmtree(store / name)
    return len(found)


def _current(place: Path) -> Path:
    """Where a baseline lies: in its place, or aside, if a save was stopped before the new one took the place."""
    return place if place.is_dir() else _aside(place)


def _aside(place: Path) -> Path:
    return place.parent / _OLD / place.name


def check_name(name: str) -> None:
    """Refuse a name that is no plain word."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} is not a valid name for a baseline. Use at most 80 letters, digits, dots, dashes and underscores."
        )


def _folder(kind: str, data: str, inputs: Mapping[str, str]) -> str:
    return f"{plain_name(f'{kind}-{data}')}-{sha256_text(*(f'{key} {inputs[key]}' for key in sorted(inputs)))[:8]}"
