"""Reads a file as checked lines of text, without byte order mark and comments, and its front matter."""

from __future__ import annotations

import datetime
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.yaml_files import parse_yaml
from constraintsuite.corpora.files import BYTE_ORDER_MARK, open_bytes
from constraintsuite.memory.records import parse_time

_FRONT_MATTER_LINES = 200
_CODE_OR_COMMENT = re.compile(r"^[^\S\n]*(`{3,}|~{3,}).*?(?:^[^\S\n]*\1|\Z)|<!--.*?-->", re.MULTILINE | re.DOTALL)


class FrontMatter(NamedTuple):
    """The keys of front matter that are used; other keys are ignored."""

    title: str = ""
    valid_from: str | None = None
    valid_to: str | None = None


class SourceText(NamedTuple):
    """The content of one file."""

    path: Path
    sha256: str
    """Of its bytes."""
    lines: tuple[str, ...]
    """All lines of the file, so that positions are line numbers; front matter and comments are empty lines."""
    front: FrontMatter


def read_source(path: Path) -> SourceText:
    """Read the lines of a file. Raises UserError with the position of bytes that are not text."""
    with open_bytes(path) as file:
        data = file.read()
    lines = _split_lines(_decode(path, data))
    front, lines = _take_front_matter(path, lines)
    return SourceText(
        path, hashlib.sha256(data).hexdigest(), tuple(_without_comments("\n".join(lines)).split("\n")), front
    )


def source_hash(path: Path) -> str:
    """Return the hash of the bytes of a file, without parsing it."""
    with open_bytes(path) as file:
        return hashlib.sha256(file.read()).hexdigest()


def _split_lines(text: str) -> list[str]:
    """Split at line feeds only: splitting at a form feed or U+2028 would shift the line numbers."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def _decode(path: Path, data: bytes) -> str:
    data = data.removeprefix(BYTE_ORDER_MARK)
    zero = data.find(b"\0")
    if zero >= 0:
        line = data.count(b"\n", 0, zero) + 1
        raise UserError(f"{path}:{line}: NUL byte: this is not a text file. Save it as UTF-8 text.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise UserError(
            f"{path}:{line}: byte {data[error.start]:#04x} at column {column} is not UTF-8. Save the file as UTF-8."
        ) from None


def _take_front_matter(path: Path, lines: list[str]) -> tuple[FrontMatter, list[str]]:
    if lines[0].rstrip() != "---":
        return FrontMatter(), lines
    ends = (number for number, line in enumerate(lines[1:_FRONT_MATTER_LINES], 1) if line.rstrip() in ("---", "..."))
    end = next(ends, None)
    if end is None:
        _refuse_unclosed(path, lines)
    if end is None or ":" not in "".join(lines[1:end]):
        return FrontMatter(), lines  # a rule across the page
    found = parse_yaml("\n".join(lines[1:end]), path, first_line=2)
    if not isinstance(found, dict):
        return FrontMatter(), lines
    since, until = (_moment(path, key, found.get(key)) for key in ("valid_from", "valid_to"))
    if since and until and parse_time(since) >= parse_time(until):
        raise UserError(f"{path}: valid_to ({until}) must be later than valid_from ({since}).")
    title = found.get("title")
    front = FrontMatter(str(title).strip() if title is not None else "", since, until)
    return front, [""] * (end + 1) + lines[end + 1 :]


def _refuse_unclosed(path: Path, lines: list[str]) -> None:
    """Refuse front matter that is not closed; a line of dashes without a known key below it is a horizontal rule."""
    for line in lines[1:_FRONT_MATTER_LINES]:
        if not line.strip():
            return
        if line.startswith(tuple(f"{key}:" for key in FrontMatter._fields)):
            raise UserError(
                f"{path}:1: the front matter that begins here is not closed in its first {_FRONT_MATTER_LINES} lines. "
                "Put a line of --- after its last key."
            )


def _moment(path: Path, key: str, value: object) -> str | None:
    if value is None:
        return None
    text = value.isoformat() if isinstance(value, datetime.date) else str(value)  # a datetime is a date too
    parse_time(text, f"{path}: {key}")
    return text


def _without_comments(text: str) -> str:
    """Remove HTML comments but keep the number of lines; comments in code, or without an end, are text."""
    return _CODE_OR_COMMENT.sub(lambda found: found[0] if found[1] else "\n" * found[0].count("\n"), text)
