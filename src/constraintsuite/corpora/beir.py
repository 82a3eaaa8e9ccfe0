"""A folder in the format of BEIR: corpus.jsonl, queries.jsonl and qrels/*.tsv."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Qrel, Query
from constraintsuite.corpora.base import STRICT, BadRows, SourceSettings
from constraintsuite.corpora.fields import read_query_rows
from constraintsuite.corpora.files import base_name, fingerprint_files
from constraintsuite.corpora.jsonl import JsonlSource, read_objects
from constraintsuite.corpora.judgments import read_qrels


class BeirSource(JsonlSource):
    """A corpus with its queries and judgments; `split` names one qrels file, otherwise all are read."""

    def __init__(self, settings: SourceSettings) -> None:
        super().__init__(settings)
        folder = Path(settings.source)
        self._queries = _plain_or_gzip(folder, "queries.jsonl")
        self._qrels = _qrels_files(folder, settings.split)

    def fingerprint(self) -> str:
        """SHA-256 of the files and the names of the fields."""
        files = (*self._files, *self._queries, *self._qrels)
        return fingerprint_files(files, "beir", self._fields, [file.name for file in files])

    def _find_files(self, source: str) -> list[Path]:
        corpus = _plain_or_gzip(Path(source), "corpus.jsonl")
        if not corpus:
            raise UserError(f"{source}: no corpus.jsonl in this folder, so it is not in the format of BEIR.")
        return corpus

    def queries(self, bad: BadRows = STRICT) -> Iterator[Query]:
        """The query of each line of queries.jsonl."""
        return read_query_rows((row for file in self._queries for row in read_objects(file, bad)), bad)

    def qrels(self, bad: BadRows = STRICT) -> Iterator[Qrel]:
        """The judgments of the qrels files, in the order of their names."""
        return (qrel for file in self._qrels for qrel in read_qrels(file, bad))


def _plain_or_gzip(folder: Path, name: str) -> list[Path]:
    """The file, plain or compressed; empty if there is none."""
    return [file for file in (folder / name, folder / f"{name}.gz") if file.is_file()][:1]


def _qrels_files(folder: Path, split: str | None) -> list[Path]:
    files = sorted((*(folder / "qrels").glob("*.tsv"), *(folder / "qrels").glob("*.tsv.gz")))
    if split is None:
        return files
    chosen = [file for file in files if file.name in (f"{split}.tsv", f"{split}.tsv.gz")]
    if not chosen:
        there = ", ".join(base_name(file) for file in files) or "none"
        raise UserError(f"{folder}: no qrels/{split}.tsv. The splits are: {there}.")
    return chosen
