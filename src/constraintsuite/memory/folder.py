"""A memory on disk: an artifact whose files are written once, and whose manifest says which of them count.

    manifest.json environment.json segments/00001.jsonl segments/00002.jsonl ... readings/00001.jsonl ... .terms.index

A segment adds, replaces and removes documents. It is safely on disk before the manifest names it, and the manifest is
replaced in one step: a reader sees either all of a change or nothing of it. Readings are the result of reading each
ingested document, so that all documents can be linked again when one is added or removed.

The first segment is written through a workspace, like other artifacts. After that a memory grows in place.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, Artifact, ArtifactOrigin, Manifest, read_manifest, seal
from constraintsuite.core.store.environment import environment
from constraintsuite.core.store.files import folder_lock, sha256_text
from constraintsuite.core.store.jsonl import encode
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.memory.graph_builder import build_graph
from constraintsuite.memory.index import load_terms, save_terms
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.memory.segments import (
    LOGS,
    READINGS,
    SEGMENTS,
    DocumentChange,
    LogLine,
    SegmentEntry,
    apply_changes,
    current_documents,
    entries,
    file_names,
    newest_lines,
    write_file,
)
from constraintsuite.models.dense import DenseScorer

_MOST_FILES = 256
_FEW = 50  # documents: a log is rewritten when half of its lines are outdated, but not in a memory as small as this
_LINES = {SEGMENTS: "lines", READINGS: "reading_lines"}
"""The names under which the manifest counts the lines of a log, outdated ones included."""
KIND = "graph"
T = TypeVar("T")


def _commit_lines(
    path: Path,
    origin: ArtifactOrigin,
    documents: Mapping[str, SegmentEntry],
    before: Artifact | None,
    lines: Mapping[str, Sequence[LogLine]],
) -> Artifact:
    """Write new lines to the logs of a memory, then the manifest that makes them count.

    `documents` are the documents of the memory after the change; `before` is the memory before it, if there was one.
    """
    start = time.monotonic()
    files = dict(before.manifest.files) if before else {}
    counts = {log: before.manifest.counts.get(_LINES[log], 0) if before else 0 for log in LOGS}
    for log, new in lines.items():
        own = file_names(before.manifest, log) if before else []
        written = {line.document: encode(line) for line in new}
        if before and (len(own) >= _MOST_FILES or counts[log] + len(written) > 2 * max(len(documents), _FEW)):
            # Rewrite the log with one line per document, so that outdated lines are not kept for ever.
            old = {raw.document: raw.line for raw in newest_lines(before, log)}
            written = {document: line for document, line in {**old, **written}.items() if document in documents}
            counts[log] = 0
            files = {name: entry for name, entry in files.items() if name not in own}
        name = f"{log}/{int(Path(own[-1]).stem) + 1 if own else 1:05}.jsonl"
        files[name] = write_file(path, name, (line for _, line in sorted(written.items())))
        counts[log] += len(written)
        _sync(path / log)
    totals = {"documents": len(documents)}
    totals |= {
        name: sum(getattr(entry, name) for entry in documents.values()) for name in ("units", "edges", "mentions")
    }
    totals |= {_LINES[log]: count for log, count in counts.items() if log == SEGMENTS or count}
    manifest = origin.manifest(totals, {}, files)
    artifact = seal(path, manifest, environment(time.monotonic() - start))
    _sync(path)
    _sync(path.parent)
    _tidy(path, manifest)
    return artifact


def _sync(folder: Path) -> None:
    """Write the names of the files in a folder to the disk, so that they survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _tidy(path: Path, manifest: Manifest) -> None:
    """Remove files that no longer count, and leftovers of writers that were killed.

    The change counts already: what cannot be removed stays, and is tried again with the next change.
    """
    logs = [path / log for log in LOGS if (path / log).is_dir()]
    stale = [file for log in logs for file in log.iterdir() if f"{log.name}/{file.name}" not in manifest.files]
    for file in (*stale, *path.glob(".*.tmp-*")):
        if file.is_file():  # folders are not written by a memory
            with suppress(OSError):
                file.unlink()


def write_memory(
    path: Path,
    parts: Iterable[MemoryDocument],
    *,
    name: str,
    settings: Mapping[str, Any] | None = None,
    readings: Sequence[LogLine] = (),
) -> Artifact:
    """Write a new memory of some documents. Writing the same documents with the same settings again has no effect."""
    given = list(parts)
    build_graph(given)  # refuses faulty documents before anything is written
    changes = [DocumentChange.to(part) for part in given]
    documents = apply_changes({}, changes)
    origin = _origin(name, settings or {}, documents)
    files = [f"{log}/*" for log in LOGS]
    with claim(
        path, origin, files, replace=Replace.UNFINISHED, otherwise=lambda there: _advice(there, origin)
    ) as space:
        if space.finished is None:
            lines: dict[str, Sequence[LogLine]] = {SEGMENTS: changes} | ({READINGS: readings} if readings else {})
            space.finished = _commit_lines(path, origin, documents, None, lines)
            save_terms(None, changes, space.finished)
        return space.finished


class MemoryChangePlan(NamedTuple):
    """The changes to make in a memory."""

    add: Sequence[MemoryDocument] = ()
    """Documents to add, or to replace those with the same id; unchanged ones are not written."""
    remove: Collection[str] = ()
    readings: Sequence[LogLine] = ()
    """New lines of the log of readings."""


def change_memory(path: Path, plan: Callable[[Artifact], MemoryChangePlan]) -> Artifact:
    """Change a memory by a plan that is made while nobody else can write to it."""
    Artifact.open_unverified(path, KIND)  # before the lock, which creates a folder
    with folder_lock(path):
        artifact = Artifact.open(path, KIND)  # as the last writer left it
        wanted = plan(artifact)
        build_graph(wanted.add)
        before = entries(artifact)
        changes = _changes(path, before, wanted.add, wanted.remove)
        lines: dict[str, Sequence[LogLine]] = {SEGMENTS: changes, READINGS: wanted.readings}
        new = {log: own for log, own in lines.items() if own}
        if not new:
            return artifact
        documents = apply_changes(before, changes)
        origin = _origin(artifact.manifest.name, artifact.manifest.settings, documents)
        now = _commit_lines(path, origin, documents, artifact, new)
        save_terms(artifact, changes, now)
        return now


def read_memory(path: Path, use: Callable[[Artifact], T]) -> T:
    """Call `use` on a memory, and again if a writer removed files in the meantime; `use` must verify what it reads."""
    while True:
        artifact = Artifact.open_unverified(path, KIND)
        try:
            return use(artifact)
        except (UserError, FileNotFoundError):
            if read_manifest(path) == artifact.manifest:
                raise
            # A log was rewritten into one file: the files of the manifest that was read are gone.


def open_memory(path: Path, encoder: DenseScorer | None = None, cache: Path | None = None) -> Memory:
    """Open the memory of a folder. Raises UserError that names a segment if it is missing, truncated or changed."""

    def opened(artifact: Artifact) -> Memory:
        artifact.refuse_changed(file_names(artifact.manifest, SEGMENTS))
        return Memory.of(current_documents(artifact), encoder, cache=cache, terms=load_terms(artifact))

    return read_memory(path, opened)


def verify_memory(path: Path) -> list[str]:
    """Return what is wrong with a memory, one line per fault; leftovers of a killed writer are not faults."""

    def find_faults(artifact: Artifact) -> list[str]:
        found = artifact.faults()
        if not found and artifact.manifest.inputs != _inputs(entries(artifact)):
            found.append(f"{MANIFEST}: it names other documents than the segments hold")
        if found and read_manifest(path) != artifact.manifest:
            raise UserError(f"{path}: a writer changed this memory in the meantime.")  # so that it is read again
        return found

    return read_memory(path, find_faults)


def _advice(there: Manifest, wanted: ArtifactOrigin) -> str:
    """Advise what to do about another memory at the same place, by what differs."""
    if there.settings != json.loads(json.dumps(wanted.settings)):
        return f"or use its settings, {json.dumps(there.settings, sort_keys=True, ensure_ascii=False)}"
    if there.inputs != wanted.inputs:
        return "or add and remove documents there"
    if there.name != wanted.name:
        return "or use its name"
    return "or move it away"


def _changes(
    path: Path, documents: Mapping[str, SegmentEntry], add: Iterable[MemoryDocument], remove: Collection[str]
) -> list[DocumentChange]:
    """Return the lines to write: none for a document that did not change."""
    refuse_unknown(path, documents, remove)
    given = [DocumentChange.to(part) for part in add]
    gone = set(remove) - {change.document for change in given}
    new = [each for each in given if each.document not in documents or documents[each.document].digest != each.digest]
    return new + [DocumentChange(document, "", None) for document in gone]


def refuse_unknown(path: Path, documents: Collection[str], named: Collection[str]) -> None:
    """Refuse documents that a memory does not hold."""
    unknown = sorted(set(named) - set(documents))
    if unknown:
        raise UserError(f"{path}: this memory holds no document {unknown[0]!r}. See: csuite show {path}")


def _origin(name: str, settings: Mapping[str, Any], documents: Mapping[str, SegmentEntry]) -> ArtifactOrigin:
    return ArtifactOrigin(KIND, name, _inputs(documents), settings, 0, REVISIONS[KIND])


def _inputs(documents: Mapping[str, SegmentEntry]) -> dict[str, str]:
    """Return a hash that is equal for equal documents, whatever the history of the folder."""
    return {"documents": sha256_text(*(f"{document} {entry.digest}" for document, entry in sorted(documents.items())))}
