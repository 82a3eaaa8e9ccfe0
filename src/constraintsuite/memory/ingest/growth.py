"""Documents added to and removed from a memory on disk, with the same result as ingesting all of them at once.

The result of reading each document is stored, so that only changed files are read. All documents are then linked again,
which is the cheap part, and only parts that changed are written.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.memory.folder import MemoryChangePlan, change_memory, read_memory, refuse_unknown, write_memory
from constraintsuite.memory.ingest.collection import DocumentFile, document_files, link, read_files
from constraintsuite.memory.ingest.document import is_markdown
from constraintsuite.memory.ingest.source import source_hash
from constraintsuite.memory.ingest.unit_reader import KeptReading, ReadDocument, ReadingHeader, ReadingOrigin
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.memory.segments import (
    READINGS,
    SEGMENTS,
    DocumentChange,
    LogLine,
    SegmentEntry,
    current_documents,
    entries,
    file_names,
    newest_lines,
)

RULES = REVISIONS["memory readings"].number
"""Documents that were read by different rules cannot be in one memory."""


@dataclass(frozen=True)
class MemoryUpdate:
    """The result of adding and removing documents."""

    artifact: Artifact
    new: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    """Of the given documents, those whose files did not change."""
    removed: tuple[str, ...] = ()
    relinked: tuple[str, ...] = ()
    """Other documents whose links changed."""
    gained: int = 0
    """Edges and mentions that the relinked documents gained."""
    lost: int = 0
    notes: tuple[str, ...] = ()
    """Warnings, one sentence each."""


def ingest_memory(
    path: Path,
    paths: Iterable[Path],
    *,
    name: str,
    by_path: bool = False,
    engine: LocalEngine | None = None,
    reporter: Reporter | None = None,
    dry_run: bool = False,
) -> list[MemoryDocument]:
    """Write a memory of all documents among `paths`, and return its parts, which are the same as from `ingest`."""
    documents = read_files(document_files(paths, by_path=by_path), engine, reporter)
    parts = list(link(documents))
    if not dry_run:
        settings = {"by_path": by_path, "rules": RULES}
        write_memory(path, parts, name=name, settings=settings, readings=[KeptReading.of(one) for one in documents])
    return parts


def add_documents(
    path: Path,
    paths: Iterable[Path],
    *,
    engine: LocalEngine | None = None,
    reporter: Reporter | None = None,
    dry_run: bool = False,
) -> MemoryUpdate:
    """Add the documents of `paths` to a memory, or replace those with the same id.

    Afterwards the memory is what ingesting all its documents at once would give.
    """
    by_path = read_memory(path, _named_by_path)
    sources = _Sources(document_files(paths, by_path=by_path), engine, reporter)
    # Reading takes long, so it is done before the folder is locked.
    read_memory(path, lambda artifact: sources.read(_held(artifact).origins))
    return _grow(path, sources, dry_run=dry_run)


def empty_documents(parts: Iterable[MemoryDocument]) -> tuple[str, ...]:
    """Return a warning for each document without units."""
    return tuple(
        f"the document {part.id!r} holds no unit: nothing in it can be found" for part in parts if not part.units
    )


def remove_documents(path: Path, documents: Iterable[str], *, dry_run: bool = False) -> MemoryUpdate:
    """Remove documents from a memory, as if they had never been in it."""
    return _grow(path, _Sources(()), tuple(dict.fromkeys(documents)), dry_run=dry_run)


class _Held(NamedTuple):
    """The documents of a memory before the change."""

    entries: Mapping[str, SegmentEntry]
    origins: Mapping[str, ReadingOrigin]
    """Only of documents whose reading is stored."""


def _named_by_path(artifact: Artifact) -> bool:
    """Whether the documents of a memory are named by their paths; a memory that was read by other rules is refused."""
    settings = artifact.manifest.settings
    if settings.get("rules") != RULES:
        why = "by the rules of another version" if "rules" in settings else "by an earlier version, or not from files"
        raise UserError(
            f"{artifact.path}: its documents were read {why}, so new ones cannot be linked with them. It can be searched; to "
            "change it, ingest all its documents again into a new folder."
        )
    return bool(settings.get("by_path"))


def _held(artifact: Artifact) -> _Held:
    _named_by_path(artifact)
    artifact.refuse_changed(name for log in (SEGMENTS, READINGS) for name in file_names(artifact.manifest, log))
    found = entries(artifact)
    heads = (raw.read(ReadingHeader) for raw in newest_lines(artifact, READINGS) if raw.document in found)
    origins = {head.document: head.origin for head in heads if head.origin.sha256 == found[head.document].sha256}
    return _Held(found, {document: origin for document, origin in origins.items() if origin.sha256})


@dataclass
class _Sources:
    """The given files; each is read at most once, and only if it changed."""

    files: Sequence[DocumentFile]
    engine: LocalEngine | None = None
    reporter: Reporter | None = None
    _read: dict[str, ReadDocument] = field(default_factory=dict)

    @cached_property
    def origins(self) -> dict[str, ReadingOrigin]:
        """The hash and the kind of each file, by document."""
        return {one.document: ReadingOrigin(source_hash(one.path), is_markdown(one.path)) for one in self.files}

    def read(self, held: Mapping[str, ReadingOrigin]) -> dict[str, ReadDocument]:
        """Return the documents whose files differ from those that a memory was made from."""
        changed = [one for one in self.files if held.get(one.document) != self.origins[one.document]]
        unread = [one for one in changed if one.document not in self._read]
        if unread:
            self._read |= {one.id: one for one in read_files(unread, self.engine, self.reporter)}
        return {one.document: self._read[one.document] for one in changed}


def _grow(path: Path, sources: _Sources, removed: tuple[str, ...] = (), *, dry_run: bool) -> MemoryUpdate:
    """Plan the change of a memory and carry it out; in a dry run, plan only."""
    update: MemoryUpdate | None = None

    def plan(artifact: Artifact) -> MemoryChangePlan:
        nonlocal update
        held = _held(artifact)
        refuse_unknown(artifact.path, held.entries, removed)
        fresh = sources.read(held.origins)
        unchanged = tuple(one.document for one in sources.files if one.document not in fresh)
        namesakes = _namesakes(artifact, held, sources) if _named_by_path(artifact) else ()
        if not fresh and not removed:
            update = MemoryUpdate(artifact, unchanged=unchanged)
            return MemoryChangePlan()
        others = held.entries.keys() - fresh.keys() - set(removed)
        with _no_collecting():
            parts = list(link([*_kept(artifact, held, others), *fresh.values()]))
        relinked = {
            part.id: part
            for part in parts
            if part.id in others and DocumentChange.to(part).digest != held.entries[part.id].digest
        }
        gained, lost = _links_changed(current_documents(artifact, relinked), relinked)
        replaced = tuple(document for document in fresh if document in held.entries)
        new = tuple(document for document in fresh if document not in held.entries)
        notes = (*namesakes, *empty_documents(part for part in parts if part.id in fresh))
        update = MemoryUpdate(artifact, new, replaced, unchanged, removed, tuple(relinked), gained, lost, notes)
        written = [part for part in parts if part.id in fresh or part.id in relinked]
        lines: list[LogLine] = [*map(KeptReading.of, fresh.values()), *map(KeptReading.removed, removed)]
        return MemoryChangePlan(written, removed, lines)

    artifact = None
    if dry_run:
        read_memory(path, plan)
    else:
        artifact = change_memory(path, plan)
    assert update is not None  # both have asked for the plan
    return replace(update, artifact=artifact or update.artifact)


def _namesakes(artifact: Artifact, held: _Held, sources: _Sources) -> tuple[str, ...]:
    """Warn about new documents with the file name of an old one that was not given.

    Paths begin at the given folder, so the two may be one document, seen from another folder. Raises UserError if
    the bytes are the same too.
    """
    absent: dict[str, list[str]] = {}
    for document in sorted(held.entries.keys() - sources.origins.keys()):
        absent.setdefault(document.rpartition("/")[2], []).append(document)
    notes = []
    for document in sorted(sources.origins.keys() - held.entries.keys()):
        for other in absent.get(document.rpartition("/")[2], ()):
            if held.entries[other].sha256 == sources.origins[document].sha256:
                raise UserError(
                    f"{artifact.path}: the file of {document!r} is there already, as {other!r}. Documents of this memory are "
                    "named by their paths: give the folder it was made of, not one inside or above it."
                )
            if f"/{document}".endswith(f"/{other}") or f"/{other}".endswith(f"/{document}"):
                notes.append(
                    f"the document {document!r} is new, and {other!r} stays: names begin at the folder that is given"
                )
    return tuple(notes)


def _kept(artifact: Artifact, held: _Held, documents: Collection[str]) -> Iterator[ReadDocument]:
    """Yield the stored readings of some documents of a memory."""
    unread = sorted(set(documents) - held.origins.keys())
    if unread:
        raise UserError(
            f"{artifact.path}: the document {unread[0]!r} was put there as it is, and not read from a file. Add its file, or "
            "remove it; else it cannot be linked with others."
        )
    for raw in newest_lines(artifact, READINGS):
        read = raw.read(KeptReading).read() if raw.document in documents else None
        if read is not None:
            yield read


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Switch garbage collection off: there are no cycles among the many small records, and it took half of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _links_changed(before: Iterable[MemoryDocument], after: Mapping[str, MemoryDocument]) -> tuple[int, int]:
    """Count the edges and mentions that some documents gained, and those that they lost."""
    gained = lost = 0
    for part in before:
        now = after[part.id]
        old, new = {*part.edges, *part.mentions}, {*now.edges, *now.mentions}
        gained, lost = gained + len(new - old), lost + len(old - new)
    return gained, lost
