"""One pass over the shards of a corpus, line by line; only what is wanted is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import adapter, describe
from constraintsuite.suites.corpus.parts import part_paths

T = TypeVar("T")
_PLAIN_ID = re.compile(rb'\{"id":"([^"\\]*)"')


@dataclass(frozen=True, slots=True)
class _Named:
    id: str


class ShardLine(NamedTuple):
    """One line of a shard."""

    id: str
    line: bytes
    path: Path
    offset: int

    def parse(self, kind: type[T]) -> T:
        """Its record, or as much of it as `kind` has."""
        try:
            return adapter(kind).validate_json(self.line)
        except ValidationError as error:
            raise UserError(f"{self.path}: byte {self.offset}: {describe(error)}") from None


class CorpusDocumentLines(NamedTuple):
    """A document that was read: its place among all documents, and its lines in both stages."""

    place: int
    document: ShardLine
    reading: ShardLine


def walk(folder: Path) -> Iterator[ShardLine]:
    """All lines of a stage's shards, in order."""
    for path in part_paths(folder):
        with path.open("rb") as file:
            offset = 0
            for line in file:
                yield ShardLine(_id_of(line, path), line, path, offset)
                offset += len(line)


def walk_both(documents: Path, mentions: Path) -> Iterator[CorpusDocumentLines]:
    """All documents that were read, in order; the reading leaves out those that break it."""
    readings = walk(mentions)
    reading = next(readings, None)
    for place, document in enumerate(walk(documents)):
        if reading is not None and reading.id == document.id:
            yield CorpusDocumentLines(place, document, reading)
            reading = next(readings, None)
    if reading is not None:
        raise UserError(
            f"{reading.path}: the document {reading.id!r} is not in {documents}. Build with --from documents."
        )


def row_at(path: Path, offset: int) -> ShardLine:
    """The line that begins at a byte of a shard."""
    with path.open("rb") as file:
        file.seek(offset)
        line = file.readline()
    return ShardLine(_id_of(line, path), line, path, offset)


def _id_of(line: bytes, path: Path) -> str:
    """Records of stages begin with their id; nothing else is parsed, and that only where it holds an escape."""
    plain = _PLAIN_ID.match(line)
    if plain is not None:
        return plain[1].decode()
    try:
        return adapter(_Named).validate_json(line).id
    except ValidationError as error:
        raise UserError(f"{path}: {describe(error)} Was it edited? Build the stage anew.") from None
