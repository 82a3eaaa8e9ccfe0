"""Folders that are written once: what is there already is kept, what others put there is never touched."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter, Silent
from constraintsuite.execution.unfinished import forget, is_unfinished_work
from constraintsuite.experiments.load import remember_suite, suite_place
from constraintsuite.models.base import ModelFact
from constraintsuite.store.artifact import (
    ENVIRONMENT,
    MANIFEST,
    STAGES,
    Artifact,
    ArtifactOrigin,
    Manifest,
    finish,
    read_manifest,
)
from constraintsuite.store.files import folder_lock

_FRESH = ".new"  # hidden, hence no part of the artifact


@dataclass(frozen=True)
class OutputCounts:
    """What came of the work: how many of what, what was left out and why, and where the model ran."""

    counts: Mapping[str, int]
    rejects: Mapping[str, int] = field(default_factory=dict)
    place: Mapping[str, ModelFact] = field(default_factory=dict)


def write_once(
    out: Path,
    origin: ArtifactOrigin,
    files: Sequence[str],
    write: Callable[[Path], OutputCounts],
    *,
    suite: Path | None = None,
    reporter: Reporter | None = None,
    events: Sequence[str] = (),
) -> Artifact:
    """Let `write` fill a folder that becomes `out`, unless all that this origin gives is there already.

    `files` are patterns of what is written. Earlier output of the same kind, name and suite is replaced, but only when
    the work is done. Anything else in `out` is a UserError, and left as it is. `suite` is where the suite lies: that is
    noted in the folder.
    """
    _refuse_others(out, origin, suite)
    with folder_lock(out):
        told = reporter or Silent()
        artifact = _finished(out, origin)
        changed = None if artifact is None else next(artifact.changed_files(), None)
        if artifact is not None and changed is None:
            told.note(f"{origin.name}: {out} is up to date")
        else:
            if changed is not None:
                told.note(f"{origin.name}: {out / changed} is not what was written, so it is all made again")
            artifact = _replace(out, origin, files, write, events)
        if suite is not None:
            remember_suite(out, suite)
        return artifact


def _refuse_others(out: Path, origin: ArtifactOrigin, suite: Path | None) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: this is a file, not a folder. Choose another --out.")
    manifest = read_manifest(out)
    if manifest is None:
        return
    if (manifest.kind, manifest.name) != (origin.kind, origin.name):
        raise UserError(f"{out}: here lies the {manifest.kind} {manifest.name!r}. Choose another --out.")
    before, now = manifest.settings.get("suite"), origin.settings.get("suite")
    place = suite and _other_place(out, manifest, suite)
    if before != now or place:
        raise UserError(
            f"{out}: here lies the {manifest.kind} of {origin.name} on the suite {before!r}{_at(place)}, which one on the "
            f"suite {now!r}{_at(suite)} would replace. Choose another --out."
        )


def _other_place(out: Path, manifest: Manifest, suite: Path) -> Path | None:
    """Where the suite of earlier output lies, if that is another suite of the same name and not what became of this one."""
    place = suite_place(out)
    if place is None or place == suite.resolve():
        return None
    other = read_manifest(place)
    return place if other is not None and other.content == manifest.inputs.get("suite") != _content(suite) else None


def _content(suite: Path) -> str | None:
    manifest = read_manifest(suite)
    return None if manifest is None else manifest.content


def _at(place: Path | None) -> str:
    return f" in {place}" if place else ""


def _finished(out: Path, origin: ArtifactOrigin) -> Artifact | None:
    """What lies there, if it is of this origin."""
    manifest = read_manifest(out)
    return Artifact(out, manifest) if manifest is not None and manifest.fingerprint == origin.fingerprint else None


def _replace(
    out: Path,
    origin: ArtifactOrigin,
    files: Sequence[str],
    write: Callable[[Path], OutputCounts],
    events: Sequence[str],
) -> Artifact:
    own = (MANIFEST, ENVIRONMENT, *files)
    foreign = next((path for path in _visible(out) if not _is_own(path.relative_to(out).as_posix(), own)), None)
    if foreign is not None:
        raise UserError(f"{foreign}: this is not of a {origin.kind}. Choose another --out.")
    fresh = out / _FRESH
    shutil.rmtree(fresh, ignore_errors=True)  # of a process that was killed
    fresh.mkdir()
    start = time.monotonic()
    try:
        written = write(fresh)
        _exchange(out, fresh, own)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    artifact = finish(out, origin, written.counts, written.rejects, time.monotonic() - start, events, written.place)
    if is_unfinished_work(out / STAGES):
        forget(out / STAGES)
    return artifact


def _exchange(out: Path, fresh: Path, own: Sequence[str]) -> None:
    (out / MANIFEST).unlink(missing_ok=True)  # first of all: from now on the folder is unfinished
    for path in [path for path in _visible(out) if _is_own(path.relative_to(out).as_posix(), own)]:
        path.unlink()
    for path in list(_visible(fresh)):
        target = out / path.relative_to(fresh)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def _visible(folder: Path) -> Iterator[Path]:
    """All files but hidden ones, and shards of work that was stopped."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or (path.name == STAGES and is_unfinished_work(path)):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _visible(path)
        else:
            yield path


def _is_own(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) and name.count("/") == pattern.count("/") for pattern in patterns)
