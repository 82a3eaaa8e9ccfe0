"""The documents of a memory on disk: what a line says, and which lines still count."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from constraintsuite.memory.logs import SEGMENTS, newest_lines
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.jsonl import encode


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
