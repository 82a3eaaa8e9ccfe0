"""One file as a document: its units with ids, where they stand, and which lies in which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.corpora.files import base_name, ending
from constraintsuite.corpora.folder import MARKDOWN
from constraintsuite.memory.ingest.blocks import read_blocks
from constraintsuite.memory.ingest.labels import give_labels
from constraintsuite.memory.ingest.source import FrontMatter, SourceText, read_source
from constraintsuite.memory.ingest.units import UnitDraft, make_drafts, title_heading
from constraintsuite.memory.records import Unit


@dataclass(frozen=True, slots=True)
class UnitPosition:
    """Where a unit stands in its document."""

    number: str
    section: int
    parent: int | None
    """The index of the unit it is a part of."""


@dataclass(frozen=True)
class ParsedDocument:
    """The structure of a document, before anything is read in its sentences."""

    id: str
    title: str
    sha256: str
    markdown: bool
    """Whether it was read as Markdown, and not as plain text."""
    units: tuple[Unit, ...]
    places: tuple[UnitPosition, ...]
    section_numbers: Mapping[int, str]
    """Of the sections that have one."""


def parse_document(path: Path, document: str | None = None) -> ParsedDocument:
    """Read and parse a file; `document` is its id, else the stem of its name."""
    return parse_source(read_source(path), document or base_name(path), markdown=is_markdown(path))


def is_markdown(path: Path) -> bool:
    """Whether a file is read as Markdown."""
    return ending(path) in MARKDOWN


def parse_source(source: SourceText, document: str, *, markdown: bool) -> ParsedDocument:
    """The document that stands in a file."""
    drafts, sections = make_drafts(read_blocks(source.lines, markdown=markdown))
    give_labels(source.path, drafts, sections)
    units = tuple(_unit(document, draft, source.front) for draft in drafts)
    places = tuple(UnitPosition(draft.number, draft.section.ordinal, draft.parent) for draft in drafts)
    numbers = {section.ordinal: section.number for section in sections if section.number}
    title = source.front.title or title_heading(drafts, sections) or document.rpartition("/")[2]
    return ParsedDocument(document, title, source.sha256, markdown, units, places, numbers)


def _unit(document: str, draft: UnitDraft, front: FrontMatter) -> Unit:
    attributes = {"kind": draft.kind} | ({"number": draft.number} if draft.number else {})
    return Unit(
        id=f"{document}:{draft.label}",
        document=document,
        text=draft.text,
        headings=draft.headings,
        lines=draft.lines,
        valid_from=front.valid_from,
        valid_to=front.valid_to,
        attributes=attributes,
    )
