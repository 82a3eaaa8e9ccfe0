"""From files to documents that have been read: each by itself, so that this part can be spread, and kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.corpora.files import base_name
from constraintsuite.corpora.folder import MARKDOWN, PLAIN, ProseFile, prose_files
from constraintsuite.errors import UserError
from constraintsuite.execution.engine import LocalEngine, require_results
from constraintsuite.execution.progress import Reporter, Silent
from constraintsuite.memory.ingest.document import ParsedDocument, parse_document
from constraintsuite.memory.ingest.naming import mentions_of
from constraintsuite.memory.ingest.unit_reading import ReadDocument, UnitReading, read_units
from constraintsuite.memory.records import Unit

_WORTH_A_WORKER = 4
"""Documents from which on starting further processes pays."""
_MOST_NAMED_FILES = 10


@dataclass(frozen=True)
class DocumentFile:
    """A file, and the id of the document that stands in it."""

    path: Path
    document: str


def document_files(paths: Iterable[Path], *, by_path: bool) -> list[DocumentFile]:
    """All Markdown and text files among `paths` and below the folders among them, by the ids of their documents.

    Documents are named by the stem of their file, with `by_path` by their path inside the given folder.
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
    """The documents of some files, in their order; all that cannot be read are named in one UserError."""
    spread = engine if engine is not None and len(files) >= _WORTH_A_WORKER else LocalEngine()
    with (reporter or Silent()).track("documents", len(files)) as advance:
        read: list[ReadDocument | str] = require_results(spread.map(_read_or_fault, files, lambda index: advance()))
    problems = [each for each in read if isinstance(each, str)]
    if problems:
        more = f"\n... and {len(problems) - _MOST_NAMED_FILES} more." if len(problems) > _MOST_NAMED_FILES else ""
        raise UserError("\n".join(problems[:_MOST_NAMED_FILES]) + more)
    return [each for each in read if not isinstance(each, str)]


def read_document(file: DocumentFile) -> ReadDocument:
    """Parse a file, read its sentences, and find the names in them."""
    parsed = parse_document(file.path, file.document)
    names = (() if unit.attributes["kind"] == "code" else mentions_of(_with_cells_apart(unit)) for unit in parsed.units)
    return ReadDocument(parsed, _readings(parsed), tuple(names))


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
    """The text, each cell of a row by itself: a capital at the head of a cell is no name."""
    return unit.text.replace(" | ", "\n\n") if unit.attributes["kind"] == "row" else unit.text


def _readings(parsed: ParsedDocument) -> tuple[UnitReading, ...]:
    leads: list[str] = []
    for place in parsed.places:
        above = parsed.units[place.parent].text if place.parent is not None else ""
        outer = leads[place.parent].rstrip(": ") if place.parent is not None else ""
        leads.append(f"{outer} {above}".strip() if above.endswith(":") else "")
    texts = (unit.text if unit.attributes["kind"] != "code" else "" for unit in parsed.units)
    return tuple(read_units(zip(leads, texts, strict=True)))
