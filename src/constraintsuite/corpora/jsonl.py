"""JSON lines, or one JSON array of objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.corpora.files import (
    BYTE_ORDER_MARK,
    FileLine,
    FileSource,
    decode,
    open_bytes,
    read_lines,
)

_CHUNK = 1 << 20
_LONGEST_ELEMENT = 1 << 28
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)
_DEPTH = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


class JsonlSource(FileSource):
    """The objects of a JSON lines or JSON array file, or of all such files in a folder."""

    kind = "jsonl"
    endings = (".jsonl", ".ndjson", ".json")

    def _records(self, path: Path, bad: BadRows) -> Iterator[FileRecord]:
        return read_objects(path, bad)


def read_objects(path: Path, bad: BadRows) -> Iterator[FileRecord]:
    """The JSON objects of a file, each with the line where it begins."""
    for line in _array_elements(path) if _is_array(path) else read_lines(path):
        text = decode(line, bad)
        if text is None or not text.strip():
            continue
        try:
            # Not strict: raw tabs and NUL bytes inside strings are kept; texts are cleaned later.
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield FileRecord(line.where, value)
        else:
            bad.add(line.where, "invalid_json", text)


def _is_array(path: Path) -> bool:
    with open_bytes(path) as file:
        start = file.read(_CHUNK).removeprefix(BYTE_ORDER_MARK).lstrip()
    return start.startswith(b"[")


def _array_elements(path: Path) -> Iterator[FileLine]:
    """The elements of an array, not parsed: only brackets and strings are scanned, so that a bad one harms no other."""
    number = 1
    with open_bytes(path) as file:
        try:
            for element in _split_array(file):
                yield FileLine(f"{path}:{number + _blank_lines(element)}", element.lstrip())
                number += element.count(b"\n")
        except _ArrayError as error:
            where = f"{path}:{number + _blank_lines(error.rest)}"
            raise UserError(f"{where}: {error}. Correct the file, or write one object per line instead.") from None


class _ArrayError(Exception):
    def __init__(self, fault: str, rest: bytes) -> None:
        super().__init__(fault)
        self.rest = rest


def _blank_lines(element: bytes) -> int:
    """The number of line ends before the element."""
    return element.count(b"\n", 0, len(element) - len(element.lstrip()))


def _split_array(file: BinaryIO) -> Iterator[bytes]:
    """The text before the array, then the texts between its brackets and commas."""
    buffer = file.read(_CHUNK)
    start = at = buffer.index(b"[") + 1
    yield buffer[: start - 1].removeprefix(BYTE_ORDER_MARK)
    depth = 1
    while True:
        for mark in _MARK.finditer(buffer, at):
            if mark.group() == b'"':  # its end is not in the buffer yet
                at = mark.start()
                break
            depth += _DEPTH.get(mark.group(), 0)
            if depth == 0 or (depth == 1 and mark.group() == b","):
                yield buffer[start : mark.start()]
                start = mark.end()
            if depth == 0:
                rest = buffer[start:] + file.read(_CHUNK)
                if rest.strip():
                    raise _ArrayError("there is text after the end of the JSON array", rest)
                return
        else:
            at = len(buffer)
        chunk = file.read(_CHUNK)
        if not chunk or len(buffer) - start > _LONGEST_ELEMENT:
            fault = "the JSON array cannot be read from here on: a bracket or quote is not closed"
            raise _ArrayError(fault, buffer[start:])
        buffer, start, at = buffer[start:] + chunk, 0, at - start
