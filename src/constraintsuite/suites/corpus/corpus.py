"""The documents of a corpus and their readings, read together from two stages as often as needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt

from constraintsuite.core.records.text import Document
from constraintsuite.suites.corpus.files import ShardLine, StageRecords, walk, walk_both
from constraintsuite.suites.reading.records import NounsRead, ScopesRead

DocumentNumbers = npt.NDArray[np.uint32]
"""Numbers of documents, in the order of their ids."""


class PackedIds(Sequence[str]):
    """Ids in one block of memory, in the given order: their own bytes, and four or eight more for each."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._bytes = bytearray()
        ends = [0]
        packed: list[npt.NDArray[np.uint64]] = []
        for id in ids:
            self._bytes += id.encode()
            ends.append(len(self._bytes))
            if len(ends) == _BLOCK:
                packed.append(np.array(ends, dtype=np.uint64))
                ends.clear()
        packed.append(np.array(ends, dtype=np.uint64))
        small = len(self._bytes) < 1 << 32
        self._ends = np.concatenate([part.astype(np.uint32) if small else part for part in packed])

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[each] for each in range(len(self))[index]]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._bytes[self._ends[index] : self._ends[index + 1]].decode()


_BLOCK = 1 << 16


class Numbering:
    """The number of every document in the shards of a folder, and the id of every number."""

    def __init__(self, folder: Path) -> None:
        orders, shards = [], []
        for _, rows in groupby(walk(folder), key=lambda row: row.path):
            ids = [row.id for row in rows]  # of one shard at a time, since strings take much more memory
            order = sorted(range(len(ids)), key=ids.__getitem__)
            shards.append(PackedIds(ids[place] for place in order))
            orders.append(np.array(order, dtype=np.uint32))
        begins = np.cumsum([0, *map(len, shards)])
        self.numbers: DocumentNumbers = np.empty(begins[-1], dtype=np.uint32)
        """The number of each document, in the order of the shards."""
        places = (
            zip(ids, _shifted(order, int(begin)), strict=True)
            for ids, order, begin in zip(shards, orders, begins[:-1], strict=True)
        )
        self.ids = PackedIds(self._assign(merge(*places)))
        """The id of each number."""

    def _assign(self, ordered: Iterable[tuple[str, int]]) -> Iterator[str]:
        for number, (id, place) in enumerate(ordered):
            self.numbers[place] = number
            yield id

    def __len__(self) -> int:
        return len(self.numbers)

    def of(self, id: str) -> int | None:
        """The number of a document; None if it is not in the corpus."""
        number = bisect_left(self.ids, id)
        return number if number < len(self.ids) and self.ids[number] == id else None

    def names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """The ids of these numbers, in the same order."""
        return tuple(self.ids[number] for number in numbers)


def _shifted(places: DocumentNumbers, begin: int) -> Iterator[int]:
    return (begin + int(place) for place in places)


@dataclass(frozen=True)
class Corpus:
    """The folders of the stages `documents` and `mentions`."""

    folder: Path
    mentions: Path

    @cached_property
    def numbering(self) -> Numbering:
        """The number of each document."""
        return Numbering(self.folder)

    @cached_property
    def documents(self) -> StageRecords[Document]:
        """The documents by id; each is read from its shard when needed."""
        return StageRecords.of(self.folder, Document)

    @cached_property
    def scopes(self) -> StageRecords[ScopesRead]:
        """The scopes by document id; documents that could not be read have none."""
        return StageRecords.of(self.mentions, ScopesRead)

    def passages(self) -> Iterator[tuple[int, ShardLine, ShardLine]]:
        """The number, the line and the reading of each document that could be read."""
        numbers = self.numbering.numbers
        for place, document, reading in walk_both(self.folder, self.mentions):
            yield int(numbers[place]), document, reading

    def read(self, wanted: npt.NDArray[np.bool_]) -> Iterator[tuple[int, Document, NounsRead]]:
        """The wanted documents with their numbers, and their nouns and scopes."""
        for number, document, reading in self.passages():
            if wanted[number]:
                yield number, document.parse(Document), reading.parse(NounsRead)
