"""Whole collections: files to parts, in the order of their ids, the same on any number of workers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from constraintsuite.execution.engine import LocalEngine
from constraintsuite.execution.progress import Reporter
from constraintsuite.memory.entities import normalise_entity
from constraintsuite.memory.ingest.citing import Citer
from constraintsuite.memory.ingest.contradicting import contradictions_between
from constraintsuite.memory.ingest.files import document_files, read_files
from constraintsuite.memory.ingest.linking import ReadDocument, bounded, document_edges
from constraintsuite.memory.ingest.naming import Named, bare_title
from constraintsuite.memory.records import EntityMention, MemoryDocument
from constraintsuite.store.files import sha256_text
from constraintsuite.store.jsonl import encode

MOST_MENTIONED = 200
"""Units that may name an entity; one that more units name joins everything with everything and is left out."""


def ingest(
    paths: Iterable[Path],
    *,
    by_path: bool = False,
    engine: LocalEngine | None = None,
    reporter: Reporter | None = None,
) -> Iterator[MemoryDocument]:
    """The parts of all Markdown and text files among `paths` and below the folders among them.

    Documents are named by the stem of their file, with `by_path` by their path inside the given folder. All files are
    read before the first part is given, since they may cite one another; any that cannot be read is a UserError.
    """
    yield from link(read_files(document_files(paths, by_path=by_path), engine, reporter))


def link(documents: Iterable[ReadDocument]) -> Iterator[MemoryDocument]:
    """The parts of documents that have been read, by id: citations resolved, edges drawn, degrees bounded.

    They depend on which documents there are, and not on their order or on when they came.
    """
    given = sorted(documents, key=lambda one: one.parsed.id)
    citer = Citer([one.parsed for one in given])
    between = contradictions_between(given)
    drawn = [(*document_edges(one, citer.edges(one)), *between.get(one.parsed.id, ())) for one in given]
    mentions = [tuple(_mentions(one, citer)) for one in given]
    counts = Counter(mention.entity for each in mentions for mention in each)
    for one, edges, mentioned in zip(given, bounded(drawn), mentions, strict=True):
        parsed = one.parsed
        units = tuple(
            replace(unit, roles=reading.roles) for unit, reading in zip(parsed.units, one.readings, strict=True)
        )
        kept = tuple(mention for mention in mentioned if counts[mention.entity] <= MOST_MENTIONED)
        yield MemoryDocument(parsed.id, parsed.title, parsed.sha256, units, edges, kept)


def collection_version(parts: Iterable[MemoryDocument]) -> str:
    """The version of a collection: a hash over the units of its documents, as a memory holds them, in any order."""
    return sha256_text(
        *(text for part in sorted(parts, key=lambda one: one.id) for text in (part.id, _hash_of_units(part)))
    )


def _hash_of_units(part: MemoryDocument) -> str:
    digest = hashlib.sha256()
    for unit in part.units:
        digest.update(encode(unit) + b"\n")
    return digest.hexdigest()


def _mentions(document: ReadDocument, citer: Citer) -> Iterator[EntityMention]:
    """The entities each unit names; the first unit of a document also stands for its title."""
    parsed = document.parsed
    for number, (unit, named) in enumerate(zip(parsed.units, document.names, strict=True)):
        found = {one.entity: one for one in named}
        titles = [span.of(unit.text) for _, span in citer.titles_in(unit.id)]
        for surface in [*([bare_title(parsed.title)] if number == 0 else []), *titles]:
            entity = normalise_entity(surface)
            if entity and entity not in found:
                found[entity] = Named(entity, surface, 1)
        yield from (EntityMention(unit.id, one.entity, one.surface, one.count) for one in found.values())
