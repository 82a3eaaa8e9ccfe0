"""Opens the source that a user named: finds its format and applies the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.core.store.mirror import fetch_url, is_url
from constraintsuite.corpora import SOURCES
from constraintsuite.corpora.base import STRICT, BadRows, NoDocumentsError, Source, SourceSettings
from constraintsuite.corpora.files import ending, require_file
from constraintsuite.corpora.folder import prose_files
from constraintsuite.corpora.judgments import read_qrels, read_queries

_NAMES: Mapping[str, str] = {"sample": "sample"}
_PREFIXES: Mapping[str, str] = {"irds:": "irds", "hf:": "hub"}
_ENDINGS: Mapping[str, str] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".tsv": "tsv",
    ".csv": "csv",
    ".parquet": "parquet",
    ".trec": "trec",
    ".sgml": "trec",
    ".sgm": "trec",
    ".md": "folder",
    ".markdown": "folder",
    ".txt": "folder",
}
_CONTENTS: tuple[tuple[str, str], ...] = (
    ("corpus.jsonl", "beir"),
    ("corpus.jsonl.gz", "beir"),
    ("*.parquet", "parquet"),
    ("*.jsonl", "jsonl"),
    ("*.jsonl.gz", "jsonl"),
)


def open_source(settings: SourceSettings) -> Source:
    """The source that the settings name, with their limit; their queries and judgments replace the source's own."""
    here = _with_local_files(settings)
    return _Opened(SOURCES.load(_format_of(here))(here), here, settings.source)


def find_format(settings: SourceSettings) -> str:
    """The format of a source: the chosen one, or else by its name, its prefix, the files in it, or its ending."""
    return _format_of(_with_local_files(settings))


def _with_local_files(settings: SourceSettings) -> SourceSettings:
    """The settings with URLs of object stores replaced by paths of local copies."""
    named = {"source": settings.source, "queries": settings.queries, "qrels": settings.qrels}
    urls = {field: place for field, place in named.items() if place is not None and is_url(place)}
    return settings.model_copy(update={field: str(fetch_url(url)) for field, url in urls.items()})


def _format_of(settings: SourceSettings) -> str:
    source, path = settings.source, Path(settings.source)
    if settings.format != "auto":
        return settings.format
    named = _NAMES.get(source) or next((kind for start, kind in _PREFIXES.items() if source.startswith(start)), None)
    if named is not None:
        return named
    if path.is_dir():
        return _format_of_folder(path)
    if path.exists():
        found = _ENDINGS.get(ending(path))
        if found is not None:
            return found
        raise UserError(
            f"{source}: the format cannot be recognised from the name. Known endings, also with .gz: "
            f"{', '.join(_ENDINGS)}. Say what it is with --format {'|'.join(SOURCES.names())}."
        )
    if find_spec("ir_datasets") is not None:
        from ir_datasets import registry  # noqa: PLC0415 - an extra, and slow to load

        if source in registry:  # an id may be given without its prefix, if there is no file of that name
            return "irds"
    names = ", ".join((*_NAMES, *(f"{prefix}…" for prefix in _PREFIXES)))
    raise UserError(f"{source}: there is no such file or folder, and it is not one of the names {names}.")


def _format_of_folder(folder: Path) -> str:
    for pattern, kind in _CONTENTS:
        if any(file.is_file() for file in folder.glob(pattern)):
            return kind
    if prose_files(folder):
        return "folder"
    raise UserError(
        f"{folder}: no known file in this folder. Looked for {', '.join(pattern for pattern, _ in _CONTENTS)}, and for "
        ".md, .markdown and .txt files in it and below. Other files: give one, or say what they are with --format."
    )


class _Opened(Source):
    """A source with the limit, queries and judgments of the settings."""

    def __init__(self, source: Source, settings: SourceSettings, shown: str) -> None:
        self.name = source.name
        self._source = source
        self._limit = settings.limit
        self._shown = shown
        self._queries = Path(settings.queries) if settings.queries else None
        self._qrels = Path(settings.qrels) if settings.qrels else None
        for file in (self._queries, self._qrels):
            if file is not None:
                require_file(file)

    @property
    def licence(self) -> str:
        return self._source.licence

    def fingerprint(self) -> str:
        files = ("" if file is None else sha256_of(file) for file in (self._queries, self._qrels))
        return sha256_text(self._source.fingerprint(), str(self._limit), *files)

    def size(self) -> int | None:
        known = self._source.size()
        return known if known is None or self._limit is None else min(known, self._limit)

    def documents(self, bad: BadRows) -> Iterator[Document]:
        count = 0
        for document in self._source.documents(bad):
            yield document
            count += 1
            if count == self._limit:
                return
        if count == 0:
            reasons = ", ".join(f"{reason} {number}" for reason, number in bad.counts.items())
            left_out = f" All {bad.counts.total()} rows were left out: {reasons}." if reasons else ""
            raise NoDocumentsError(f"{self._shown}: no documents.{left_out}")

    def queries(self, bad: BadRows = STRICT) -> Iterator[Query]:
        return self._source.queries(bad) if self._queries is None else read_queries(self._queries, bad)

    def qrels(self, bad: BadRows = STRICT) -> Iterator[Qrel]:
        return self._source.qrels(bad) if self._qrels is None else read_qrels(self._qrels, bad)
