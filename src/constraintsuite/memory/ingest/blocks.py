"""Splits lines into blocks: headings, paragraphs, list items, table rows, code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from constraintsuite.memory.ingest.numbering import INNER, Marker, Style, find_marker, follows, is_first, leading

BlockKind = Literal["heading", "paragraph", "item", "row", "code"]

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_FENCE = re.compile(r"(`{3,}|~{3,})(?!.*`)")
_QUOTE = re.compile(r"(?: {0,3}>[ ]?)+")
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELLS = re.compile(r"(?<!\\)\|")
_BOLD_LINE = re.compile(r"(\*\*|__)([^*_]+)\1:?$")
_EMPHASIS = re.compile(r"(\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*]))")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_TITLE_WORDS = 10
_LARGEST_ALONE = 999
_DEEPEST = 7


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A piece of a file with its lines."""

    kind: BlockKind
    text: str
    first: int
    last: int
    """Lines, from 1."""
    level: int = 0
    """The level of a heading, from 1; of other blocks, the indentation."""
    marker: Marker | None = None
    context: str = ""
    """For a row, the header of its table."""
    quoted: bool = False
    joined: bool = False
    """Whether it follows the block before it without an empty line."""


def read_blocks(lines: Sequence[str], *, markdown: bool) -> Iterator[DocumentBlock]:
    """Yield the blocks of a file, in order."""
    reader = _Reader(lines, markdown)
    while reader.at < len(lines):
        yield from reader.take()
    yield from reader.flush()


@dataclass(slots=True)
class _Open:
    """A paragraph or item that may continue on the next line."""

    first: int
    indent: int
    marker: Marker | None
    quoted: bool
    joined: bool
    pieces: list[str] = field(default_factory=list)
    last: int = 0


class _Reader:
    def __init__(self, lines: Sequence[str], markdown: bool) -> None:
        self.lines = lines
        self.markdown = markdown
        self.at = 0
        self.open: _Open | None = None
        self.after_blank = True
        self.last_values: dict[Style, str] = {}

    def take(self) -> Iterator[DocumentBlock]:
        """Read one line, or a complete table or block of code; yield the blocks that ended."""
        raw = self.lines[self.at].expandtabs(4)
        quote = _QUOTE.match(raw)
        line = raw[quote.end() :] if quote else raw
        text = line.strip()
        number = self.at + 1
        if not text:
            self.after_blank = True
            self.at += 1
            return
        fence = _FENCE.match(text)
        heading = _ATX.match(line)
        if fence:
            yield from self.flush()
            yield self._code(fence.group(1), len(line) - len(line.lstrip()))
        elif heading:
            yield from self.flush()
            yield DocumentBlock("heading", self._plain(heading[2] or ""), number, number, len(heading[1]))
            self.last_values = {}
        elif self._is_underline(line):
            yield from self._underlined()
        elif _RULE.match(line):
            yield from self.flush()
        elif self._begins_table(text):
            yield from self.flush()
            yield from self._table()
        else:
            yield from self._prose(line, text, quoted=quote is not None)
        self.after_blank = False
        self.at += 1

    def flush(self) -> Iterator[DocumentBlock]:
        """End the open paragraph or item, and yield it."""
        one, self.open = self.open, None
        if one is None:
            return
        text = self._plain(" ".join(one.pieces).replace(" \n ", "\n"))
        bold = _BOLD_LINE.match(one.pieces[0]) if len(one.pieces) == 1 and one.marker is None else None
        if text and one.marker is None and (bold or _is_shouted(one.pieces)):
            yield DocumentBlock("heading", text.rstrip(":"), one.first, one.last, _DEEPEST)
        elif text:
            kind: BlockKind = "item" if one.marker else "paragraph"
            yield DocumentBlock(kind, text, one.first, one.last, one.indent, one.marker, "", one.quoted, one.joined)

    def _prose(self, line: str, text: str, *, quoted: bool) -> Iterator[DocumentBlock]:
        indent = len(line) - len(line.lstrip())
        marker = find_marker(text)
        if marker is not None and self._starts_item(marker, text, indent):
            joined = not self.after_blank
            yield from self.flush()
            self.open = _Open(self.at + 1, indent, marker, quoted, joined)
            text = text[marker.width :]
            if marker.value:
                self.last_values["number" if marker.style == "bare" else marker.style] = marker.value
        elif self.open is None or (self.after_blank and not (self.open.marker and indent > self.open.indent)):
            joined = not self.after_blank
            yield from self.flush()
            self.open = _Open(self.at + 1, indent, None, quoted, joined)
        elif self.after_blank:
            self.open.pieces.append("\n")  # a further paragraph of the same item
        assert self.open is not None
        if text:
            self.open.pieces.append(text)
        self.open.last = self.at + 1

    def _starts_item(self, marker: Marker, text: str, indent: int) -> bool:
        """Whether a marker begins an item, rather than a wrapped line that begins with a number."""
        rest = text[marker.width : marker.width + 1]
        before = self.last_values.get("number" if marker.style == "bare" else marker.style)
        next_one = before is not None and follows(before, marker.value)
        if marker.style != "dotted" and leading(marker.value) > _LARGEST_ALONE:  # a year, unless the list is that long
            return next_one and before is not None and leading(marker.value) - leading(before) <= 1
        if self.after_blank or self.open is None:
            opens = rest.isupper() or rest in "\"“'‘(`*[_"
            return marker.firm or marker.style in ("dotted", "named") or opens or next_one or marker.value == "1"
        in_list = self.open.marker is not None
        if marker.style == "bullet":
            return bool(rest)
        if marker.style in INNER:
            return marker.firm and (in_list or is_first(marker.value))
        if in_list and (marker.firm or rest.isupper()) and indent <= self.open.indent and marker.value == before:
            return True  # the same number again: ignoring it would hide the mistake
        if in_list and marker.firm and indent < self.open.indent:
            return True  # back in the outer list, whatever the last number of the inner one
        begins = next_one or is_first(marker.value)
        return begins and (marker.firm or (not rest.islower() and (in_list or marker.value == "1")))

    def _is_underline(self, line: str) -> bool:
        one = self.open
        plain = one is not None and one.marker is None and len(one.pieces) == 1 and not self.after_blank
        return plain and _UNDERLINE.match(line) is not None

    def _underlined(self) -> Iterator[DocumentBlock]:
        one, self.open = self.open, None
        assert one is not None
        level = 1 if self.lines[self.at].lstrip(" >").startswith("=") else 2
        yield DocumentBlock("heading", self._plain(one.pieces[0]), one.first, self.at + 1, level)
        self.last_values = {}

    def _code(self, fence: str, indent: int) -> DocumentBlock:
        first = self.at + 1
        content: list[str] = []
        self.at += 1
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                break
            content.append(line[min(indent, len(line) - len(line.lstrip())) :])
            self.at += 1
        last = min(self.at + 1, len(self.lines))
        return DocumentBlock("code", "\n".join(content).strip("\n"), first, last, indent, joined=not self.after_blank)

    def _begins_table(self, text: str) -> bool:
        if "|" not in text or self.at + 1 >= len(self.lines):
            return False
        below = self.lines[self.at + 1]
        return "|" in below and "-" in below and _DELIMITER.match(below) is not None

    def _table(self) -> Iterator[DocumentBlock]:
        header = self._cells(self.lines[self.at])
        context = " | ".join(cell for cell in header if cell)
        self.at += 2
        while self.at < len(self.lines) and "|" in self.lines[self.at]:
            cells = self._cells(self.lines[self.at])
            number = self.at + 1
            label = _row_number(header, cells)
            if any(cells):
                yield DocumentBlock("row", " | ".join(cells), number, number, 0, label, context, joined=True)
            self.at += 1
        self.at -= 1  # the caller moves on by one

    def _cells(self, line: str) -> list[str]:
        inner = line.strip().removeprefix("|")
        inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
        return [self._plain(cell.replace("\\|", "|")) for cell in _CELLS.split(inner)]

    def _plain(self, text: str) -> str:
        """Remove the marks of emphasis and the addresses of links."""
        if self.markdown and ("*" in text or "_" in text or "](" in text):
            text = _EMPHASIS.sub("", _LINK.sub(r"\1", text))
        return text.strip()


def _row_number(header: Sequence[str], cells: Sequence[str]) -> Marker | None:
    if header[0].lower().rstrip(".") in ("#", "no", "nr", "step", "clause", "item", "rule", "section"):
        value = cells[0].rstrip(".)")
        if value and all(part.isdigit() for part in value.split(".")):
            return Marker("row", value, 0, firm=True)
    return None


def _is_shouted(pieces: Sequence[str]) -> bool:
    """Whether a paragraph is one short line in capitals: the heading of a plain text file."""
    line = pieces[0]
    words = line.split()
    letters = sum(map(str.isalpha, line))
    return (
        len(pieces) == 1 and line.isupper() and letters > 3 and len(words) <= _TITLE_WORDS and line[-1] not in ".;,!?"
    )
