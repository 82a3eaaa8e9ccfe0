"""Collections of documents: each file is read on its own, then all are linked; the result is the same with any number of workers."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.core.errors import UserError, refuse_faults
from constraintsuite.core.execution.engine import LocalEngine, require_results
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import encode
from constraintsuite.corpora.files import base_name
from constraintsuite.corpora.folder import MARKDOWN, PLAIN, ProseFile, prose_files
from constraintsuite.memory.entities import normalise_entity
from constraintsuite.memory.ingest.citation_edges import Citer
from constraintsuite.memory.ingest.citations import TermFinder
from constraintsuite.memory.ingest.conflicts import contradictions_between
from constraintsuite.memory.ingest.content_edges import content_edges
from constraintsuite.memory.ingest.document import ParsedDocument, parse_document
from constraintsuite.memory.ingest.names import bare_title, mentions_of, unit_mentions, without_common
from constraintsuite.memory.ingest.unit_reader import ReadDocument, UnitReading, read_units
from constraintsuite.memory.records import Edge, EdgeKind, EntityMention, MemoryDocument, Unit, weighted_edge

_FEWEST_FOR_WORKERS = 4
"""With fewer documents, starting worker processes does not pay."""
_MOST_NAMED_FILES = 10
MOST_LEAVING = 6
MOST_ARRIVING = 64
"""The most edges of one kind at a unit, over all documents; the most confident are kept. `next` and `part_of` have no limit."""
_MOST_USES = 64
_COMMON_SHARE = 0.2
_SMALL_DOCUMENT = 10


@dataclass(frozen=True)
class DocumentFile:
    """A file, and the id of its document."""

    path: Path
    document: str


def document_files(paths: Iterable[Path], *, by_path: bool) -> list[DocumentFile]:
    """Return all Markdown and text files among `paths` and below the folders among them, sorted by document id.

    A document is named by the stem of its file, with `by_path` by its path inside the given folder.
    """
    files = {file.path.resolve(): file for path in paths for file in _files(path)}
    found: dict[str, DocumentFile] = {}
    for file in files.values():
        document = _without_ending(file.relative) if by_path else base_name(file.path)
        if document in found:
            hint = "" if by_path else ", or ingest with --by-path (by_path=True), which names documents by their path"
            raise UserError(
                f"{found[document].path} and {file.path} would both be the document {document!r}. Rename one{hint}."
            )
        found[document] = DocumentFile(file.path, document)
    return [found[document] for document in sorted(found)]


def read_files(
    files: Sequence[DocumentFile], engine: LocalEngine | None = None, reporter: Reporter | None = None
) -> list[ReadDocument]:
    """Read the documents of some files. Raises UserError that names all files that cannot be read."""
    spread = engine if engine is not None and len(files) >= _FEWEST_FOR_WORKERS else LocalEngine()
    with (reporter or Silent()).track("documents", len(files)) as advance:
        read: list[ReadDocument | str] = require_results(spread.map(_read_or_fault, files, lambda index: advance()))
    problems = [each for each in read if isinstance(each, str)]
    refuse_faults(problems, most=_MOST_NAMED_FILES)
    return [each for each in read if not isinstance(each, str)]


def read_document(file: DocumentFile) -> ReadDocument:
    """Parse a file, read its sentences, and find the names in them."""
    parsed = parse_document(file.path, file.document)
    names = (() if unit.attributes["kind"] == "code" else mentions_of(_with_cells_apart(unit)) for unit in parsed.units)
    return ReadDocument(**vars(parsed), readings=_readings(parsed), names=tuple(names))


def _read_or_fault(file: DocumentFile) -> ReadDocument | str:
    try:
        return read_document(file)
    except UserError as error:
        return str(error)


def _files(path: Path) -> list[ProseFile]:
    found = prose_files(path)
    if not found:
        raise UserError(f"{path}: no file in this folder ends in {', '.join(MARKDOWN + PLAIN)}.")
    return found


def _without_ending(relative: str) -> str:
    folder, slash, name = relative.rpartition("/")
    return f"{folder}{slash}{base_name(Path(name))}"


def _with_cells_apart(unit: Unit) -> str:
    """Return the text with the cells of a row as paragraphs: a capital at the start of a cell does not make a name."""
    return unit.text.replace(" | ", "\n\n") if unit.attributes["kind"] == "row" else unit.text


def _readings(parsed: ParsedDocument) -> tuple[UnitReading, ...]:
    leads: list[str] = []
    for place in parsed.places:
        above = parsed.units[place.parent].text if place.parent is not None else ""
        outer = leads[place.parent].rstrip(": ") if place.parent is not None else ""
        leads.append(f"{outer} {above}".strip() if above.endswith(":") else "")
    texts = (unit.text if unit.attributes["kind"] != "code" else "" for unit in parsed.units)
    return tuple(read_units(zip(leads, texts, strict=True)))


def _document_edges(document: ReadDocument, cited: Iterable[Edge]) -> tuple[Edge, ...]:
    """Return all edges from the units of a document, each once; `cited` are those from citations."""
    explicit = list(cited)
    implicit = (*_definition_edges(document), *content_edges(document, explicit))
    edges = (*_next_edges(document), *_part_edges(document), *explicit, *implicit)
    best: dict[tuple[str, str, EdgeKind], Edge] = {}
    for edge in edges:
        key = _key(edge)
        if edge.source != edge.target and (key not in best or edge.confidence > best[key].confidence):
            best[key] = edge
    return tuple(best.values())


def bounded(drawn: Sequence[Sequence[Edge]]) -> list[tuple[Edge, ...]]:
    """Return the edges of each document without those that exceed the limits of a unit."""
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
            yield weighted_edge(source, target, "next", because="next in the section")


def _part_edges(document: ParsedDocument) -> Iterator[Edge]:
    for unit, place in enumerate(document.places):
        if place.parent is not None:
            source, target = document.units[unit].id, document.units[place.parent].id
            yield weighted_edge(source, target, "part_of", because="part of this item")


def _definition_edges(document: ReadDocument) -> Iterator[Edge]:
    """Link each unit that uses a defined term to the unit that defines it; terms that are used everywhere are left out."""
    definers: dict[str, list[int]] = defaultdict(list)
    for unit, reading in enumerate(document.readings):
        for term in reading.definitions:
            definers[term].append(unit)
    finder = TermFinder(sorted(definers))
    used = [finder.find(unit.text) for unit in document.units]
    counts = Counter(term for terms in used for term in terms)
    small = len(document.units) <= _SMALL_DOCUMENT
    for unit, terms in enumerate(used):
        for term in terms:
            common = counts[term] > _MOST_USES or counts[term] > _COMMON_SHARE * len(document.units)
            if unit in definers[term] or (common and not small):
                continue
            before = [definer for definer in definers[term] if definer < unit]
            definer = before[-1] if before else definers[term][0]
            source, target = document.units[unit].id, document.units[definer].id
            yield weighted_edge(source, target, "depends_on", 0.9, f"uses the term {term!r}")


def ingest(
    paths: Iterable[Path], *, by_path: bool = False, engine: LocalEngine | None = None, reporter: Reporter | None = None
) -> Iterator[MemoryDocument]:
    """Yield the parts of all Markdown and text files among `paths` and below the folders among them.

    A document is named by the stem of its file, with `by_path` by its path inside the given folder. All files are read
    before the first part is yielded, since they may cite each other. Raises UserError if a file cannot be read.
    """
    yield from link(read_files(document_files(paths, by_path=by_path), engine, reporter))


def link(documents: Iterable[ReadDocument]) -> Iterator[MemoryDocument]:
    """Yield the parts of documents that were read, by id: with citations resolved, edges added and their number limited.

    The result depends only on which documents there are, not on their order.
    """
    given = sorted(documents, key=lambda one: one.id)
    citer = Citer(given)
    between = contradictions_between(given)
    drawn = [(*_document_edges(one, citer.edges(one)), *between.get(one.id, ())) for one in given]
    mentions = without_common(_mentions(one, citer) for one in given)
    for one, edges, mentioned in zip(given, bounded(drawn), mentions, strict=True):
        units = tuple(replace(unit, roles=reading.roles) for unit, reading in zip(one.units, one.readings, strict=True))
        yield MemoryDocument(one.id, one.title, one.sha256, units, edges, mentioned)


def collection_version(parts: Iterable[MemoryDocument]) -> str:
    """Return the version of a collection: a hash over the units of its documents, in whatever order these are given."""
    hashes = {
        part.id: hashlib.sha256(b"".join(encode(unit) + b"\n" for unit in part.units)).hexdigest() for part in parts
    }
    return sha256_text(*(text for document in sorted(hashes.items()) for text in document))


def _mentions(document: ReadDocument, citer: Citer) -> Iterator[EntityMention]:
    """Yield the entities that each unit names; the first unit of a document also mentions its title."""
    for number, (unit, named) in enumerate(zip(document.units, document.names, strict=True)):
        titles = [span.of(unit.text) for _, span in citer.titles_in(unit.id)]
        titles[:0] = [bare_title(document.title)] if number == 0 else []
        yield from unit_mentions(unit.id, named, ((normalise_entity(title), title) for title in titles))
