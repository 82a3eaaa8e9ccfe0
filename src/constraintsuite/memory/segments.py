"""The files of a memory on disk: what a line says, and which lines still count."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from constraintsuite.errors import UserError
from constraintsuite.memory.records import Part
from constraintsuite.store.artifact import MANIFEST, Artifact, FileEntry, Manifest
from constraintsuite.store.files import sha256_of
from constraintsuite.store.jsonl import encode, read_jsonl, write_jsonl

SEGMENTS = "segments"
_NAME = re.compile(rf"{SEGMENTS}/([0-9]{{5,}})\.jsonl")


@dataclass(frozen=True, slots=True)
class Change:
    """A line of a segment: a document as it is from now on, or that it is gone."""

    document: str
    digest: str
    """Of the part; empty where there is none."""
    part: Part | None

    @classmethod
    def to(cls, part: Part) -> Change:
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
class Entry:
    """A document that a memory holds."""

    digest: str
    sha256: str
    units: int
    edges: int
    mentions: int


L = TypeVar("L", Change, _Head)


def segment_names(manifest: Manifest) -> list[str]:
    """The segments in the order in which they were written."""
    found = {name: _NAME.fullmatch(name) for name in manifest.files}
    strange = [name for name, match in found.items() if match is None]
    if strange:
        raise UserError(f"{MANIFEST}: it names {strange[0]!r}, which is no segment of a memory. Was it edited?")
    return sorted(found, key=lambda name: int(name.removeprefix(f"{SEGMENTS}/").removesuffix(".jsonl")))


def next_segment(manifest: Manifest | None) -> str:
    """The name of the segment to write."""
    names = segment_names(manifest) if manifest is not None else []
    last = int(Path(names[-1]).stem) if names else 0
    return f"{SEGMENTS}/{last + 1:05}.jsonl"


def write_segment(path: Path, name: str, changes: Iterable[Change]) -> FileEntry:
    """Write a segment whole; it counts once the manifest names it."""
    file = path / name
    write_jsonl(file, changes)
    return FileEntry(sha256=sha256_of(file), bytes=file.stat().st_size)


def faults(artifact: Artifact) -> list[str]:
    """What is wrong with the segments that the manifest names, one line a fault."""
    found = []
    for name in segment_names(artifact.manifest):
        file, entry = artifact.path / name, artifact.manifest.files[name]
        if not file.is_file():
            found.append(f"{name}: missing")
        elif file.stat().st_size < entry.bytes:
            found.append(f"{name}: cut short, {file.stat().st_size:,} of {entry.bytes:,} bytes are there")
        elif file.stat().st_size != entry.bytes or sha256_of(file) != entry.sha256:
            found.append(f"{name}: changed since it was written")
    return found


def living_parts(artifact: Artifact) -> Iterator[Part]:
    """The documents as they are now, in no particular order, one in memory at a time."""
    return (change.part for change in _last_words(artifact, Change) if change.part is not None)


def entries(artifact: Artifact) -> dict[str, Entry]:
    """What the memory holds, by document."""
    return applied({}, _last_words(artifact, _Head))


def applied(held: Mapping[str, Entry], changes: Iterable[Change | _Head]) -> dict[str, Entry]:
    """What is held after some changes."""
    after = dict(held)
    for change in changes:
        if change.part is None:
            after.pop(change.document, None)
        else:
            sizes = (len(change.part.units), len(change.part.edges), len(change.part.mentions))
            after[change.document] = Entry(change.digest, change.part.sha256, *sizes)
    return after


def _last_words(artifact: Artifact, kind: type[L]) -> Iterator[L]:
    """The newest line of each document: from the last segment backwards, the first that is met."""
    seen: set[str] = set()
    for name in reversed(segment_names(artifact.manifest)):
        for line in read_jsonl(artifact.path / name, kind):
            if line.document not in seen:
                seen.add(line.document)
                yield line


def refuse_faults(artifact: Artifact) -> None:
    """A UserError that names every segment that is not as it was written."""
    found = faults(artifact)
    if found:
        raise UserError(
            f"{artifact.path}: this memory is damaged. {'; '.join(found)}. Restore it from a copy, or ingest it again."
        )
