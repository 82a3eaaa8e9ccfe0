"""Changes of a memory on disk by documents as they are given, without files that they were read from."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from constraintsuite.core.store.artifact import Artifact
from constraintsuite.memory import folder
from constraintsuite.memory.folder import MemoryChangePlan, change_memory, read_memory
from constraintsuite.memory.ingest.unit_reader import KeptReading
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.memory.segments import READINGS, SEGMENTS, entries, file_names


def update_memory(path: Path, add: Iterable[MemoryDocument] = (), remove: Collection[str] = ()) -> Artifact:
    """Add documents, or put them in place of those of their id, and remove others; readings of what changes are forgotten."""
    given = list(add)

    def plan(artifact: Artifact) -> MemoryChangePlan:
        kept = bool(file_names(artifact.manifest, READINGS))
        changed = folder._changes(path, entries(artifact), given, remove) if kept else ()
        return MemoryChangePlan(given, remove, [KeptReading.removed(change.document) for change in changed])

    return change_memory(path, plan)


def held_documents(path: Path) -> dict[str, str]:
    """For each document of a memory the hash of the bytes that it was read from."""

    def held(artifact: Artifact) -> dict[str, str]:
        artifact.refuse_changed(file_names(artifact.manifest, SEGMENTS))
        return {document: entry.sha256 for document, entry in vars(folder)["entries"](artifact).items()}

    return read_memory(path, held)
