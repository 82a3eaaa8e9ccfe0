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

from constraintsuite.core.statistics.union_find import UnionFind
from constraintsuite.text.terms import words

SHINGLE = 5
PERMUTATIONS = 128
BANDS = 32
SEED = 20_260
BLOCK = 1024
"""Texts per block of the file of sketches."""
TOGETHER = 2
"""Bands in memory at a time; fewer mean that the file is read more often."""
SHINGLED = 256
"""Texts whose shingles are cached, since a text is often compared with several others."""
TILE = SHINGLED // 2
"""Texts of a group that are compared with the same number of others at a time."""
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)
SketchKeys = npt.NDArray[np.uint64]
TextPositions = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Sketches:
    """MinHash sketches of many texts, in a temporary file; only one number per text is in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` is where the file is (256 bytes per text), by default the folder for temporary files."""
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
        """The index of the first text of each text's cluster; single-link clusters of pairs at or above `threshold`.

        `read` gives a text by its index; only candidates are read.
        """
        self._write()
        clusters = _Clusters(self._written, lru_cache(SHINGLED)(lambda index: _shingles(read(index))), threshold)
        for first in range(0, BANDS, TOGETHER):
            columns = self._columns(first)
            for number in range(TOGETHER):
                for group in _groups(columns[number]):
                    if clusters.is_open(group):
                        clusters.compare(group, self._shared_before(group, first + number))
        return clusters.firsts()

    def _write(self) -> None:
        digests = self._block[: self._waiting].reshape(-1, BANDS, PERMUTATIONS // BANDS)
        keys = np.zeros(digests.shape[:2], dtype=np.uint64)
        for row in range(digests.shape[2]):
            keys = (keys + digests[:, :, row]) * _MIX  # a collision only costs a comparison
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
        """Whether a text of a group was already compared with others of it, in an earlier band; all by their places in the group."""
        rows = np.empty((len(group), band), dtype=np.uint64)
        for place, index in enumerate(group):
            self._file.seek(index * BANDS * 8)
            rows[place] = np.frombuffer(self._file.read(band * 8), dtype=np.uint64)
        return lambda one, others: (rows[others] == rows[one]).any(axis=1)


def _groups(keys: SketchKeys) -> Iterator[list[int]]:
    """The indexes of each key that occurs more than once, in order."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    edges = np.flatnonzero(np.diff(ordered[1:] == ordered[:-1], prepend=False, append=False))
    del ordered
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        yield order[begin : end + 1].tolist()


class _Clusters:
    """Clusters of texts, which grow as texts are compared."""

    def __init__(self, count: int, shingles: Callable[[int], set[str]], threshold: float) -> None:
        self._parts = UnionFind(count)
        self._shingles, self._threshold = shingles, threshold

    def is_open(self, group: Sequence[int]) -> bool:
        """Whether the texts of a group are in more than one cluster."""
        return len({self._parts.first(index) for index in group}) > 1

    def compare(self, group: Sequence[int], were_compared: Callable[[int, TextPositions], Flags]) -> None:
        """Compare the texts of a group that are in different clusters and have not `were_compared` before.

        This goes tile by tile, since the shingles of two tiles fit into the cache, but a complete group may not.
        """
        roots = np.array([self._parts.first(index) for index in group])
        tiles = [slice(begin, begin + TILE) for begin in range(0, len(group), TILE)]
        for number, late in enumerate(tiles):
            for early in tiles[: number + 1]:
                if (roots[early] != roots[late.start]).any() or (roots[late] != roots[late.start]).any():
                    for place in range(len(group))[late]:
                        self._compare(group, roots, place, early, were_compared)

    def _compare(
        self,
        group: Sequence[int],
        roots: TextPositions,
        place: int,
        tile: slice,
        were_compared: Callable[[int, TextPositions], Flags],
    ) -> None:
        """Compare one text of a group with those before it in a tile, and update `roots`."""
        others = tile.start + np.flatnonzero(roots[tile.start : min(tile.stop, place)] != roots[place])
        if len(others):
            others = others[~were_compared(place, others)]
        while (alike := self._first_alike(group, place, others)) is not None:
            first, second = sorted((int(roots[place]), int(roots[alike])))
            self._parts.join((first, second))
            roots[roots == second] = first
            others = others[(others > alike) & (roots[others] != first)]

    def _first_alike(self, group: Sequence[int], place: int, others: TextPositions) -> int | None:
        """The first of the other places whose text is similar enough."""
        if not len(others):
            return None
        shingles = self._shingles(group[place])
        for other in map(int, others):
            if jaccard(shingles, self._shingles(group[other])) >= self._threshold:
                return other
        return None

    def firsts(self) -> array[int]:
        """The first text of each text's cluster."""
        return self._parts.firsts()


def jaccard(a: set[str], b: set[str]) -> float:
    """The Jaccard index: common elements over all; 0 for two empty sets."""
    shared = len(a & b)
    union = len(a) + len(b) - shared
    return shared / union if union else 0.0


def _shingles(text: str) -> set[str]:
    tokens = words(text)
    return {" ".join(tokens[i : i + SHINGLE]) for i in range(max(1, len(tokens) - SHINGLE + 1))}
