"""The two stages that everything is mined from, read side by side as often as needed, and never held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraintsuite.records.text import Document
from constraintsuite.suites.corpus.numbering import Numbering
from constraintsuite.suites.corpus.shelf import StageRecords
from constraintsuite.suites.corpus.walking import ShardLine, walk_both
from constraintsuite.suites.reading.records import ScopesRead
from constraintsuite.text.base import Scope


@dataclass(frozen=True)
class Corpus:
    """Documents and what was read of them."""

    folder: Path
    mentions: Path

    @cached_property
    def numbering(self) -> Numbering:
        """The number of each document."""
        return Numbering(self.folder)

    @cached_property
    def documents(self) -> StageRecords[Document]:
        """By id."""
        return StageRecords.of(self.folder, Document)

    @cached_property
    def scopes(self) -> StageRecords[ScopesRead]:
        """By id; without documents that broke the reading."""
        return StageRecords.of(self.mentions, ScopesRead)

    def passages(self) -> Iterator[tuple[int, ShardLine, ShardLine]]:
        """The number of each document that was read, its line, and that of its reading."""
        numbers = self.numbering.numbers
        for passage in walk_both(self.folder, self.mentions):
            yield int(numbers[passage.place]), passage.document, passage.reading

    def scoped(self, wanted: npt.NDArray[np.bool_]) -> Iterator[tuple[int, Document, tuple[Scope, ...]]]:
        """The wanted documents, by number, with where negation and doubt reach in them."""
        for number, document, reading in self.passages():
            if wanted[number]:
                yield number, document.parse(Document), reading.parse(ScopesRead).scopes
