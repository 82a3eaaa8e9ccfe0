"""To which stratum a document belongs: by the length of its text, or by a field of its metadata."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.records.text import Document

LENGTH = "length"
MISSING = "(none)"
_MOST = 1_000


class StrataReader:
    """Numbers the strata as they come; two bytes are kept of each document."""

    def __init__(self, by: str) -> None:
        self._by = by
        self._numbers: dict[str, int] = {}
        self._codes = array("H")

    def reading(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The same documents, each noted as it passes; a second reading begins anew."""
        self._codes = array("H")
        for document in documents:
            self._codes.append(self._number(stratum_of(document, self._by)))
            yield document

    def _number(self, name: str) -> int:
        if name not in self._numbers and len(self._numbers) == _MOST:
            raise UserError(f"--strata {self._by}: more than {_MOST:,} different values. Choose a field with fewer.")
        return self._numbers.setdefault(name, len(self._numbers))

    def result(self) -> tuple[npt.NDArray[np.uint16], list[str]]:
        """Which stratum each document belongs to, and the names of the strata in order."""
        if list(self._numbers) == [MISSING]:
            raise UserError(f"--strata {self._by}: no document has a field of that name.")
        names = sorted(self._numbers, key=_in_order)
        renumbered = np.zeros(len(names), dtype=np.uint16)
        for number, name in enumerate(names):
            renumbered[self._numbers[name]] = number
        return renumbered[np.frombuffer(self._codes, dtype=np.uint16)], names


def stratum_of(document: Document, by: str) -> str:
    """Its length in words, doubled from bucket to bucket, or the value of the field."""
    if by != LENGTH:
        return document.metadata.get(by, MISSING)
    words = len(document.text.split())
    top = max(16, 1 << max(0, words - 1).bit_length())
    return f"{top // 2 + 1 if top > 16 else 1}-{top} words"


def _in_order(name: str) -> tuple[int, str]:
    """Lengths as numbers, all else as text."""
    first = name.partition("-")[0]
    return (int(first) if name.endswith(" words") and first.isdecimal() else 0, name)
