"""Vectors that another bundle has already, found by the hash of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.vectors.bundle import VECTORS, Bundle
from constraintsuite.vectors.folder import locked
from constraintsuite.vectors.matrices import Matrix, map_matrix
from constraintsuite.vectors.vectorset import DOCUMENTS_FILE

_HASH = np.dtype([("first", ">u8"), ("second", ">u8")])


class KnownVectors:
    """The documents of a bundle by text; sixteen bytes are kept of each, and their vectors stay on disk."""

    def __init__(self, bundle: Bundle, encoder: str) -> None:
        self._vectors: Matrix = map_matrix(bundle.path / VECTORS / encoder / DOCUMENTS_FILE)
        hashes = np.frombuffer(bundle.text_hashes(), dtype=_HASH)
        self._order = np.argsort(hashes["first"], kind="stable")
        self._sorted = hashes[self._order]

    def find(self, hashes: Sequence[bytes]) -> tuple[npt.NDArray[np.int64], Matrix]:
        """Which of the texts are known, and their vectors."""
        wanted = np.frombuffer(b"".join(hashes), dtype=_HASH)
        places = np.minimum(np.searchsorted(self._sorted["first"], wanted["first"]), len(self._sorted) - 1)
        known = np.flatnonzero(self._sorted[places] == wanted)
        return known, self._vectors[self._order[places[known]]]


_held: dict[tuple[Path, str], KnownVectors] = {}  # a worker process has no other way to keep them between two shards


def open_known(folders: Sequence[Path], encoder: str) -> list[KnownVectors]:
    """The bundles that are worth asking, each read once in a process."""
    for folder in folders:
        if (folder, encoder) not in _held:
            _held[folder, encoder] = KnownVectors(Bundle.open_unverified(folder), encoder)
    return [_held[folder, encoder] for folder in folders]


@contextmanager
def reading_known(folders: Sequence[Path]) -> Iterator[None]:
    """While the block runs nobody replaces these bundles; when it ends, this process keeps nothing of them."""
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(locked(folder))
        try:
            yield
        finally:
            _held.clear()
