"""The files of a stage: shards of records, of which only what is needed is parsed, and tables of names."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.core.store.jsonl import adapter, describe


def part_path(folder: Path, shard: int) -> Path:
    """The file of one shard."""
    return folder / f"part-{shard:05d}.jsonl"


def part_paths(folder: Path) -> list[Path]:
    """The files of all shards, in order, without other files of the stage."""
    return sorted(folder.glob("part-?????.jsonl"))


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
        """The record of the line; `kind` may have only some of its fields."""
        try:
            return adapter(kind).validate_json(self.line)
        except ValidationError as error:
            raise UserError(f"{self.path}: byte {self.offset}: {describe(error)}") from None


def walk(folder: Path) -> Iterator[ShardLine]:
    """All lines of a stage's shards, in order."""
    for path in part_paths(folder):
        with path.open("rb") as file:
            offset = 0
            for line in file:
                yield ShardLine(_id_of(line, path), line, path, offset)
                offset += len(line)


def walk_both(documents: Path, mentions: Path) -> Iterator[tuple[int, ShardLine, ShardLine]]:
    """The place, the line and the reading of every document that has a reading; some could not be read."""
    readings = walk(mentions)
    reading = next(readings, None)
    for place, document in enumerate(walk(documents)):
        if reading is not None and reading.id == document.id:
            yield place, document, reading
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
    """The id at the start of a line; the line is parsed only if its id has an escape."""
    plain = _PLAIN_ID.match(line)
    if plain is not None:
        return plain[1].decode()
    try:
        return adapter(_Named).validate_json(line).id
    except ValidationError as error:
        raise UserError(f"{path}: {describe(error)} Was it edited? Build the stage again.") from None


def write_table(path: Path, entries: Iterable[tuple[str, str]]) -> None:
    """Write a JSON object with one entry per line."""
    with atomic_writer(path) as file:
        separator = b"{\n"
        for name, value in entries:
            file.write(
                separator + f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}".encode()
            )
            separator = b",\n"
        file.write(b"\n}\n" if separator == b",\n" else b"{}\n")


def read_table(path: Path) -> Iterator[tuple[str, str]]:
    """The entries of a file that `write_table` wrote, in order."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            entry = line.strip().rstrip(b",")
            if entry in (b"{", b"}", b"{}"):
                continue
            try:
                ((name, value),) = json.loads(b"{" + entry + b"}").items()
            except ValueError:
                raise UserError(
                    f"{path}:{number}: this is not an entry of a table. Was it edited? Build the stage again."
                ) from None
            yield name, value


KEPT = 1024
"""Number of records that stay in memory, the last used."""
_SHARD_BITS = 16


class StageRecords(Mapping[str, T], Generic[T]):
    """Records in the shards of a folder by id; each takes 16 bytes of memory, and is read from disk when needed."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._paths: dict[Path, int] = {}
        self._hashes, self._places = array("Q"), array("Q")
        self._sorted = True
        self._read = lru_cache(KEPT)(self._find)

    @classmethod
    def of(cls, folder: Path, kind: type[T]) -> StageRecords[T]:
        """All records of a folder."""
        records = cls(kind)
        for row in walk(folder):
            records.put(row)
        return records

    def put(self, row: ShardLine) -> None:
        """Add a record by its place."""
        shard = self._paths.setdefault(row.path, len(self._paths))
        self._hashes.append(stable_hash(row.id))
        self._places.append(row.offset << _SHARD_BITS | shard)
        self._sorted = False

    def __getitem__(self, id: str) -> T:
        return self._read(id)

    def __iter__(self) -> Iterator[str]:
        return (self._row(place).id for place in self._places)

    def __len__(self) -> int:
        return len(self._hashes)

    def _find(self, id: str) -> T:
        if not self._sorted:
            self._sort()
        wanted = stable_hash(id)
        at = bisect_left(self._hashes, wanted)
        while at < len(self._hashes) and self._hashes[at] == wanted:
            row = self._row(self._places[at])
            if row.id == id:
                return row.parse(self._kind)
            at += 1
        raise KeyError(id)

    def _row(self, place: int) -> ShardLine:
        return row_at(list(self._paths)[place & (1 << _SHARD_BITS) - 1], place >> _SHARD_BITS)

    def _sort(self) -> None:
        order = np.argsort(np.frombuffer(self._hashes, dtype=np.uint64), kind="stable")
        self._hashes, self._places = (
            array("Q", np.frombuffer(column, dtype=np.uint64)[order].tobytes())
            for column in (self._hashes, self._places)
        )
        self._sorted = True
