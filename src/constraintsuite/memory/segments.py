"""The logs of a memory on disk: files of JSON lines, each written once; the newest line of a document counts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, Artifact, FileEntry, Manifest
from constraintsuite.core.store.files import atomic_writer, sha256_of
from constraintsuite.core.store.jsonl import adapter, describe, encode
from constraintsuite.memory.records import MemoryDocument

SEGMENTS = "segments"
"""The documents of a memory."""
READINGS = "readings"
"""The result of reading each document, from which all are linked again when one is added or removed."""
LOGS = (SEGMENTS, READINGS)
_NAME = re.compile(rf"({'|'.join(LOGS)})/([0-9]{{5,}})\.jsonl")
_DOCUMENT = re.compile(rb'\{"document":("(?:[^"\\]|\\.)*")')


class LogLine(Protocol):
    """A record whose first field is `document`, so that the document of a line is known before the line is parsed."""

    @property
    def document(self) -> str:
        """The id of the document."""


L = TypeVar("L")


def file_names(manifest: Manifest, log: str) -> list[str]:
    """Return the files of a log in the order in which they were written."""
    strange = [name for name in manifest.files if _NAME.fullmatch(name) is None]
    if strange:
        raise UserError(f"{MANIFEST}: it names {strange[0]!r}, which is not a file of a memory. Was it edited?")
    own = (name for name in manifest.files if name.startswith(f"{log}/"))
    return sorted(own, key=lambda name: int(Path(name).stem))


def write_file(path: Path, name: str, lines: Iterable[bytes]) -> FileEntry:
    """Write a file; it counts once the manifest names it."""
    file = path / name
    with atomic_writer(file) as writer:
        writer.writelines(line + b"\n" for line in lines)
    return FileEntry(sha256=sha256_of(file), bytes=file.stat().st_size)


class RawLine(NamedTuple):
    """A line that has not been parsed."""

    document: str
    line: bytes
    place: str
    """File and line number."""

    def read(self, kind: type[L]) -> L:
        """Parse the record of the line. Raises UserError that names the line if it does not fit."""
        try:
            return adapter(kind).validate_json(self.line)
        except ValidationError as error:
            raise UserError(f"{self.place}: {describe(error)}") from None


def newest_lines(artifact: Artifact, log: str) -> Iterator[RawLine]:
    """Yield the newest line of each document: the first one, from the last file backwards."""
    seen: set[str] = set()
    for name in reversed(file_names(artifact.manifest, log)):
        with (artifact.path / name).open("rb") as file:
            for number, line in enumerate(file, 1):
                place = f"{artifact.path / name}:{number}"
                head = _DOCUMENT.match(line)
                if head is None:
                    raise UserError(f"{place}: this is not a line of a memory.")
                document = json.loads(head[1])
                if document not in seen:
                    seen.add(document)
                    yield RawLine(document, line.rstrip(b"\n"), place)


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A line of a segment: a document in its new version, or that it was removed."""

    document: str
    digest: str
    """The hash of the part; empty for a document that was removed."""
    part: MemoryDocument | None

    @classmethod
    def to(cls, part: MemoryDocument) -> DocumentChange:
        """Make the line that adds a part, or replaces the one with the same id."""
        return cls(part.id, hashlib.sha256(encode(part)).hexdigest(), part)


@dataclass(frozen=True, slots=True)
class _Counted:
    """A record that is counted and not parsed."""


@dataclass(frozen=True, slots=True)
class _Sizes:
    sha256: str
    units: list[_Counted]
    edges: list[_Counted]
    mentions: list[_Counted]


@dataclass(frozen=True, slots=True)
class _Head:
    """A change without the parts that are slow to parse."""

    document: str
    digest: str
    part: _Sizes | None


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """The hashes and sizes of a document in a memory."""

    digest: str
    sha256: str
    units: int
    edges: int
    mentions: int


def current_documents(artifact: Artifact, only: Collection[str] | None = None) -> Iterator[MemoryDocument]:
    """Yield the current documents, or some of them, in no particular order and one at a time."""
    wanted = (raw for raw in newest_lines(artifact, SEGMENTS) if only is None or raw.document in only)
    return (change.part for change in (raw.read(DocumentChange) for raw in wanted) if change.part is not None)


def entries(artifact: Artifact) -> dict[str, SegmentEntry]:
    """Return the current documents of a memory, by id."""
    return apply_changes({}, (raw.read(_Head) for raw in newest_lines(artifact, SEGMENTS)))


def apply_changes(
    documents: Mapping[str, SegmentEntry], changes: Iterable[DocumentChange | _Head]
) -> dict[str, SegmentEntry]:
    """Return the documents of a memory after some changes."""
    after = dict(documents)
    for change in changes:
        if change.part is None:
            after.pop(change.document, None)
        else:
            sizes = (len(change.part.units), len(change.part.edges), len(change.part.mentions))
            after[change.document] = SegmentEntry(change.digest, change.part.sha256, *sizes)
    return after
