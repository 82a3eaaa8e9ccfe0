"""The one contract of this folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from constraintsuite.records.examples import Example
from constraintsuite.records.text import Document, Qrel, Query


@dataclass(frozen=True)
class ImportedSuite:
    """A test set as it was read: pairs to compare, a collection to search, or both."""

    name: str
    about: str
    """What it is, for the card: sentences."""
    content: str
    """SHA-256 of what was read."""
    split: str
    """Which split was read, as the source calls it."""
    examples: tuple[Example, ...] = ()
    controls: tuple[Example, ...] = ()
    documents: tuple[Document, ...] = ()
    queries: tuple[Query, ...] = ()
    qrels: tuple[Qrel, ...] = ()
    violations: tuple[Qrel, ...] = ()
    """Documents that a query forbids; the grade has no meaning."""


class Importer(Protocol):
    """Reads a test set."""

    def __call__(self, source: str, split: str | None) -> ImportedSuite:
        """The test set at `source`, a file, a folder, or the name of a dataset on the hub."""
