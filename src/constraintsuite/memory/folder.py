"""A memory on disk: an artifact whose segments are written once and whose manifest says which of them count.

    manifest.json environment.json segments/00001.jsonl segments/00002.jsonl ...

A segment adds, replaces and removes documents. It is on disk for good before the manifest names it, and the manifest is
replaced in one step: whoever opens the folder sees all of a change or nothing of it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from constraintsuite.errors import UserError
from constraintsuite.memory.graph import Graph
from constraintsuite.memory.memory import Indexing, Memory
from constraintsuite.memory.records import Part
from constraintsuite.memory.segments import (
    SEGMENTS,
    Change,
    Entry,
    applied,
    entries,
    faults,
    living_parts,
    next_segment,
    refuse_faults,
    write_segment,
)
from constraintsuite.models.dense import DenseScorer
from constraintsuite.store.artifact import (
    ENVIRONMENT,
    FORMAT,
    MANIFEST,
    Artifact,
    FileEntry,
    Manifest,
    Origin,
    environment,
    read_manifest,
)
from constraintsuite.store.files import folder_lock, sha256_text, write_text

KIND = "graph"
CODE = "graph 1"
"""Raised when the same documents would be written as other bytes."""
_MOST_SEGMENTS = 256
_FEW = 50  # documents: a memory as small as this is not written anew because half its lines are out of date


def write_memory(
    path: Path, parts: Iterable[Part], *, name: str, settings: Mapping[str, Any] | None = None
) -> Artifact:
    """A new memory of some documents; `settings` are those of the ingestion. The same ones again change nothing."""
    given = list(parts)
    Graph.of(given)  # whatever is wrong with them is said before anything is written
    changes = [Change.to(part) for part in given]
    held = applied({}, changes)
    origin = _origin(name, settings or {}, held)
    if path.exists() and not path.is_dir():
        raise UserError(f"{path}: this is a file, not a folder. Choose another --out.")
    with folder_lock(path):
        manifest = read_manifest(path)
        if manifest is None:
            _refuse_foreign(path)
            return _confirm(path, origin, held, None, changes)
        if manifest.kind != KIND:
            raise UserError(f"{path}: here lies the {manifest.kind} {manifest.name!r}. Choose another --out.")
        if manifest.fingerprint != origin.fingerprint:
            raise UserError(
                f"{path}: here lies a memory of other documents or settings. Update it, or choose another --out."
            )
        return Artifact(path, manifest)


def update_memory(
    path: Path,
    add: Iterable[Part] = (),
    remove: Collection[str] = (),
    *,
    settings: Mapping[str, Any] | None = None,
) -> Artifact:
    """Add documents, or put them in place of those of their id, and remove others; what is unchanged is not written.

    `settings`, where given, must be those that the other documents were ingested with.
    """
    given = list(add)
    Graph.of(given)
    Artifact.open(path, KIND)
    with folder_lock(path):
        artifact = Artifact.open(path, KIND)  # as the last writer left it
        _refuse_other_settings(artifact, settings)
        refuse_faults(artifact)
        before = entries(artifact)
        changes = _changes(path, before, given, remove)
        if not changes:
            return artifact
        held = applied(before, changes)
        origin = _origin(artifact.manifest.name, artifact.manifest.settings, held)
        return _confirm(path, origin, held, artifact, changes)


def open_memory(
    path: Path, encoder: DenseScorer | None = None, indexing: Indexing | None = None, cache: Path | None = None
) -> Memory:
    """The memory of a folder; a segment that is missing, cut short or changed is a UserError that names it."""
    while True:
        artifact = Artifact.open(path, KIND)
        try:
            refuse_faults(artifact)
            return Memory.of(living_parts(artifact), encoder, indexing, cache)
        except UserError:
            if read_manifest(path) == artifact.manifest:
                raise
            # A writer has put all segments into one meanwhile: those of the manifest that was read are gone.


def held_documents(path: Path) -> dict[str, str]:
    """Of each document of a memory the hash of the bytes that it was read from."""
    artifact = Artifact.open(path, KIND)
    refuse_faults(artifact)
    return {document: entry.sha256 for document, entry in entries(artifact).items()}


def verify_memory(path: Path) -> list[str]:
    """What is wrong with a memory, one line a fault; segments that a killed writer left behind are none."""
    artifact = Artifact.open(path, KIND)
    found = faults(artifact)
    if artifact.manifest.content != _content(artifact.manifest.files):
        found.append(f"{MANIFEST}: changed since it was written")
    if not found and artifact.manifest.inputs != _inputs(entries(artifact)):
        found.append(f"{MANIFEST}: it tells of other documents than the segments hold")
    return found


def _refuse_foreign(path: Path) -> None:
    own = {MANIFEST, ENVIRONMENT, SEGMENTS}
    foreign = sorted(each.name for each in path.iterdir() if each.name not in own and not each.name.startswith("."))
    if foreign:
        raise UserError(f"{path}: the folder holds {foreign[0]!r}, which is not of a memory. Choose another --out.")


def _refuse_other_settings(artifact: Artifact, settings: Mapping[str, Any] | None) -> None:
    if settings is not None and json.loads(json.dumps(settings)) != artifact.manifest.settings:
        before = json.dumps(artifact.manifest.settings, sort_keys=True, ensure_ascii=False)
        raise UserError(
            f"{artifact.path}: its documents were ingested with other settings, {before}. Use those, or ingest all of "
            "them again into a new folder."
        )


def _changes(path: Path, held: Mapping[str, Entry], add: Iterable[Part], remove: Collection[str]) -> list[Change]:
    """The lines to write: none for a document that is as it was."""
    unknown = sorted(set(remove) - held.keys())
    if unknown:
        raise UserError(f"{path}: this memory holds no document {unknown[0]!r}.")
    given = [Change.to(part) for part in add]
    gone = set(remove) - {change.document for change in given}
    new = [each for each in given if each.document not in held or held[each.document].digest != each.digest]
    return new + [Change(document, "", None) for document in gone]


def _confirm(
    path: Path, origin: Origin, held: Mapping[str, Entry], before: Artifact | None, changes: list[Change]
) -> Artifact:
    """Write a segment, then the manifest that makes it count."""
    start = time.monotonic()
    name = next_segment(before.manifest if before else None)
    files, lines = (dict(before.manifest.files), before.manifest.counts["lines"]) if before else ({}, 0)
    if before and (len(files) >= _MOST_SEGMENTS or lines + len(changes) > 2 * max(len(held), _FEW)):
        changes = _all_of_it(before, changes)
        files, lines = {}, 0
    files[name] = write_segment(path, name, sorted(changes, key=lambda change: change.document))
    _sync(path / SEGMENTS)
    manifest = _manifest(origin, held, files, lines + len(changes))
    write_text(path / ENVIRONMENT, json.dumps(environment(time.monotonic() - start), indent=2) + "\n")
    write_text(path / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    _sync(path)
    _sync(path.parent)
    _tidy(path, manifest)
    return Artifact(path, manifest)


def _all_of_it(before: Artifact, changes: list[Change]) -> list[Change]:
    """Every document that is left, so that what is out of date need not be kept for ever."""
    changed = {change.document for change in changes}
    others = (Change.to(part) for part in living_parts(before) if part.id not in changed)
    return [*(change for change in changes if change.part is not None), *others]


def _origin(name: str, settings: Mapping[str, Any], held: Mapping[str, Entry]) -> Origin:
    return Origin(KIND, name, _inputs(held), settings, 0, CODE)


def _inputs(held: Mapping[str, Entry]) -> dict[str, str]:
    """Equal for equal documents, whatever the history of the folder."""
    return {"documents": sha256_text(*(f"{document} {entry.digest}" for document, entry in sorted(held.items())))}


def _manifest(origin: Origin, held: Mapping[str, Entry], files: Mapping[str, FileEntry], lines: int) -> Manifest:
    counts = {
        "documents": len(held),
        "units": sum(entry.units for entry in held.values()),
        "edges": sum(entry.edges for entry in held.values()),
        "mentions": sum(entry.mentions for entry in held.values()),
        "lines": lines,
    }
    return Manifest(
        format=FORMAT,
        kind=origin.kind,
        name=origin.name,
        fingerprint=origin.fingerprint,
        inputs=dict(origin.inputs),
        settings=dict(origin.settings),
        seed=origin.seed,
        counts=counts,
        rejects={},
        files=dict(files),
        content=_content(files),
    )


def _content(files: Mapping[str, FileEntry]) -> str:
    return sha256_text(*(f"{name} {entry.sha256}" for name, entry in files.items()))


def _sync(folder: Path) -> None:
    """Make the names in a folder outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _tidy(path: Path, manifest: Manifest) -> None:
    """Take away segments that no longer count, and what a writer that was killed left behind."""
    stale = [file for file in (path / SEGMENTS).iterdir() if f"{SEGMENTS}/{file.name}" not in manifest.files]
    for file in (*stale, *path.glob(".*.tmp-*")):
        file.unlink(missing_ok=True)
