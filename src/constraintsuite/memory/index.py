"""A cache of the terms of all units in the folder of a memory, so that opening it does not split every text again.

    .terms.index          two lines of JSON, then arrays

The cache is not part of the artifact: it is written after the manifest, and names the content of the folder that it
belongs to. If it is missing, damaged, or belongs to other content or other rules for terms, the terms are counted
again, and the next update of the folder writes it.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import ValidationError

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import atomic_writer, sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.memory.graph import Int32Array
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.segments import DocumentChange, current_documents
from constraintsuite.models.bm25.index import Bm25Index
from constraintsuite.models.bm25.postings import Postings, read_postings, write_postings
from constraintsuite.models.retrieval.bm25 import Bm25Settings

INDEX = ".terms.index"


class _Head(StrictModel):
    """The content and rules that an index belongs to."""

    content: str
    """The content hash of the folder's manifest."""
    rules: str
    sha256: str
    """The hash of the rest of the file."""


def load_terms(artifact: Artifact) -> Postings | None:
    """Return the cached terms of the units of a memory, in their order; None if they must be counted."""
    return _read(artifact)[1]


def save_terms(before: Artifact | None, changes: Sequence[DocumentChange], now: Artifact) -> None:
    """Write the terms of a memory as it is now; terms of unchanged documents come from the cache of `before`."""
    index = Bm25Index(np.float64)
    places: dict[str, Int32Array] = {}
    new = [change.part for change in changes if change.part is not None]
    sizes, old = _read(before) if before is not None else ({}, None)
    if old is not None:
        places = _places(sizes, index.add_postings(old))
        for change in changes:
            places.pop(change.document, None)
    elif before is not None:
        new = list(current_documents(now))
    slots = index.add(Memory().terms(unit for part in new for unit in part.units))
    places |= _places({part.id: len(part.units) for part in new}, slots)
    ordered = {document: places[document] for document in sorted(places)}
    body = io.BytesIO()
    body.write(json.dumps({document: len(slots) for document, slots in ordered.items()}).encode() + b"\n")
    write_postings(body, index.postings(np.concatenate([*ordered.values(), np.empty(0, np.int32)])))
    sha256 = hashlib.sha256(body.getbuffer()).hexdigest()
    with atomic_writer(now.path / INDEX) as file:
        file.write(
            _Head(content=now.manifest.content, rules=_rules(), sha256=sha256).model_dump_json().encode() + b"\n"
        )
        file.write(body.getbuffer())


def _places(sizes: Mapping[str, int], slots: Int32Array) -> dict[str, Int32Array]:
    """Return the slots of each document, one after the other."""
    ends = np.cumsum([0, *sizes.values()])
    return {document: slots[ends[number] : ends[number + 1]] for number, document in enumerate(sizes)}


def _rules() -> str:
    """Return a hash of all that decides which terms a unit has, and how they are stored."""
    settings = Bm25Settings()
    return sha256_text(str(REVISIONS["memory terms"]), settings.stop_list, str(settings.stem), "True")  # with headings


def _read(artifact: Artifact) -> tuple[dict[str, int], Postings | None]:
    """Return the number of units per document, sorted by id, and the terms of all; ({}, None) if they must be counted."""
    try:
        with (artifact.path / INDEX).open("rb") as file:
            head, data = _Head.model_validate_json(file.readline()), file.read()
    except (OSError, ValidationError):
        return {}, None
    sha256 = hashlib.sha256(data).hexdigest()
    if head != _Head(content=artifact.manifest.content, rules=_rules(), sha256=sha256):
        return {}, None
    body = io.BytesIO(data)
    return json.loads(body.readline()), read_postings(body)
