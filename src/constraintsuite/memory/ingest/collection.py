"""Whole collections: files to parts, in the order of their ids, the same on any number of workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.corpora.files import base_name
from constraintsuite.corpora.folder import MARKDOWN, PLAIN, ProseFile, prose_files
from constraintsuite.errors import UserError
from constraintsuite.execution.engine import LocalEngine
from constraintsuite.execution.progress import Reporter, Silent
from constraintsuite.memory.entities import normalise_entity
from constraintsuite.memory.ingest.citing import Citer
from constraintsuite.memory.ingest.contradicting import contradictions_between
from constraintsuite.memory.ingest.document import ParsedDocument, parse_document
from constraintsuite.memory.ingest.linking import ReadDocument, document_edges
from constraintsuite.memory.ingest.naming import Named, bare_title, mentions_of
from constraintsuite.memory.ingest.reading import Reading, read_units
from constraintsuite.memory.records import Edge, Mention, Part, Unit
from constraintsuite.store.files import sha256_text

MOST_MENTIONED = 200
"""Units that may name an entity; one that more units name joins everything with everything and is left out."""
_WORTH_A_WORKER = 4
"""Documents from which on starting further processes pays."""
_MOST_NAMED_FILES = 10


@dataclass(frozen=True)
class _Task:
    path: Path
    document: str


@dataclass(frozen=True)
class _Digest:
    """What a worker gives back for one file."""

    read: ReadDocument | None
    names: tuple[tuple[Named, ...], ...] = ()
    problem: str = ""


def ingest(
    paths: Iterable[Path],
    *,
    by_path: bool = False,
    engine: LocalEngine | None = None,
    reporter: Reporter | None = None,
) -> Iterator[Part]:
    """The parts of all Markdown and text files among `paths` and below the folders among them.

    Documents are named by the stem of their file, with `by_path` by their path inside the given folder. All files are
    read before the first part is given, since they may cite one another; any that cannot be read is a UserError.
    """
    tasks = _tasks(paths, by_path=by_path)
    digests = _read_all(tasks, engine or LocalEngine(), reporter or Silent())
    problems = [digest.problem for digest in digests if digest.problem]
    if problems:
        more = f"\n... and {len(problems) - _MOST_NAMED_FILES} more." if len(problems) > _MOST_NAMED_FILES else ""
        raise UserError("\n".join(problems[:_MOST_NAMED_FILES]) + more)
    yield from assemble([(digest.read, digest.names) for digest in digests if digest.read is not None])


def assemble(documents: Sequence[tuple[ReadDocument, Sequence[Sequence[Named]]]]) -> Iterator[Part]:
    """Parts of documents that have been read: their citations resolved, their edges drawn, their mentions bounded."""
    citer = Citer([read.parsed for read, _ in documents])
    between = contradictions_between([read for read, _ in documents])
    mentions = [tuple(_mentions(read.parsed, names, citer)) for read, names in documents]
    counts = Counter(mention.entity for each in mentions for mention in each)
    for (read, _), mentioned in zip(documents, mentions, strict=True):
        parsed = read.parsed
        units = tuple(
            replace(unit, roles=reading.roles) for unit, reading in zip(parsed.units, read.readings, strict=True)
        )
        edges: tuple[Edge, ...] = (*document_edges(read, citer.edges(read)), *between.get(parsed.id, ()))
        kept = tuple(mention for mention in mentioned if counts[mention.entity] <= MOST_MENTIONED)
        yield Part(parsed.id, parsed.title, parsed.sha256, units, edges, kept)


def collection_version(parts: Iterable[Part]) -> str:
    """The version of a collection: a hash over its documents, whatever their order."""
    return sha256_text(*(text for part in sorted(parts, key=lambda one: one.id) for text in (part.id, part.sha256)))


def read_document(path: Path, document: str) -> tuple[ReadDocument, tuple[tuple[Named, ...], ...]]:
    """Parse a file, read its sentences, and find the names in them."""
    parsed = parse_document(path, document)
    return ReadDocument(parsed, _readings(parsed)), tuple(
        () if unit.attributes["kind"] == "code" else mentions_of(_sentences(unit)) for unit in parsed.units
    )


def _sentences(unit: Unit) -> str:
    """The text, each cell of a row by itself: a capital at the head of a cell is no name."""
    return unit.text.replace(" | ", "\n\n") if unit.attributes["kind"] == "row" else unit.text


def _tasks(paths: Iterable[Path], *, by_path: bool) -> list[_Task]:
    files = {file.path.resolve(): file for path in paths for file in _files(path)}
    tasks: dict[str, _Task] = {}
    for file in files.values():
        document = _without_ending(file.relative) if by_path else base_name(file.path)
        if document in tasks:
            hint = "" if by_path else ", or name documents by their path (by_path)"
            raise UserError(
                f"{tasks[document].path} and {file.path} would both be the document {document!r}. Rename one{hint}."
            )
        tasks[document] = _Task(file.path, document)
    return [tasks[document] for document in sorted(tasks)]


def _files(path: Path) -> list[ProseFile]:
    found = prose_files(path)
    if not found:
        raise UserError(f"{path}: no file in this folder ends in {', '.join(MARKDOWN + PLAIN)}.")
    return found


def _without_ending(relative: str) -> str:
    folder, slash, name = relative.rpartition("/")
    return f"{folder}{slash}{base_name(Path(name))}"


def _read_all(tasks: Sequence[_Task], engine: LocalEngine, reporter: Reporter) -> list[_Digest]:
    spread = engine if len(tasks) >= _WORTH_A_WORKER else LocalEngine()
    with reporter.track("documents", len(tasks)) as advance:
        return spread.map(_digest, tasks, lambda index: advance())


def _digest(task: _Task) -> _Digest:
    try:
        return _Digest(*read_document(task.path, task.document))
    except UserError as error:
        return _Digest(None, problem=str(error))


def _readings(parsed: ParsedDocument) -> tuple[Reading, ...]:
    leads: list[str] = []
    for place in parsed.places:
        above = parsed.units[place.parent].text if place.parent is not None else ""
        outer = leads[place.parent].rstrip(": ") if place.parent is not None else ""
        leads.append(f"{outer} {above}".strip() if above.endswith(":") else "")
    texts = (unit.text if unit.attributes["kind"] != "code" else "" for unit in parsed.units)
    return tuple(read_units(zip(leads, texts, strict=True)))


def _mentions(parsed: ParsedDocument, names: Sequence[Sequence[Named]], citer: Citer) -> Iterator[Mention]:
    """The entities each unit names; the first unit of a document also stands for its title."""
    for number, (unit, named) in enumerate(zip(parsed.units, names, strict=True)):
        found = {one.entity: one for one in named}
        titles = [span.of(unit.text) for _, span in citer.titles_in(unit.id)]
        for surface in [*([bare_title(parsed.title)] if number == 0 else []), *titles]:
            entity = normalise_entity(surface)
            if entity and entity not in found:
                found[entity] = Named(entity, surface, 1)
        yield from (Mention(unit.id, one.entity, one.surface, one.count) for one in found.values())
