"""Records of a stage by id, read from the disk when they are asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from constraintsuite.execution.shards import stable_hash
from constraintsuite.suites.corpus.files import ShardLine, row_at, walk

T = TypeVar("T")
KEPT = 1024
"""Records that stay in memory, the last ones asked for."""
_SHARD_BITS = 16


class StageRecords(Mapping[str, T], Generic[T]):
    """Records in the shards of a folder; of each 16 bytes are held."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._paths: dict[Path, int] = {}
        self._hashes, self._places = array("Q"), array("Q")
        self._sorted = True
        self._read = lru_cache(KEPT)(self._find)

    @classmethod
    def of(cls, folder: Path, kind: type[T]) -> StageRecords[T]:
        """All records of a folder."""
        shelf = cls(kind)
        for row in walk(folder):
            shelf.put(row)
        return shelf

    def put(self, row: ShardLine) -> None:
        """Note where a record is."""
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
