"""The terms of all units of a memory, counted and kept in its folder, so that opening it need not read every text again.

    .terms.index          two lines of JSON, then arrays

It holds nothing that the documents do not say, and is no part of the artifact: it is written once the manifest counts, and
it names the state of the folder that it is of. A folder without it, or with one of another state, of other rules for terms,
or damaged, is opened by counting anew; the next update of the folder writes it.
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
    """What an index is of."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    content: str
    """Of the manifest of the folder."""
    rules: str
    sha256: str
    """Of all that comes behind."""


def kept_terms(artifact: Artifact, indexing: Indexing) -> Postings | None:
    """The terms of the units of a memory in their order; None where they have to be counted."""
    return _read(artifact, indexing)[1]


def keep_terms(before: Artifact | None, changes: Sequence[DocumentChange], now: Artifact) -> None:
    """Keep the terms of a memory as it is now: those of documents that did not change are taken from what was kept."""
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
    """The slots of each document, which stand one behind the other."""
    ends = np.cumsum([0, *sizes.values()])
    return {document: slots[ends[number] : ends[number + 1]] for number, document in enumerate(sizes)}


def _rules(indexing: Indexing) -> str:
    """What decides which terms a unit has, and how they are kept."""
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
    """How many units each document has, in the order of their ids, and the terms of all; none where they must be counted."""
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
