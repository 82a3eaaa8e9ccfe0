"""What is known against a thing before it is opened: its files are not what was written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from constraintsuite.annotate.batch import EVENTS, ITEMS, read_head
from constraintsuite.annotate.kinds.proposals import read_all
from constraintsuite.errors import UserError
from constraintsuite.experiments.load import CONTROLS, EXAMPLES
from constraintsuite.store.artifact import MANIFEST, FileEntry, read_manifest
from constraintsuite.store.files import sha256_of
from constraintsuite.web.artifact_index import (
    BATCH,
    DAMAGED,
    LARGEST_MANIFEST,
    PROPOSALS,
    ArtifactIndex,
    ServedArtifact,
)

_WHOLE = frozenset({"suite", "run", "report", "ranking"})
"""Kinds that are refused if any file of theirs was changed; others miss nothing if, say, weights were taken away."""
_READ = frozenset({EXAMPLES, CONTROLS})
"""Files of a suite whose content is looked at, not their size alone, if they are not larger than this."""
_LARGEST = 64_000_000
_DATABASE = b"SQLite format 3\0"


def fault_of(artifacts: ArtifactIndex, one: ServedArtifact) -> str:
    """Why it cannot be shown, in words; empty if nothing is known against it."""
    try:
        if one.kind == DAMAGED:
            if (one.path / MANIFEST).stat().st_size > LARGEST_MANIFEST:
                return f"{MANIFEST} is larger than any that a command writes."
            read_manifest(one.path)
        elif one.kind == BATCH:
            return _fault_of_batch(artifacts, one)
        elif one.kind == PROPOSALS:
            return _fault_of_proposals(artifacts, one)
        elif one.kind in _WHOLE:
            return next(_faults(artifacts, one), "")
    except UserError as error:
        return artifacts.told(error)
    except OSError as error:
        return f"{error.strerror}."
    return ""


def _fault_of_batch(artifacts: ArtifactIndex, one: ServedArtifact) -> str:
    """Its items are those that were written, and there is a database."""
    head, items, events = artifacts.load(one, read_head, small=True), one.path / ITEMS, one.path / EVENTS
    gone = next((file.name for file in (items, events) if not file.is_file()), "")
    if gone:
        return f"{gone} was taken away."
    with events.open("rb") as stream:
        if stream.read(len(_DATABASE)) != _DATABASE:
            return f"{EVENTS} is no database any more. Bring back a copy of it."
    return "" if _has_content(artifacts, items, head.items_sha256) else f"{ITEMS} was changed since the batch was made."


def _fault_of_proposals(artifacts: ArtifactIndex, one: ServedArtifact) -> str:
    """Whether a file that is not too large to be read at once can be; looked at once a change."""
    known = one.path.stat()

    def read() -> str:
        try:
            read_all(one.path)
        except UserError as error:
            return artifacts.told(error)
        return ""

    if known.st_size > _LARGEST:
        return ""
    return artifacts.keep(("fault", one.path, known.st_mtime_ns, known.st_size), (), read, small=True)


def _faults(artifacts: ArtifactIndex, one: ServedArtifact) -> Iterator[str]:
    manifest = read_manifest(one.path)
    for name, entry in manifest.files.items() if manifest is not None else ():
        file = one.path / name
        if not file.is_file():
            yield f"{name} was taken away since it was made."
        elif file.stat().st_size != entry.bytes or not _is_written(artifacts, one, file, entry):
            yield f"{name} was changed since it was made."


def _is_written(artifacts: ArtifactIndex, one: ServedArtifact, file: Path, entry: FileEntry) -> bool:
    """Whether a file of the right size has the right content, as far as that is quickly known; looked at once a change."""
    if one.kind != "suite" or file.name not in _READ:
        return True
    return _has_content(artifacts, file, entry.sha256)


def _has_content(artifacts: ArtifactIndex, file: Path, sha256: str) -> bool:
    known = file.stat()
    key = (file, known.st_mtime_ns, known.st_size, sha256)
    return known.st_size > _LARGEST or artifacts.keep(key, (), lambda: sha256_of(file) == sha256, small=True)
