"""Vectors that another bundle has already, found by the hash of the text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from constraintsuite.vectors.bundle import VECTORS, Bundle
from constraintsuite.vectors.matrices import Matrix, map_matrix
from constraintsuite.vectors.vectorset import DOCUMENTS_FILE

_HASH = np.dtype([("first", ">u8"), ("second", ">u8")])


class KnownVectors:
    """The documents of a bundle by text; sixteen bytes are kept of each, and their vectors stay on disk."""

    def __init__(self, bundle: Bundle, encoder: str) -> None:
        self._vectors: Matrix = map_matrix(bundle.path / VECTORS / encoder / DOCUMENTS_FILE)
        hashes = _hashes_of(bundle)
        self._order = np.argsort(hashes["first"], kind="stable")
        self._sorted = hashes[self._order]

    def find(self, hashes: Sequence[bytes]) -> tuple[npt.NDArray[np.int64], Matrix]:
        """Which of the texts are known, and their vectors."""
        wanted = np.frombuffer(b"".join(hashes), dtype=_HASH)
        places = np.minimum(np.searchsorted(self._sorted["first"], wanted["first"]), len(self._sorted) - 1)
        known = np.flatnonzero(self._sorted[places] == wanted)
        return known, self._vectors[self._order[places[known]]]


def _hashes_of(bundle: Bundle) -> npt.NDArray[np.void]:
    joined = bytearray()
    for value in bundle.column("text_sha256"):
        joined += cast(bytes, value)
    return np.frombuffer(joined, dtype=_HASH)


def open_known(folders: Sequence[Path], encoder: str) -> list[KnownVectors]:
    """The bundles that are worth asking."""
    return [KnownVectors(Bundle.open(folder), encoder) for folder in folders]
