"""The corpus that comes with the package: short passages written for it, free for any use."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from constraintsuite.corpora.base import STRICT, BadRows, Source, SourceSettings
from constraintsuite.corpora.fields import document_fields, read_documents
from constraintsuite.corpora.files import fingerprint_files
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.corpora.judged import read_queries
from constraintsuite.records.text import Document, Query


class SampleSource(Source):
    """The bundled passages and queries, files in the order of their names."""

    def __init__(self, settings: SourceSettings) -> None:
        self.name = "sample"
        folder = Path(str(files("constraintsuite.corpora") / "sample"))
        self._corpus = sorted(folder.glob("*.jsonl"))
        self._queries = sorted(folder.glob("*.queries.tsv"))
        self._fields = document_fields(settings)

    @property
    def licence(self) -> str:
        """The licence of the texts."""
        return "CC0-1.0"

    def fingerprint(self) -> str:
        """SHA-256 of the files."""
        return fingerprint_files((*self._corpus, *self._queries), "sample", self._fields)

    def documents(self, bad: BadRows) -> Iterator[Document]:
        """Every passage."""
        rows = (row for file in self._corpus for row in read_objects(file, bad))
        return read_documents(rows, self._fields, bad)

    def queries(self, bad: BadRows = STRICT) -> Iterator[Query]:
        """Every query."""
        return (query for file in self._queries for query in read_queries(file, bad))
