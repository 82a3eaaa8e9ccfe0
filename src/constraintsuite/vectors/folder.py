"""Folders of bundles: what may be written over, and what is cleared away."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.execution.travel import clear
from constraintsuite.store.artifact import ENVIRONMENT, MANIFEST, STAGES, Artifact, Manifest, read_manifest
from constraintsuite.store.files import folder_lock
from constraintsuite.vectors.bundle import (
    CORPUS,
    COVERAGE,
    PARTS,
    QRELS,
    QUERIES,
    REJECTS,
    TWINS,
    Bundle,
    finished_parts,
)

_OWN = (CORPUS, QUERIES, QRELS, COVERAGE, REJECTS, TWINS, ENVIRONMENT)


@contextmanager
def claimed(out: Path) -> Iterator[Manifest | None]:
    """Keeps other commands out of `out`, and gives the manifest of the finished bundle that is there, if any."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: this is a file, not a folder. Choose another --out.")
    manifest = read_manifest(out)
    if manifest is not None and manifest.kind != "bundle":
        raise UserError(f"{out}: here lies the {manifest.kind} {manifest.name!r}. Choose another --out.")
    with folder_lock(out):
        yield read_manifest(out)


@contextmanager
def reading(path: Path) -> Iterator[Bundle]:
    """The bundle at `path`, which nobody replaces while the block runs."""
    with locked(path):
        yield Bundle.open(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keeps commands that would replace the bundle at `path` out while the block runs; others may read it too."""
    if not path.is_dir():
        raise UserError(f"{path}: there is no such folder.")
    with folder_lock(path, shared=True):
        yield


def refuse_others(out: Path, manifest: Manifest | None, *, force: bool) -> None:
    """A UserError if `out` holds other texts, unless `force` is given, or anything that is not of a bundle."""
    if manifest is not None and not force:
        raise UserError(
            f"{out}: here lies a bundle of other texts or settings. Choose another --out, or replace it with --force."
        )
    own = {MANIFEST, STAGES, *PARTS, *_OWN}
    foreign = sorted(path.name for path in out.iterdir() if path.name not in own and not path.name.startswith("."))
    if foreign:
        raise UserError(f"{out}: the folder holds {foreign[0]!r}, which is not of a bundle. Choose another --out.")


def open_for_texts(out: Path) -> None:
    """Clear earlier texts away."""
    (out / MANIFEST).unlink(missing_ok=True)  # first: from now on the bundle is unfinished
    for name in (*_OWN, STAGES):
        _remove(out / name)


def replace_texts(out: Path, new: Path, names: Collection[str]) -> None:
    """Put the finished files `names` of `new` in the place of earlier texts; stopped on the way, the same call goes on."""
    (out / MANIFEST).unlink(missing_ok=True)  # first: from now on the bundle is unfinished
    for name in _OWN:
        if (new / name).exists() or name not in names:  # else it was moved before
            _remove(out / name)
        if (new / name).exists():
            (new / name).rename(out / name)


def is_intact(part: Artifact, reporter: Reporter) -> bool:
    """Whether finished vectors or a truth are as they were written; if not, says that they are made again."""
    changed = next(part.changed_files(), None)
    if changed is not None:
        reporter.note(f"{part.path / changed} is not what was written, so it is all made again")
    return changed is None


def reopen(part: Path) -> None:
    """Make the folder of vectors or of a truth unfinished, before anything in it is written over."""
    (part / MANIFEST).unlink(missing_ok=True)


def tidy(bundle: Bundle) -> None:
    """Take away what was only needed on the way, and vectors and truths of other texts, finished or not."""
    own = {part.path for folder in PARTS for part in bundle.parts(folder)}
    for folder in PARTS:
        for part in (bundle.path / folder).iterdir() if (bundle.path / folder).is_dir() else ():
            if part not in own:
                _remove(part)
    _remove(bundle.path / STAGES)


def sweep(bundle: Bundle) -> None:
    """Do what was left of `tidy` when a build was killed before its end."""
    for each in leftovers(bundle):
        _remove(each)


def leftovers(bundle: Bundle) -> list[Path]:
    """What a killed build left: its work, and what was made of other texts.

    Vectors that are not finished are none: they may be of these texts, and wait for their command to be run again.
    """
    foreign = [part.path for name in PARTS for part in finished_parts(bundle.path, name) if not bundle.owns(part)]
    return [*foreign, *([bundle.path / STAGES] if (bundle.path / STAGES).is_dir() else [])]


def _remove(path: Path) -> None:
    clear(path)
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
