"""The bundled corpus: short passages that were written for it, free for any use."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from constraintsuite.core.records.text import Query
from constraintsuite.corpora.base import STRICT, BadRows, SourceSettings
from constraintsuite.corpora.files import fingerprint_files
from constraintsuite.corpora.jsonl import JsonlSource
from constraintsuite.corpora.judgments import read_queries

_FOLDER = Path(str(files("constraintsuite.corpora") / "sample"))


class SampleSource(JsonlSource):
    """The bundled passages and queries, in the order of their files."""

    def __init__(self, settings: SourceSettings) -> None:
        super().__init__(settings.model_copy(update={"source": str(_FOLDER)}))
        self._queries = sorted(_FOLDER.glob("*.queries.tsv"))

    @property
    def licence(self) -> str:
        """The licence of the texts."""
        return "CC0-1.0"

    def fingerprint(self) -> str:
        """SHA-256 of the bundled files and the names of the fields."""
        return fingerprint_files((*self._files, *self._queries), "sample", self._fields)

    def queries(self, bad: BadRows = STRICT) -> Iterator[Query]:
        """Every query of the bundled files."""
        return (query for file in self._queries for query in read_queries(file, bad))
