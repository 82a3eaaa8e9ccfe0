"""The documents of a memory on disk: logs of lines, each file written once; of the lines of a document the newest holds."""

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
"""What reading each of them gave, from which all documents are linked anew when one comes or goes."""
LOGS = (SEGMENTS, READINGS)
_NAME = re.compile(rf"({'|'.join(LOGS)})/([0-9]{{5,}})\.jsonl")
_DOCUMENT = re.compile(rb'\{"document":("(?:[^"\\]|\\.)*")')


class LogLine(Protocol):
    """A record of which `document` is the first field, so that lines can be told apart before they are read."""

    @property
    def document(self) -> str:
        """The id of the document whose line it is."""


@dataclass(frozen=True, slots=True)
class NothingKept:
    """A line of the readings: nothing that was read in a document holds any more, whatever the lines before it say."""

    document: str
    origin: tuple[str, bool] = ("", False)
    content: None = None


L = TypeVar("L")


def file_names(manifest: Manifest, log: str) -> list[str]:
    """The files of a log in the order in which they were written."""
    strange = [name for name in manifest.files if _NAME.fullmatch(name) is None]
    if strange:
        raise UserError(f"{MANIFEST}: it names {strange[0]!r}, which is no file of a memory. Was it edited?")
    own = (name for name in manifest.files if name.startswith(f"{log}/"))
    return sorted(own, key=lambda name: int(Path(name).stem))


def next_file(manifest: Manifest | None, log: str) -> str:
    """The name of the file to write."""
    names = file_names(manifest, log) if manifest is not None else []
    last = int(Path(names[-1]).stem) if names else 0
    return f"{log}/{last + 1:05}.jsonl"


def write_file(path: Path, name: str, lines: Iterable[bytes]) -> FileEntry:
    """Write a file whole; it counts once the manifest names it."""
    file = path / name
    with atomic_writer(file) as writer:
        writer.writelines(line + b"\n" for line in lines)
    return FileEntry(sha256=sha256_of(file), bytes=file.stat().st_size)


class Raw(NamedTuple):
    """A line that has not been read."""

    document: str
    line: bytes
    place: str
    """File and line number."""

    def read(self, kind: type[L]) -> L:
        """Its record; one that does not fit is a UserError that names it."""
        try:
            return adapter(kind).validate_json(self.line)
        except ValidationError as error:
            raise UserError(f"{self.place}: {describe(error)}") from None


def newest_lines(artifact: Artifact, log: str) -> Iterator[Raw]:
    """The newest line of each document: from the last file backwards, the first that is met."""
    seen: set[str] = set()
    for name in reversed(file_names(artifact.manifest, log)):
        with (artifact.path / name).open("rb") as file:
            for number, line in enumerate(file, 1):
                place = f"{artifact.path / name}:{number}"
                head = _DOCUMENT.match(line)
                if head is None:
                    raise UserError(f"{place}: this is no line of a memory.")
                document = json.loads(head[1])
                if document not in seen:
                    seen.add(document)
                    yield Raw(document, line.rstrip(b"\n"), place)


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A line of a segment: a document as it is from now on, or that it is gone."""

    document: str
    digest: str
    """Of the part; empty where there is none."""
    part: MemoryDocument | None

    @classmethod
    def to(cls, part: MemoryDocument) -> DocumentChange:
        """The line that adds a part, or puts it in the place of the one of its id."""
        return cls(part.id, hashlib.sha256(encode(part)).hexdigest(), part)


@dataclass(frozen=True, slots=True)
class _Anything:
    """A record that is counted and not read."""


@dataclass(frozen=True, slots=True)
class _Sizes:
    sha256: str
    units: list[_Anything]
    edges: list[_Anything]
    mentions: list[_Anything]


@dataclass(frozen=True, slots=True)
class _Head:
    """A change, less what is costly to read."""

    document: str
    digest: str
    part: _Sizes | None


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A document that a memory holds."""

    digest: str
    sha256: str
    units: int
    edges: int
    mentions: int


def living_parts(artifact: Artifact, only: Collection[str] | None = None) -> Iterator[MemoryDocument]:
    """The documents as they are now, or some of them, in no particular order, one in memory at a time."""
    wanted = (raw for raw in newest_lines(artifact, SEGMENTS) if only is None or raw.document in only)
    return (change.part for change in (raw.read(DocumentChange) for raw in wanted) if change.part is not None)


def entries(artifact: Artifact) -> dict[str, SegmentEntry]:
    """What the memory holds, by document."""
    return applied({}, (raw.read(_Head) for raw in newest_lines(artifact, SEGMENTS)))


def applied(held: Mapping[str, SegmentEntry], changes: Iterable[DocumentChange | _Head]) -> dict[str, SegmentEntry]:
    """What is held after some changes."""
    after = dict(held)
    for change in changes:
        if change.part is None:
            after.pop(change.document, None)
        else:
            sizes = (len(change.part.units), len(change.part.edges), len(change.part.mentions))
            after[change.document] = SegmentEntry(change.digest, change.part.sha256, *sizes)
    return after
