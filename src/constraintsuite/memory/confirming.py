"""How a change of a memory comes to count: its files are on disk for good, then the manifest that names them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from constraintsuite.memory.logs import (
    LOGS,
    READINGS,
    SEGMENTS,
    LogLine,
    file_names,
    newest_lines,
    next_file,
    write_file,
)
from constraintsuite.memory.segments import SegmentEntry
from constraintsuite.store.artifact import (
    FORMAT,
    Artifact,
    ArtifactOrigin,
    FileEntry,
    Manifest,
    content_of,
    seal,
)
from constraintsuite.store.environment import environment
from constraintsuite.store.jsonl import encode

_MOST_FILES = 256
_FEW = 50  # documents: the log of a memory as small as this is not written anew because half its lines are out of date
_LINES = {SEGMENTS: "lines", READINGS: "reading_lines"}
"""Under which name the manifest counts the lines of a log, those that are out of date too."""


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
