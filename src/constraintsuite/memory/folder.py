"""A memory on disk: an artifact whose files are written once and whose manifest says which of them count.

    manifest.json environment.json segments/00001.jsonl segments/00002.jsonl ... readings/00001.jsonl ... .terms.index

A segment adds, replaces and removes documents. It is on disk for good before the manifest names it, and the manifest is
replaced in one step: whoever opens the folder sees all of a change or nothing of it. Readings are there where documents
were ingested: what was read in each of them, so that all can be linked anew when one comes or goes.

Only the first segment is written as other artifacts are, through a workspace. A memory then grows in place.
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
from constraintsuite.core.store.artifact import (
    FORMAT,
    MANIFEST,
    Artifact,
    ArtifactOrigin,
    FileEntry,
    Manifest,
    content_of,
    read_manifest,
    seal,
)
from constraintsuite.core.store.environment import environment
from constraintsuite.core.store.files import folder_lock, sha256_text
from constraintsuite.core.store.jsonl import encode
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.memory.graph_builder import build_graph
from constraintsuite.memory.index import keep_terms, kept_terms
from constraintsuite.memory.memory import Indexing, Memory
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.memory.segments import (
    LOGS,
    READINGS,
    SEGMENTS,
    DocumentChange,
    LogLine,
    SegmentEntry,
    applied,
    entries,
    file_names,
    living_parts,
    newest_lines,
    next_file,
    write_file,
)
from constraintsuite.models.dense import DenseScorer

_MOST_FILES = 256
_FEW = 50  # documents: the log of a memory as small as this is not written anew because half its lines are out of date
_LINES = {SEGMENTS: "lines", READINGS: "reading_lines"}
"""Under which name the manifest counts the lines of a log, those that are out of date too."""
KIND = "graph"
T = TypeVar("T")


def confirm(
    path: Path,
    origin: ArtifactOrigin,
    held: Mapping[str, SegmentEntry],
    before: Artifact | None,
    lines: Mapping[str, Sequence[LogLine]],
) -> Artifact:
    """Write new lines to the logs of a memory, then the manifest that makes them count; `held` is what it holds then."""
    start = time.monotonic()
    files = dict(before.manifest.files) if before else {}
    counts = {log: before.manifest.counts.get(_LINES[log], 0) if before else 0 for log in LOGS}
    for log, new in lines.items():
        own = file_names(before.manifest, log) if before else []
        written = {line.document: encode(line) for line in new}
        if before and (len(own) >= _MOST_FILES or counts[log] + len(written) > 2 * max(len(held), _FEW)):
            written = _all_that_counts(before, log, held, written)
            counts[log] = 0
            files = {name: entry for name, entry in files.items() if name not in own}
        name = next_file(before.manifest if before else None, log)
        files[name] = write_file(path, name, (line for _, line in sorted(written.items())))
        counts[log] += len(written)
        _sync(path / log)
    manifest = _manifest(origin, held, files, counts)
    artifact = seal(path, manifest, environment(time.monotonic() - start))
    _sync(path)
    _sync(path.parent)
    _tidy(path, manifest)
    return artifact


def _all_that_counts(
    before: Artifact, log: str, held: Mapping[str, SegmentEntry], new: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The line of every document that is left, so that what is out of date need not be kept for ever."""
    old = {raw.document: raw.line for raw in newest_lines(before, log)}
    return {document: line for document, line in {**old, **new}.items() if document in held}


def _manifest(
    origin: ArtifactOrigin, held: Mapping[str, SegmentEntry], files: Mapping[str, FileEntry], lines: Mapping[str, int]
) -> Manifest:
    counts = {
        "documents": len(held),
        "units": sum(entry.units for entry in held.values()),
        "edges": sum(entry.edges for entry in held.values()),
        "mentions": sum(entry.mentions for entry in held.values()),
    }
    return Manifest(
        format=FORMAT,
        kind=origin.kind,
        name=origin.name,
        revision=origin.revision.number,
        fingerprint=origin.fingerprint,
        inputs=dict(origin.inputs),
        settings=dict(origin.settings),
        seed=origin.seed,
        counts=counts | {_LINES[log]: count for log, count in lines.items() if log == SEGMENTS or count},
        rejects={},
        files=dict(files),
        content=content_of(files),
    )


def _sync(folder: Path) -> None:
    """Make the names in a folder outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _tidy(path: Path, manifest: Manifest) -> None:
    """Take away files that no longer count, and what a writer that was killed left behind.

    The change counts already: what cannot be taken away stays, and is tried again with the next change.
    """
    logs = [path / log for log in LOGS if (path / log).is_dir()]
    stale = [file for log in logs for file in log.iterdir() if f"{log.name}/{file.name}" not in manifest.files]
    for file in (*stale, *path.glob(".*.tmp-*")):
        if file.is_file():  # a folder is none of ours
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
    """A new memory of some documents; `settings` are those of the ingestion. The same ones again change nothing."""
    given = list(parts)
    build_graph(given)  # whatever is wrong with them is said before anything is written
    changes = [DocumentChange.to(part) for part in given]
    held = applied({}, changes)
    origin = _origin(name, settings or {}, held)
    files = [f"{log}/*" for log in LOGS]
    with claim(
        path, origin, files, replace=Replace.UNFINISHED, otherwise=lambda there: _advice(there, origin)
    ) as space:
        if space.finished is None:
            lines: dict[str, Sequence[LogLine]] = {SEGMENTS: changes} | ({READINGS: readings} if readings else {})
            space.finished = confirm(path, origin, held, None, lines)
            keep_terms(None, changes, space.finished)
        return space.finished


class MemoryChangePlan(NamedTuple):
    """What is to change in a memory."""

    add: Sequence[MemoryDocument] = ()
    """Documents that come, or take the place of those of their id; what is unchanged is not written."""
    remove: Collection[str] = ()
    readings: Sequence[LogLine] = ()
    """Lines to write to the log of that name."""


def change_memory(path: Path, plan: Callable[[Artifact], MemoryChangePlan]) -> Artifact:
    """Change a memory as `plan` says, which is asked once nobody else can write to it."""
    Artifact.open_unverified(path, KIND)  # before the lock, which makes a folder
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
        held = applied(before, changes)
        origin = _origin(artifact.manifest.name, artifact.manifest.settings, held)
        now = confirm(path, origin, held, artifact, new)
        keep_terms(artifact, changes, now)
        return now


def read_memory(path: Path, use: Callable[[Artifact], T]) -> T:
    """What `use` finds in a memory; asked again if a writer has taken away files meanwhile, so it verifies what it reads."""
    while True:
        artifact = Artifact.open_unverified(path, KIND)
        try:
            return use(artifact)
        except (UserError, FileNotFoundError):
            if read_manifest(path) == artifact.manifest:
                raise
            # All files of a log were put into one: those of the manifest that was read are gone.


def open_memory(
    path: Path, encoder: DenseScorer | None = None, indexing: Indexing | None = None, cache: Path | None = None
) -> Memory:
    """The memory of a folder; a segment that is missing, cut short or changed is a UserError that names it."""

    def opened(artifact: Artifact) -> Memory:
        artifact.refuse_changed(file_names(artifact.manifest, SEGMENTS))
        terms = kept_terms(artifact, indexing or Indexing())
        return Memory.of(living_parts(artifact), encoder, indexing, cache, terms)

    return read_memory(path, opened)


class _FaultsError(UserError):
    """Raised where a memory is not as it was written."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def verify_memory(path: Path) -> list[str]:
    """What is wrong with a memory, one line a fault; files that a killed writer left behind are none."""
    try:
        read_memory(path, _verify)
    except _FaultsError as error:
        return error.faults
    return []


def _verify(artifact: Artifact) -> None:
    found = artifact.faults()
    if not found and artifact.manifest.inputs != _inputs(entries(artifact)):
        found.append(f"{MANIFEST}: it tells of other documents than the segments hold")
    if found:
        raise _FaultsError(found)


def _advice(there: Manifest, wanted: ArtifactOrigin) -> str:
    """What can be done about a memory that is not the one to be written, by what differs."""
    if there.settings != json.loads(json.dumps(wanted.settings)):
        return f"or use its settings, {json.dumps(there.settings, sort_keys=True, ensure_ascii=False)}"
    if there.inputs != wanted.inputs:
        return "or add and remove documents there"
    if there.name != wanted.name:
        return "or use its name"
    return "or move it away"


def _changes(
    path: Path, held: Mapping[str, SegmentEntry], add: Iterable[MemoryDocument], remove: Collection[str]
) -> list[DocumentChange]:
    """The lines to write: none for a document that is as it was."""
    refuse_unknown(path, held, remove)
    given = [DocumentChange.to(part) for part in add]
    gone = set(remove) - {change.document for change in given}
    new = [each for each in given if each.document not in held or held[each.document].digest != each.digest]
    return new + [DocumentChange(document, "", None) for document in gone]


def refuse_unknown(path: Path, held: Collection[str], documents: Collection[str]) -> None:
    """A UserError that names a document which a memory does not hold."""
    unknown = sorted(set(documents) - set(held))
    if unknown:
        raise UserError(f"{path}: this memory holds no document {unknown[0]!r}. See: csuite show {path}")


def _origin(name: str, settings: Mapping[str, Any], held: Mapping[str, SegmentEntry]) -> ArtifactOrigin:
    return ArtifactOrigin(KIND, name, _inputs(held), settings, 0, REVISIONS[KIND])


def _inputs(held: Mapping[str, SegmentEntry]) -> dict[str, str]:
    """Equal for equal documents, whatever the history of the folder."""
    return {"documents": sha256_text(*(f"{document} {entry.digest}" for document, entry in sorted(held.items())))}
