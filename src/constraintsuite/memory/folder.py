"""A memory on disk: an artifact whose files are written once and whose manifest says which of them count.

    manifest.json environment.json segments/00001.jsonl segments/00002.jsonl ... readings/00001.jsonl ... .terms.index

A segment adds, replaces and removes documents. It is on disk for good before the manifest names it, and the manifest is
replaced in one step: whoever opens the folder sees all of a change or nothing of it. Readings are there where documents
were ingested: what was read in each of them, so that all can be linked anew when one comes or goes.

Only the first segment is written as other artifacts are, through a workspace. A memory then grows in place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from constraintsuite.errors import UserError
from constraintsuite.memory.confirming import confirm
from constraintsuite.memory.graph import MemoryGraph
from constraintsuite.memory.index import keep_terms, kept_terms
from constraintsuite.memory.logs import LOGS, READINGS, SEGMENTS, LogLine, NothingKept, file_names
from constraintsuite.memory.memory import Indexing, Memory
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.memory.segments import DocumentChange, SegmentEntry, applied, entries, living_parts
from constraintsuite.models.dense import DenseScorer
from constraintsuite.store.artifact import MANIFEST, Artifact, ArtifactOrigin, Manifest, read_manifest
from constraintsuite.store.files import folder_lock, sha256_text
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.store.workspace import Replace, claim

KIND = "graph"
T = TypeVar("T")


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
    MemoryGraph.of(given)  # whatever is wrong with them is said before anything is written
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
        MemoryGraph.of(wanted.add)
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


def update_memory(
    path: Path,
    add: Iterable[MemoryDocument] = (),
    remove: Collection[str] = (),
    *,
    settings: Mapping[str, Any] | None = None,
) -> Artifact:
    """Add documents, or put them in place of those of their id, and remove others, each as it is given.

    `settings`, where given, must be those that the other documents were ingested with. Documents that cite one another
    are linked anew by `constraintsuite.memory.ingest.growing`, not here: what was read in those that change is forgotten,
    so that nothing is linked anew from a reading that is not of the part.
    """
    given = list(add)

    def plan(artifact: Artifact) -> MemoryChangePlan:
        _refuse_other_settings(artifact, settings)
        changed = _changes(path, entries(artifact), given, remove) if file_names(artifact.manifest, READINGS) else ()
        return MemoryChangePlan(given, remove, [NothingKept(change.document) for change in changed])

    return change_memory(path, plan)


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


def held_documents(path: Path) -> dict[str, str]:
    """Of each document of a memory the hash of the bytes that it was read from."""

    def held(artifact: Artifact) -> dict[str, str]:
        artifact.refuse_changed(file_names(artifact.manifest, SEGMENTS))
        return {document: entry.sha256 for document, entry in entries(artifact).items()}

    return read_memory(path, held)


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


def _refuse_other_settings(artifact: Artifact, settings: Mapping[str, Any] | None) -> None:
    if settings is not None and json.loads(json.dumps(settings)) != artifact.manifest.settings:
        before = json.dumps(artifact.manifest.settings, sort_keys=True, ensure_ascii=False)
        raise UserError(
            f"{artifact.path}: its documents were ingested with other settings, {before}. Use those, or ingest all of "
            "them again into a new folder."
        )


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
