"""What an importer gives, and what importers share: rows of a test set, from files or from the hub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    SATISFYING,
    VIOLATING,
    Example,
    ExampleDocument,
    ExampleSource,
    Spans,
    Split,
)
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.corpora.base import REASONS, BadRows, Reason, SourceSettings
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.recipe import TagSettings
from constraintsuite.suites.tags import tags_of_texts
from constraintsuite.text.overlap import BoundedMatcher


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
    """Reads a test set of one format from a file, a folder or the hub."""

    def __call__(self, source: str, split: str | None) -> ImportedSuite:
        """The test set at `source`, a file, a folder, or the name of a dataset on the hub."""


class WholeRows(BadRows):
    """A test set is read whole or not at all: figures on a part of it would compare with nobody's."""

    def add(self, where: str, reason: Reason, row: str) -> None:
        """Refuse the row at `where`."""
        raise UserError(
            f"{where}: this row cannot be used: {REASONS[reason]}. A test set is imported whole, so correct the row, or "
            "check that this is the right file."
        )


WHOLE: Final = WholeRows()
"""Keeps nothing, so all may share it."""


def read_rows(source: str, split: str | None, known: str) -> list[FileRecord]:
    """The rows of a JSONL or JSON file, or of a split (test unless said) of a dataset on the hub such as `known`."""
    path = Path(source)
    if path.is_file():
        return list(read_objects(path, WHOLE))
    if path.is_dir():
        return list(read_objects(_split_file(path, split or "test"), WHOLE))
    if source.count("/") != 1 or path.suffix in (".json", ".jsonl"):
        raise UserError(f"{source}: there is no such file, and it is not a name on the hub such as {known}.")
    return _hub_rows(source, split or "test")


def name_source(source: str) -> str:
    """What a source is called: a file or folder by its own name, wherever it lies, a dataset on the hub by its whole name."""
    path = Path(source)
    if not path.exists():
        return source
    return path.name if path.name not in ("", "..") else path.resolve().name or source  # "." and ".." are no names


def hash_rows(rows: Sequence[FileRecord]) -> str:
    """SHA-256 of what stands in the rows, wherever they came from."""
    return sha256_text(*(f"{key}\x1f{value}" for row in rows for key, value in sorted(row.values.items())))


def hash_files(*files: Path) -> str:
    """One SHA-256 of the contents of several files, in this order."""
    return sha256_text(*(sha256_of(file) for file in files))


def text_of(row: FileRecord, key: str) -> str:
    """A field that must be a text which is not empty."""
    value = row.values.get(key)
    if not isinstance(value, str) or not value.strip():
        there = ", ".join(sorted(map(str, row.values)))
        raise UserError(f"{row.where}: the field {key!r} is missing or empty. The row has: {there}.")
    return value


def one_of(row: FileRecord, keys: Sequence[str]) -> str:
    """The first of these fields that the row has."""
    found = next((key for key in keys if key in row.values), None)
    if found is None:
        there = ", ".join(sorted(map(str, row.values)))
        raise UserError(f"{row.where}: none of the fields {', '.join(keys)} is there. The row has: {there}.")
    return found


def _split_file(folder: Path, split: str) -> Path:
    for ending in (".jsonl", ".json", ".jsonl.gz"):
        file = folder / f"{split}{ending}"
        if file.is_file():
            return file
    raise UserError(f"{folder}: holds no {split}.jsonl. Name the file itself, or another --split.")


def _hub_rows(source: str, split: str) -> list[FileRecord]:
    from constraintsuite.corpora.hub import HubSource  # noqa: PLC0415 - the extra is needed for the hub alone

    return list(HubSource(SourceSettings(source=source, split=split)).rows())


_TOKEN = re.compile(r"\S+")


def make_pair(
    identity: str,
    slice_name: str,
    *,
    query: str,
    opposite: str | None = None,
    documents: tuple[Document, Document],
    split: Split,
    clusters: tuple[str, ...],
    notes: tuple[str, ...] = (),
) -> Example:
    """An example in which `query` wants the first document and `opposite`, if there is one, the second.

    What the source does not say stays unsaid: there is no constraint, no topic and no difficulty.
    """
    better, worse = documents
    return Example(
        id=identity,
        slice=slice_name,
        constraint=None,
        query=query,
        opposite=opposite,
        topic=None,
        restated=None,
        documents=(
            ExampleDocument(SATISFYING, better.id, better.title, better.text, better.id),
            ExampleDocument(VIOLATING, worse.id, worse.title, worse.text, worse.id),
        ),
        preferences=(QUERY_PREFERENCE,) if opposite is None else (QUERY_PREFERENCE, OPPOSITE_PREFERENCE),
        source=ExampleSource(slice_name, identity),
        split=split,
        couple="",
        clusters=clusters,
        template="GIVEN",
        template_family="given",
        tags=tags_of_texts(better.text, worse.text, TagSettings()),
        notes=notes,
    )


def find_changes(first: str, second: str) -> tuple[Spans, Spans]:
    """Where each of two texts differs from the other, in whole words; more coarsely where long texts repeat themselves."""
    one, other = list(_TOKEN.finditer(first)), list(_TOKEN.finditer(second))
    matcher = BoundedMatcher([t[0] for t in one], [t[0] for t in other])
    changes = [(a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
    return (
        tuple(_spans(one, ((a, b) for a, b, _, _ in changes))),
        tuple(_spans(other, ((c, d) for _, _, c, d in changes))),
    )


def _spans(tokens: list[re.Match[str]], ranges: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    yield from ((tokens[start].start(), tokens[end - 1].end()) for start, end in ranges if end > start)
