"""Edges between units, each with the rule it rests on and how sure that rule is."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.execution.engine import LocalEngine
from constraintsuite.execution.progress import Reporter
from constraintsuite.memory.entities import normalise_entity
from constraintsuite.memory.ingest.citation_edges import Citer
from constraintsuite.memory.ingest.citations import TermFinder
from constraintsuite.memory.ingest.conflicts import contradictions_between
from constraintsuite.memory.ingest.content_edges import content_edges
from constraintsuite.memory.ingest.document import ParsedDocument
from constraintsuite.memory.ingest.files import document_files, read_files
from constraintsuite.memory.ingest.naming import Named, bare_title
from constraintsuite.memory.ingest.unit_reading import ReadDocument
from constraintsuite.memory.records import Edge, EdgeKind, EntityMention, MemoryDocument, weighted_edge
from constraintsuite.store.files import sha256_text
from constraintsuite.store.jsonl import encode

MOST_LEAVING = 6
MOST_ARRIVING = 64
"""Edges of one kind at a unit, whichever documents they come from; the surest are kept. Structure (next, part_of) has as
many as the document has."""
_MOST_USES = 64
_COMMON_SHARE = 0.2
_SMALL_DOCUMENT = 10


MOST_MENTIONED = 200
"""Units that may name an entity; one that more units name joins everything with everything and is left out."""


def document_edges(document: ReadDocument, cited: Iterable[Edge]) -> tuple[Edge, ...]:
    """All edges from the units of a document, each once; `cited` are those that rest on citations."""
    explicit = list(cited)
    edges = [
        *_next_edges(document.parsed),
        *_part_edges(document.parsed),
        *explicit,
        *_definition_edges(document),
        *content_edges(document.parsed, document.readings, explicit),
    ]
    best: dict[tuple[str, str, EdgeKind], Edge] = {}
    for edge in edges:
        key = _key(edge)
        if edge.source != edge.target and (key not in best or edge.confidence > best[key].confidence):
            best[key] = edge
    return tuple(best.values())


def bounded(drawn: Sequence[Sequence[Edge]]) -> list[tuple[Edge, ...]]:
    """The edges of each document of a collection, less those of a kind of which a unit has too many."""
    leaving: Counter[tuple[str, EdgeKind]] = Counter()
    arriving: Counter[tuple[str, EdgeKind]] = Counter()
    dropped: set[tuple[str, str, EdgeKind]] = set()
    linking = (edge for edges in drawn for edge in edges if edge.kind not in ("next", "part_of"))
    for edge in sorted(linking, key=lambda edge: -edge.confidence):  # of equals the first in the collection
        out, into = (edge.source, edge.kind), (edge.target, edge.kind)
        if leaving[out] == MOST_LEAVING or arriving[into] == MOST_ARRIVING:
            dropped.add(_key(edge))
            continue
        leaving[out] += 1
        arriving[into] += 1
    return [tuple(edge for edge in edges if _key(edge) not in dropped) for edges in drawn]


def _key(edge: Edge) -> tuple[str, str, EdgeKind]:
    return (edge.source, edge.target, edge.kind)


def _next_edges(document: ParsedDocument) -> Iterator[Edge]:
    places = document.places
    for before in range(len(places) - 1):
        if places[before].section == places[before + 1].section:
            source, target = document.units[before].id, document.units[before + 1].id
            yield weighted_edge(source, target, "next", because="stands next in the section")


def _part_edges(document: ParsedDocument) -> Iterator[Edge]:
    for unit, place in enumerate(document.places):
        if place.parent is not None:
            source, target = document.units[unit].id, document.units[place.parent].id
            yield weighted_edge(source, target, "part_of", because="lies in this item")


def _definition_edges(document: ReadDocument) -> Iterator[Edge]:
    """From each unit that uses a defined term to the unit that defines it; terms used everywhere tell nothing."""
    parsed = document.parsed
    definers: dict[str, list[int]] = defaultdict(list)
    for unit, reading in enumerate(document.readings):
        for term in reading.definitions:
            definers[term].append(unit)
    finder = TermFinder(sorted(definers))
    used = [finder.find(unit.text) for unit in parsed.units]
    counts = Counter(term for terms in used for term in terms)
    small = len(parsed.units) <= _SMALL_DOCUMENT
    for unit, terms in enumerate(used):
        for term in terms:
            common = counts[term] > _MOST_USES or counts[term] > _COMMON_SHARE * len(parsed.units)
            if unit in definers[term] or (common and not small):
                continue
            before = [definer for definer in definers[term] if definer < unit]
            definer = before[-1] if before else definers[term][0]
            source, target = parsed.units[unit].id, parsed.units[definer].id
            yield weighted_edge(source, target, "depends_on", 0.9, f"uses the term {term!r}")


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
