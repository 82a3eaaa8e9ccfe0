"""Splits prose into passages: at headings, then between paragraphs, and inside long paragraphs between sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from constraintsuite.text.sentences import split_sentences

_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+•|>]|\d{1,3}[.)])(?:\s|$)")
_INDENTED = re.compile(r" {4}|\t")
_FRONT_MATTER_LINES = 200
_LONGEST_BLOCK = 1 << 20


class FilePassage(NamedTuple):
    """A piece of a file, and the heading above it; empty if there is none."""

    heading: str
    text: str


class ProseBlock(NamedTuple):
    """A paragraph, a list, a table, or a piece of code."""

    section: int
    """The number of headings before it."""
    heading: str
    text: str


def cut_passages(lines: Iterable[str], words: int, *, markdown: bool) -> Iterator[FilePassage]:
    """Passages of at most `words` words, paragraphs joined as far as they fit; only a single sentence may be longer."""
    section, heading, text = 0, "", ""
    for block in read_blocks(lines, markdown=markdown):
        pieces = _pieces(block.text, words)
        for piece in pieces:
            fits = len(pieces) == 1 and _words(text) + _words(piece) <= words
            if text and block.section == section and fits:
                text += f"\n\n{piece}"
                continue
            if text:
                yield FilePassage(heading, text)
            section, heading, text = block.section, block.heading, piece
    if text:
        yield FilePassage(heading, text)


def read_blocks(lines: Iterable[str], *, markdown: bool) -> Iterator[ProseBlock]:
    """The blocks of a Markdown file, or the paragraphs of a plain one; wrapped lines of prose are joined."""
    reader = _BlockReader(markdown)
    for line in _without_front_matter(lines) if markdown else lines:
        block = reader.take(line.rstrip())
        if block is not None:
            yield block
    last = reader.finish()
    if last is not None:
        yield last


class _BlockReader:
    """Takes one line after the other, and returns a block when it is complete."""

    def __init__(self, markdown: bool) -> None:
        self._markdown = markdown
        self._section = 0
        self._heading = ""
        self._fence = ""
        self._lines: list[str] = []
        self._size = 0
        self._keeps_lines = False

    def take(self, line: str) -> ProseBlock | None:
        if self._fence:
            return self._take_code(line)
        if not line.strip():
            return self.finish()
        if self._markdown and self._is_markup(line):
            return self._take_markup(line)
        code = self._markdown and not self._lines and _INDENTED.match(line)
        return self._add(line, keeps_lines=bool(code or _ITEM.match(line)))

    def finish(self) -> ProseBlock | None:
        """The block that was being read, if there is one."""
        text = ("\n" if self._keeps_lines else " ").join(self._lines)
        self._lines, self._size = [], 0
        return ProseBlock(self._section, self._heading, text) if text.strip() else None

    def _take_code(self, line: str) -> ProseBlock | None:
        bare = line.strip()
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            self._fence = ""
            return self.finish()
        return self._add(line, keeps_lines=True)

    def _is_markup(self, line: str) -> bool:
        begins = _HEADING.match(line) or _FENCE.match(line)
        return bool(begins or _UNDERLINE.fullmatch(line) or _RULE.fullmatch(line))

    def _take_markup(self, line: str) -> ProseBlock | None:
        heading, fence = _HEADING.match(line), _FENCE.match(line)
        if heading:
            title = line[heading.end() :].strip()
            closed = title.rstrip("#")  # a heading may end in "#" signs after a space
            return self._begin_section(title if closed.strip() and closed == closed.rstrip() else closed)
        if fence:
            self._fence = fence.group(1)
        elif self._lines and not self._keeps_lines and _UNDERLINE.fullmatch(line):
            title, self._lines = " ".join(self._lines), []
            return self._begin_section(title)
        return self.finish()

    def _begin_section(self, heading: str) -> ProseBlock | None:
        block = self.finish()
        self._section += 1
        self._heading = heading.strip(" \t*_`")
        return block

    def _add(self, line: str, *, keeps_lines: bool) -> ProseBlock | None:
        starts_list = keeps_lines and not self._keeps_lines
        block = self.finish() if starts_list or self._size > _LONGEST_BLOCK else None
        if not self._lines:
            self._keeps_lines = keeps_lines
        self._lines.append(line if self._keeps_lines else line.strip())
        self._size += len(line)
        return block


def _without_front_matter(lines: Iterable[str]) -> Iterator[str]:
    """The lines below a YAML header between two lines of three hyphens."""
    rest = iter(lines)
    front: list[str] = []
    for line in rest:
        front.append(line)
        if front[0].rstrip() != "---" or len(front) > _FRONT_MATTER_LINES:
            break
        if len(front) > 1 and line.rstrip() in ("---", "..."):
            front = []
            break
    yield from chain(front, rest)


def _pieces(block: str, words: int) -> list[str]:
    """The block if it is short enough, otherwise as few pieces of complete lines or sentences as possible."""
    if _words(block) <= words:
        return [block]
    pieces: list[str] = []
    for joint, unit in _units(block, words):
        if pieces and _words(pieces[-1]) + _words(unit) <= words:
            pieces[-1] += joint + unit
        else:
            pieces.append(unit)
    return pieces


def _units(block: str, words: int) -> Iterator[tuple[str, str]]:
    """The lines or sentences that are not split further, each with the text that joins it to the previous one."""
    for line in filter(str.strip, block.split("\n")):
        if _words(line) <= words:
            yield "\n", line
            continue
        for number, span in enumerate(split_sentences(line)):
            yield " " if number else "\n", span.of(line)


def _words(text: str) -> int:
    return len(text.split())
