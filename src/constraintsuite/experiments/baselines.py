"""Baselines: runs stored under a name, for a gate to compare with.

A baseline is a copy of a run's folder, `STORE/NAME/KIND-DATA-HASH`, with the hash of the data. One name holds one run for each
kind of run and each version of the data. So `main` can cover everything that is measured on a branch.
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
"""The default folder of baselines, relative to the working folder."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}", re.ASCII)
_OLD = ".old"
"""The folder to which a baseline is moved until its replacement is complete."""


class StoredBaseline(NamedTuple):
    """A run that is stored under a name."""

    name: str
    path: Path
    kind: str
    run: str
    """The name of the run, such as its system."""


def baseline_store(given: Path | None = None) -> Path:
    """The folder of baselines: the given one, `CSUITE_BASELINES`, or `.csuite/baselines` in the working folder."""
    return given or Path(os.environ.get("CSUITE_BASELINES") or STORE)


def save_baseline(store: Path, name: str, run: Experiment) -> Path:
    """Store a copy of a finished run under a name. It replaces an earlier one of the same name, kind and data.

    If this is interrupted, either the earlier copy or the new one is complete.
    """
    _check_name(name)
    Artifact.open(run.path)
    place = store / name / _folder(run.kind, run.data, run.inputs)
    old = _moved(place)
    with folder_lock(place.parent):
        remove_leftovers(place.parent)
        with whole_folder(place) as new:
            shutil.copytree(run.path, new, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
            if place.is_dir():
                shutil.rmtree(old, ignore_errors=True)  # left by an interrupted process
                old.parent.mkdir(exist_ok=True)
                place.replace(old)
        shutil.rmtree(old, ignore_errors=True)
    return place


def find_baseline(store: Path, name: str, kind: str, data: str, inputs: Mapping[str, str]) -> Path:
    """Find the baseline of a name, for a kind of run on `data` with the hashes `inputs`.

    Raises UserError if there is none.
    """
    _check_name(name)
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


def list_baselines(store: Path) -> Iterator[StoredBaseline]:
    """All stored runs by name and folder, including one that an interrupted save has moved aside."""
    asides = (old.parent.parent / old.name for old in store.glob(f"*/{_OLD}/*"))
    for place in sorted({*store.glob("*/[!.]*"), *asides}):
        found = _current(place)
        manifest = read_manifest(found)
        if manifest is not None:
            yield StoredBaseline(place.parent.name, found, manifest.kind, manifest.name)


def remove_baseline(store: Path, name: str) -> int:
    """Remove all runs stored under a name; returns their number."""
    found = [one for one in list_baselines(store) if one.name == name]
    if not found:
        raise UserError(f"There is no baseline named {name!r} in {store}.")
    with folder_lock(store / name):
        shutil.rmtree(store / name)
    return len(found)


def _current(place: Path) -> Path:
    """The folder of a baseline: its place, or where an interrupted save has moved it."""
    return place if place.is_dir() else _moved(place)


def _moved(place: Path) -> Path:
    return place.parent / _OLD / place.name


def _check_name(name: str) -> None:
    """Refuse a name that is not a plain file name."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} is not a valid name for a baseline. Use at most 80 letters, digits, dots, dashes and underscores."
        )


def _folder(kind: str, data: str, inputs: Mapping[str, str]) -> str:
    return f"{plain_name(f'{kind}-{data}')}-{sha256_text(*(f'{key} {inputs[key]}' for key in sorted(inputs)))[:8]}"
