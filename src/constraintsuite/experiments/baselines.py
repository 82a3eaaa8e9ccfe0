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

from constraintsuite.errors import UserError
from constraintsuite.experiments.experiment import Experiment
from constraintsuite.experiments.run import plain_name
from constraintsuite.store.artifact import Artifact, read_manifest
from constraintsuite.store.files import sha256_text

STORE = Path(".csuite/baselines")
"""Where baselines are kept unless told otherwise, seen from where the command runs."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}", re.ASCII)
_FRESH = ".new"


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
    """Keep a copy of a finished run under a name; an earlier one of the same name, kind and data is replaced."""
    check_name(name)
    Artifact.open(run.path)
    place = store / name / _folder(run.kind, run.data, run.inputs)
    fresh = place.with_name(place.name + _FRESH)
    shutil.rmtree(fresh, ignore_errors=True)  # of a process that was killed
    shutil.copytree(run.path, fresh, ignore=shutil.ignore_patterns(".*"))
    shutil.rmtree(place, ignore_errors=True)
    fresh.replace(place)
    return place


def find_baseline(store: Path, name: str, kind: str, data: str, inputs: Mapping[str, str]) -> Path:
    """The baseline of that name for a kind of run and what it was measured on, `data` with the hashes `inputs`.

    That there is none is a UserError that says how to make it.
    """
    check_name(name)
    place = store / name / _folder(kind, data, inputs)
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
    raise UserError(f"{said} Keep a run under this name with `csuite baseline save {name} RUN`.")


def list_baselines(store: Path) -> Iterator[KeptBaseline]:
    """All baselines, sorted."""
    for place in sorted(store.glob("*/*")):
        manifest = read_manifest(place) if place.is_dir() and not place.name.endswith(_FRESH) else None
        if manifest is not None:
            yield KeptBaseline(place.parent.name, place, manifest.kind, manifest.name)


def remove_baseline(store: Path, name: str) -> int:
    """Remove all runs that are kept under a name; gives how many there were."""
    found = [one for one in list_baselines(store) if one.name == name]
    if not found:
        raise UserError(f"There is no baseline named {name!r} in {store}.")
    shutil.rmtree(store / name)
    return len(found)


def check_name(name: str) -> None:
    """Refuse a name that is no plain word."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} is no name for a baseline: letters, digits, dots, dashes and underscores, at most 80."
        )


def _folder(kind: str, data: str, inputs: Mapping[str, str]) -> str:
    return f"{plain_name(f'{kind}-{data}')}-{sha256_text(*(f'{key} {inputs[key]}' for key in sorted(inputs)))[:8]}"
