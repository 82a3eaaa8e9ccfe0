"""The corpus of a bundle: documents go loosely to the part they belong to, then each part is put in order by itself."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TypeVar

from constraintsuite.records.text import Document
from constraintsuite.vectors.bundle import PART_ROWS

_BUFFER = 1 << 16


class BundleDocument(NamedTuple):
    """A document and its row in the bundle."""

    row: int
    document: Document
    twin: bool = False
    """Left out itself, since the document of that row has the same text."""


class LoosePart(NamedTuple):
    """What belongs to one part, in order."""

    documents: list[tuple[int, str, str, str]]
    """Row, id, title, text."""
    twins: list[tuple[int, str]]
    """Row of the document that stands for it, id."""


def loose_file(folder: Path, number: int) -> Path:
    """Where the documents of a part lie until it is put in order."""
    return folder / f"part-{number:05}.jsonl"


def spread(placed: Iterable[BundleDocument], rows: int, folder: Path) -> None:
    """Put each document into the loose file of its part; none is kept in memory."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        names = [loose_file(folder, number) for number in range(part_count(rows))]
        files = [stack.enter_context(name.open("wb", buffering=_BUFFER)) for name in names]
        for row, document, twin in placed:
            record = (row, document.id) if twin else (row, document.id, document.title, document.text)
            files[row // PART_ROWS].write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        for file in files:
            file.flush()
            os.fsync(file.fileno())


def read_loose(folder: Path, number: int) -> LoosePart:
    """All of one part; one part is what is in memory at a time."""
    with loose_file(folder, number).open("rb") as lines:
        records = sorted(tuple(json.loads(line)) for line in lines)
    return LoosePart([each for each in records if len(each) == 4], [each for each in records if len(each) == 2])


def part_count(rows: int) -> int:
    """Parts of a corpus."""
    return -(-rows // PART_ROWS)


T = TypeVar("T")
_STEP = 1_000


def counted(items: Iterable[T], advance: Callable[[int], None]) -> Iterator[T]:
    """The same things; each thousand of them is told when it has passed, and what is left at the end."""
    count = 0
    for count, item in enumerate(items, 1):
        yield item
        if count % _STEP == 0:
            advance(_STEP)
    if count % _STEP:
        advance(count % _STEP)
