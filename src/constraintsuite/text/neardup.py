"""Clusters of near-duplicate texts: MinHash finds candidates, exact Jaccard of word shingles decides."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Self

import numpy as np
import numpy.typing as npt
from rensa import RMinHash

from constraintsuite.text.terms import words

SHINGLE = 5
PERMUTATIONS = 128
BANDS = 32
SEED = 20_260
BLOCK = 1024
"""Texts whose sketches are read or written at once."""
TOGETHER = 2
"""Bands that are in memory at once; with fewer the sketches are read more often."""
SHINGLED = 256
"""Texts whose shingles are kept, since a text is often compared with several."""
TILE = SHINGLED // 2
"""Texts of a group that are compared with as many others at a time."""
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)
SketchKeys = npt.NDArray[np.uint64]
TextPositions = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Sketches:
    """MinHash sketches of many texts, in a file that nobody else sees: of a text only a number is held."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` is where the file goes, 256 bytes per text; by default where the system keeps such files."""
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - closed with the sketches
        self._block = np.empty((BLOCK, PERMUTATIONS), dtype=np.uint32)
        self._waiting = 0
        self._written = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, text: str) -> None:
        """Sketch the next text; its index is the number of texts before it."""
        sketch = RMinHash(PERMUTATIONS, SEED)
        sketch.update(sorted(_shingles(text)))
        self._block[self._waiting] = sketch.digest()
        self._waiting += 1
        if self._waiting == BLOCK:
            self._write()

    def clusters(self, read: Callable[[int], str], threshold: float) -> array[int]:
        """For each text the index of the first of its cluster; single-link over pairs at or above `threshold`.

        `read` gives a text by its index, for the few to compare.
        """
        self._write()
        joining = _Joining(self._written, lru_cache(SHINGLED)(lambda index: _shingles(read(index))), threshold)
        for first in range(0, BANDS, TOGETHER):
            columns = self._columns(first)
            for beside in range(TOGETHER):
                for group in _groups(columns[beside]):
                    if joining.is_open(group):
                        joining.compare(group, self._shared_before(group, first + beside))
        return joining.roots()

    def _write(self) -> None:
        digests = self._block[: self._waiting].reshape(-1, BANDS, PERMUTATIONS // BANDS)
        keys = np.zeros(digests.shape[:2], dtype=np.uint64)
        for row in range(digests.shape[2]):
            keys = (keys + digests[:, :, row]) * _MIX  # two bands that only collide are compared in vain, and no more
        self._file.seek(0, 2)
        self._file.write(keys.tobytes())
        self._written += self._waiting
        self._waiting = 0

    def _columns(self, first: int) -> SketchKeys:
        columns = np.empty((TOGETHER, self._written), dtype=np.uint64)
        self._file.seek(0)
        for begin in range(0, self._written, BLOCK):
            block = np.frombuffer(self._file.read(BLOCK * BANDS * 8), dtype=np.uint64).reshape(-1, BANDS)
            columns[:, begin : begin + len(block)] = block[:, first : first + TOGETHER].T
        return columns

    def _shared_before(self, group: Sequence[int], band: int) -> Callable[[int, TextPositions], Flags]:
        """Whether one of a group met others of it, all by their places in it, in an earlier band: then they were compared."""
        rows = np.empty((len(group), band), dtype=np.uint64)
        for place, index in enumerate(group):
            self._file.seek(index * BANDS * 8)
            rows[place] = np.frombuffer(self._file.read(band * 8), dtype=np.uint64)
        return lambda one, others: (rows[others] == rows[one]).any(axis=1)


def _groups(keys: SketchKeys) -> Iterator[list[int]]:
    """The indexes of equal keys, in order, for all keys that stand twice or more."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    edges = np.flatnonzero(np.diff(ordered[1:] == ordered[:-1], prepend=False, append=False))
    del ordered
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        yield order[begin : end + 1].tolist()


class _Joining:
    """Clusters that grow together; each text points towards the first of its cluster."""

    def __init__(self, count: int, shingles: Callable[[int], set[str]], threshold: float) -> None:
        self._parent = array("q", range(count))
        self._shingles, self._threshold = shingles, threshold

    def is_open(self, group: Sequence[int]) -> bool:
        """Whether a group is of more than one cluster so far."""
        return len({self._root(index) for index in group}) > 1

    def compare(self, group: Sequence[int], met: Callable[[int, TextPositions], Flags]) -> None:
        """Compare all of a group that are not of one cluster, and have not `met` before.

        Tile by tile: the shingles of two tiles are kept, those of a whole group may not be, and would be read for each pair.
        """
        roots = np.array([self._root(index) for index in group])
        tiles = [slice(begin, begin + TILE) for begin in range(0, len(group), TILE)]
        for number, late in enumerate(tiles):
            for early in tiles[: number + 1]:
                if (roots[early] != roots[late.start]).any() or (roots[late] != roots[late.start]).any():
                    for place in range(len(group))[late]:
                        self._compare(group, roots, place, early, met)

    def _compare(
        self,
        group: Sequence[int],
        roots: TextPositions,
        place: int,
        tile: slice,
        met: Callable[[int, TextPositions], Flags],
    ) -> None:
        """Compare one of a group with those before it in a tile; `roots` are kept as they are now."""
        others = tile.start + np.flatnonzero(roots[tile.start : min(tile.stop, place)] != roots[place])
        if len(others):
            others = others[~met(place, others)]
        while (alike := self._first_alike(group, place, others)) is not None:
            first, second = sorted((int(roots[place]), int(roots[alike])))
            self._parent[second] = first
            roots[roots == second] = first
            others = others[(others > alike) & (roots[others] != first)]

    def _first_alike(self, group: Sequence[int], place: int, others: TextPositions) -> int | None:
        """The first of other places whose text is like that of a place."""
        if not len(others):
            return None
        shingles = self._shingles(group[place])
        for other in map(int, others):
            if jaccard(shingles, self._shingles(group[other])) >= self._threshold:
                return other
        return None

    def roots(self) -> array[int]:
        """The first text of the cluster of each."""
        for index in range(len(self._parent)):
            self._parent[index] = self._root(index)
        return self._parent

    def _root(self, index: int) -> int:
        parent = self._parent
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index


def jaccard(a: set[str], b: set[str]) -> float:
    """Shared over all; 0 for two empty sets."""
    shared = len(a & b)
    union = len(a) + len(b) - shared
    return shared / union if union else 0.0


def _shingles(text: str) -> set[str]:
    tokens = words(text)
    return {" ".join(tokens[i : i + SHINGLE]) for i in range(max(1, len(tokens) - SHINGLE + 1))}
