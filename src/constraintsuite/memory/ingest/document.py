"""Parses a file into a document: its units with ids, their positions, and their nesting."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, zip_longest
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.corpora.files import base_name, ending
from constraintsuite.corpora.folder import MARKDOWN
from constraintsuite.memory.ingest.blocks import DocumentBlock, read_blocks
from constraintsuite.memory.ingest.numbering import Announcement, Marker, Nesting, find_marker
from constraintsuite.memory.ingest.source import FrontMatter, SourceText, read_source
from constraintsuite.memory.records import Unit
from constraintsuite.text.sentences import split_sentences

_TITLE_WORDS = 8
_LONGEST_BLOCK = 1_500
_PIECE = 1_000


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """The text under one heading; the first section of a file has no heading."""

    ordinal: int
    number: str
    headings: tuple[str, ...]
    """The heading and those above it, outermost first."""


@dataclass(slots=True)
class UnitDraft:
    """A unit before it has its id."""

    text: str
    section: DocumentSection
    lines: tuple[int, int]
    kind: str
    headings: tuple[str, ...]
    number: str = ""
    """With the numbers of the outer items: `3.2.a`; empty for none."""
    run: int = 0
    parent: int | None = None
    label: str = ""
    """Unique in the document; see `_give_labels`."""


def _make_drafts(blocks: Iterable[DocumentBlock]) -> tuple[list[UnitDraft], list[DocumentSection]]:
    """Return the units of a file in order, and its sections."""
    sections = [DocumentSection(0, "", ())]
    nesting = Nesting("")
    levels: list[tuple[int, str]] = []
    drafts: list[UnitDraft] = []
    for block in _with_titles_as_headings(list(blocks)):
        if block.kind == "heading":
            while levels and levels[-1][0] >= block.level:
                levels.pop()
            levels.append((block.level, block.text))
            sections.append(
                DocumentSection(len(sections), _heading_number(block.text), tuple(text for _, text in levels))
            )
            nesting = Nesting(sections[-1].number)
            continue
        for piece in _pieces(block):
            drafts.append(_draft(piece, sections[-1], nesting, drafts))
    _lend_heading_numbers(drafts)
    return drafts, sections


def _title_heading(drafts: Sequence[UnitDraft], sections: Sequence[DocumentSection]) -> str:
    """Return the heading with which a file begins; empty if there is text before its first heading."""
    if len(sections) == 1 or (drafts and drafts[0].section.ordinal == 0):
        return ""
    return sections[1].headings[0]


def _heading_number(text: str) -> str:
    """Return the number of a heading: `4.2` of "4.2 Termination", `B` of "Annex B"; empty for none."""
    marker = find_marker(text)
    return marker.value if marker is not None and marker.style in ("dotted", "named", "bare", "number") else ""


def _with_titles_as_headings(blocks: Sequence[DocumentBlock]) -> Iterator[DocumentBlock]:
    """Yield the blocks; an item that is only a title ("3. Payment", "Article 4 — Term") becomes a heading."""
    for block, after in zip_longest(blocks, blocks[1:]):
        marker = block.marker
        if block.kind == "item" and marker is not None and _is_title(block, marker, after):
            level = 8 + (0 if marker.style == "named" else marker.value.count("."))
            head = f"{marker.name.capitalize()} {marker.value}" if marker.name else marker.value
            yield DocumentBlock("heading", f"{head} {block.text}".strip(), block.first, block.last, level)
        elif block.kind != "heading" or block.text:
            yield block


def _is_title(block: DocumentBlock, marker: Marker, after: DocumentBlock | None) -> bool:
    if len(block.text.split()) > _TITLE_WORDS or block.text.endswith((".", ";", ":", ",", "?", "!")) or after is None:
        return False
    if marker.style == "named":
        return marker.name != "step" and not after.joined
    inner = after.marker.value if after.marker is not None else ""
    titled = block.text[:1].isupper() and marker.style in ("number", "dotted", "bare")
    return titled and inner.startswith(f"{marker.value}.")


def _pieces(block: DocumentBlock) -> Iterator[DocumentBlock]:
    """Split a very long block between sentences; the further pieces of an item are parts of it."""
    if block.kind not in ("paragraph", "item") or len(block.text) <= _LONGEST_BLOCK:
        yield block
        return
    rest = replace(block, kind="paragraph", marker=None, level=block.level + (2 if block.kind == "item" else 0))
    start = end = 0
    for span in split_sentences(block.text):
        if span.end - start > _PIECE and end > start:
            yield replace(rest if start else block, text=block.text[start:end].strip())
            start = end
        end = span.end
    yield replace(rest if start else block, text=block.text[start:].strip())


def _draft(block: DocumentBlock, section: DocumentSection, nesting: Nesting, before: Sequence[UnitDraft]) -> UnitDraft:
    headings = (*section.headings, block.context) if block.context else section.headings
    draft = UnitDraft(block.text, section, (block.first, block.last), "quote" if block.quoted else block.kind, headings)
    announced = _announcement(before, section)
    if block.marker is not None:
        draft.parent, draft.number, draft.run = nesting.place(block.marker, block.level, len(before), announced)
        return draft
    draft.parent = nesting.innermost(block.level)
    if draft.parent is None and block.kind in ("code", "row"):
        draft.parent = announced.unit if announced else _parent_of_row(block, before, section)
    if draft.parent is None and block.kind == "paragraph":
        nesting.interrupt()
    return draft


def _announcement(before: Sequence[UnitDraft], section: DocumentSection) -> Announcement | None:
    if not before or before[-1].section is not section or not before[-1].text.endswith(":"):
        return None
    return Announcement(len(before) - 1, before[-1].number)


def _parent_of_row(block: DocumentBlock, before: Sequence[UnitDraft], section: DocumentSection) -> int | None:
    """Give the further rows of a table the parent of the first."""
    if block.kind == "row" and before and before[-1].kind == "row" and before[-1].section is section:
        return before[-1].parent
    return None


def _lend_heading_numbers(drafts: Sequence[UnitDraft]) -> None:
    """Give the number of a heading to the first paragraph under it, if nothing else in the document has that number."""
    taken = {draft.number for draft in drafts}
    first: dict[int, UnitDraft] = {}
    for draft in drafts:
        first.setdefault(draft.section.ordinal, draft)
    candidates: dict[str, list[UnitDraft]] = defaultdict(list)
    for draft in first.values():
        if not draft.number and draft.kind in ("paragraph", "quote"):
            candidates[draft.section.number].append(draft)
    for number, own in candidates.items():
        if number not in taken and len(own) == 1:
            own[0].number = number


def _give_labels(path: Path, drafts: Sequence[UnitDraft], sections: Sequence[DocumentSection]) -> None:
    """Set the label of every draft.

    A number that only one unit has is its label. Where numbers repeat, the section comes first, as in `2/1`: its own number,
    or else its position among the headings, with a letter (`2b/1`) where the numbering restarts inside it. Units without a
    number are `p1`, `p2`, ... Raises UserError if numbers are still equal.
    """
    titled = bool(_title_heading(drafts, sections)) and not sections[1].number
    keys = _section_keys(sections, titled=titled)
    bearers = Counter(draft.number for draft in drafts if draft.number)
    running = count(1)
    first: dict[str, UnitDraft] = {}
    for draft in drafts:
        if not draft.number:
            draft.label = f"p{next(running)}"
        elif bearers[draft.number] == 1:
            draft.label = draft.number
        else:
            draft.label = f"{keys[draft.section.ordinal]}{_suffix(draft.run)}/{draft.number}"
        if draft.label in first:
            raise UserError(
                f"{path}: lines {first[draft.label].lines[0]} and {draft.lines[0]} are both numbered {draft.number}. "
                "Units are named by their numbers: correct one of the two, or put a heading between them."
            )
        first[draft.label] = draft


def _section_keys(sections: Sequence[DocumentSection], *, titled: bool) -> Mapping[int, str]:
    """Return a key per section: its number, or its position, where the title of the document is 0."""
    taken: set[str] = set()
    keys = {}
    for section in sorted(sections, key=lambda one: (not one.number, one.ordinal)):
        name = section.number or str(max(section.ordinal - titled, 0))
        keys[section.ordinal] = next(key for number in count() if (key := f"{name}{_suffix(number)}") not in taken)
        taken.add(keys[section.ordinal])
    return keys


def _suffix(number: int) -> str:
    """Return nothing for 0, then b, c, ..., z, then -27, -28, ..."""
    if number == 0:
        return ""
    return chr(ord("a") + number) if number < 26 else f"-{number + 1}"


@dataclass(frozen=True, slots=True)
class UnitPosition:
    """The position of a unit in its document."""

    number: str
    section: int
    parent: int | None
    """The index of the unit that contains it."""


@dataclass(frozen=True)
class ParsedDocument:
    """The structure of a document, before its sentences are read."""

    id: str
    title: str
    sha256: str
    markdown: bool
    """Whether it was read as Markdown, and not as plain text."""
    units: tuple[Unit, ...]
    places: tuple[UnitPosition, ...]
    section_numbers: Mapping[int, str]
    """Only of sections that have a number."""


def parse_document(path: Path, document: str | None = None) -> ParsedDocument:
    """Read and parse a file; `document` is its id, else the stem of its name."""
    return parse_source(read_source(path), document or base_name(path), markdown=is_markdown(path))


def is_markdown(path: Path) -> bool:
    """Whether a file is read as Markdown."""
    return ending(path) in MARKDOWN


def parse_source(source: SourceText, document: str, *, markdown: bool) -> ParsedDocument:
    """Parse the lines of a file."""
    drafts, sections = _make_drafts(read_blocks(source.lines, markdown=markdown))
    _give_labels(source.path, drafts, sections)
    units = tuple(_unit(document, draft, source.front) for draft in drafts)
    places = tuple(UnitPosition(draft.number, draft.section.ordinal, draft.parent) for draft in drafts)
    numbers = {section.ordinal: section.number for section in sections if section.number}
    title = source.front.title or _title_heading(drafts, sections) or document.rpartition("/")[2]
    return ParsedDocument(document, title, source.sha256, markdown, units, places, numbers)


def _unit(document: str, draft: UnitDraft, front: FrontMatter) -> Unit:
    attributes = {"kind": draft.kind} | ({"number": draft.number} if draft.number else {})
    unit = Unit(f"{document}:{draft.label}", document, draft.text, draft.headings, attributes=attributes)
    return replace(unit, lines=draft.lines, valid_from=front.valid_from, valid_to=front.valid_to)
