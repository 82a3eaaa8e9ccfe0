"""A cache of the terms of all units in the folder of a memory, so that opening it does not split every text again.

    .terms.index          two lines of JSON, then arrays

The cache is no part of the artifact: it is written after the manifest, and names the content of the folder that it belongs
to. If it is missing, damaged, or belongs to other content or other rules for terms, the terms are counted again, and the
next update of the folder writes it.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import atomic_writer, sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.memory.graph import Int32Array
from constraintsuite.memory.memory import Indexing, Memory
from constraintsuite.memory.records import MemoryDocument, Unit
from constraintsuite.memory.segments import DocumentChange, living_parts
from constraintsuite.models.bm25.index import Bm25Index
from constraintsuite.models.bm25.postings import Postings, read_postings, write_postings

INDEX = ".terms.index"


class _Head(BaseModel):
    """The content and rules that an index belongs to."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    content: str
    """The content hash of the folder's manifest."""
    rules: str
    sha256: str
    """The hash of the rest of the file."""


def kept_terms(artifact: Artifact, indexing: Indexing) -> Postings | None:
    """Return the cached terms of the units of a memory, in their order; None if they must be counted."""
    return _read(artifact, indexing)[1]


def keep_terms(before: Artifact | None, changes: Sequence[DocumentChange], now: Artifact) -> None:
    """Write the terms of a memory as it is now; those of unchanged documents come from the cache of `before`."""
    indexing = Indexing()
    index = Bm25Index(np.float64)
    places: dict[str, Int32Array] = {}
    parts: Iterable[MemoryDocument] = (change.part for change in changes if change.part is not None)
    sizes, old = _read(before, indexing) if before is not None else ({}, None)
    if old is not None:
        changed = {change.document for change in changes}
        there = _places(sizes, index.take(old))
        places = {document: slots for document, slots in there.items() if document not in changed}
    elif before is not None:
        parts = living_parts(now)
    places |= _add(index, indexing, parts)
    ordered = {document: places[document] for document in sorted(places)}
    counts = index.postings(np.concatenate([*ordered.values(), np.empty(0, np.int32)]))
    _write(now, indexing, {document: len(slots) for document, slots in ordered.items()}, counts)


def _add(index: Bm25Index[np.float64], indexing: Indexing, parts: Iterable[MemoryDocument]) -> dict[str, Int32Array]:
    memory = Memory(indexing=indexing)
    sizes: dict[str, int] = {}

    def units() -> Iterable[Unit]:
        for part in parts:
            sizes[part.id] = len(part.units)
            yield from part.units

    slots = index.add(memory.terms(units()))
    return _places(sizes, slots)


def _places(sizes: Mapping[str, int], slots: Int32Array) -> dict[str, Int32Array]:
    """Return the slots of each document; those of one document follow each other."""
    ends = np.cumsum([0, *sizes.values()])
    return {document: slots[ends[number] : ends[number + 1]] for number, document in enumerate(sizes)}


def _rules(indexing: Indexing) -> str:
    """Return a hash of all that decides which terms a unit has, and how they are stored."""
    return sha256_text(str(REVISIONS["memory terms"]), indexing.stop_list, str(indexing.stem), str(indexing.headings))


def _write(artifact: Artifact, indexing: Indexing, sizes: Mapping[str, int], counts: Postings) -> None:
    body = io.BytesIO()
    body.write(json.dumps(sizes).encode() + b"\n")
    write_postings(body, counts)
    sha256 = hashlib.sha256(body.getbuffer()).hexdigest()
    head = _Head(content=artifact.manifest.content, rules=_rules(indexing), sha256=sha256)
    with atomic_writer(artifact.path / INDEX) as file:
        file.write(head.model_dump_json().encode() + b"\n")
        file.write(body.getbuffer())


def _read(artifact: Artifact, indexing: Indexing) -> tuple[dict[str, int], Postings | None]:
    """Return the number of units per document, sorted by id, and the terms of all; ({}, None) if they must be counted."""
    try:
        with (artifact.path / INDEX).open("rb") as file:
            head = _Head.model_validate_json(file.readline())
            if (head.content, head.rules) != (artifact.manifest.content, _rules(indexing)):
                return {}, None
            data = file.read()
    except (OSError, ValidationError):
        return {}, None
    if hashlib.sha256(data).hexdigest() != head.sha256:
        return {}, None
    body = io.BytesIO(data)
    return json.loads(body.readline()), read_postings(body)
