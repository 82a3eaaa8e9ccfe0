"""QUEST (Malaviya et al. 2023): queries that intersect, unite and subtract categories of Wikipedia, with all their answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.importers.base import WHOLE, ImportedSuite, hash_files, list_of, require_files, text_of

_GROUPS = ("template", "domain")
_ABOUT = (
    "QUEST: queries with implicit set operations over categories of Wikipedia, with the titles of all documents that answer. Nothing "
    "says which documents break a condition, so there are no pairs: use `csuite retrieve-eval`, with `--by template` for the set "
    "operation, or `--by domain`."
)


def read(source: str, split: str | None) -> ImportedSuite:
    """A folder with SPLIT.jsonl (train, val or test) and the unpacked `documents.jsonl`."""
    part = split or "test"
    advice = "Choose another file with --split (train, val or test), and unpack documents.zip."
    examples, corpus = require_files(source, (f"{part}.jsonl", "documents.jsonl"), advice)
    documents = _documents(corpus)
    rows = {f"{part}_{number:05d}": row for number, row in enumerate(read_objects(examples, WHOLE), 1)}
    if not rows:
        raise UserError(f"{examples}: holds no query.")
    qrels = tuple(Qrel(name, title, 1) for name, row in rows.items() for title in _titles(row))
    titles = {qrel.document for qrel in qrels}
    missing = titles - documents.keys()
    if missing == titles:
        raise UserError(
            f"{corpus}: holds none of the titles that answer, such as {min(titles)!r}. Is it QUEST's corpus?"
        )
    gap = (
        f" Not in the collection, and so never found, are {len(missing):,} of the titles that answer."
        if missing
        else ""
    )
    return ImportedSuite(
        "quest",
        _ABOUT + gap,
        hash_files(examples, corpus),
        part,
        documents=tuple(documents.values()),
        queries=tuple(Query(name, text_of(row, "query"), _groups(row)) for name, row in rows.items()),
        qrels=qrels,
    )


def _documents(file: Path) -> dict[str, Document]:
    """The documents by their titles, which are their ids."""
    found: dict[str, Document] = {}
    for row in read_objects(file, WHOLE):
        title, text = text_of(row, "title"), row.values.get("text")
        if not isinstance(text, str):
            raise UserError(f"{row.where}: the field 'text' must be a text.")
        if title in found:
            raise UserError(f"{row.where}: a document with the title {title!r} was there before.")
        found[title] = Document(title, text, title)
    return found


def _titles(row: FileRecord) -> list[str]:
    """The titles of the documents that answer, each once."""
    titles = list_of(row, "docs")
    if not titles or not all(isinstance(title, str) for title in titles):
        raise UserError(f"{row.where}: the field 'docs' must be a list of at least one title.")
    return list(dict.fromkeys(map(str, titles)))


def _groups(row: FileRecord) -> dict[str, str]:
    """The set operation and the domain, where the row has them."""
    metadata = row.values.get("metadata")
    values = metadata if isinstance(metadata, Mapping) else {}
    return {key: str(values[key]) for key in _GROUPS if values.get(key)}
