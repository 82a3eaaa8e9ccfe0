"""What an importer gives, and what importers share: reading rows from files or the hub, and making examples of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
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
from constraintsuite.core.records.text import Candidates, Document, InstructionChange, Qrel, Query
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.corpora.base import BadRows, SourceSettings
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.recipe import TagSettings
from constraintsuite.suites.tags import tags_of_texts
from constraintsuite.text.overlap import BoundedMatcher


@dataclass(frozen=True)
class ImportedSuite:
    """A test set: pairs to compare, a collection to search, or both."""

    name: str
    about: str
    """Sentences for the card."""
    content: str
    """SHA-256 of what was read."""
    split: str
    """The split that was read, by its name in the source."""
    examples: tuple[Example, ...] = ()
    controls: tuple[Example, ...] = ()
    documents: tuple[Document, ...] = ()
    queries: tuple[Query, ...] = ()
    qrels: tuple[Qrel, ...] = ()
    violations: tuple[Qrel, ...] = ()
    """Documents that a query excludes; the grade has no meaning."""
    candidates: tuple[Candidates, ...] = ()
    changes: tuple[InstructionChange, ...] = ()


class Importer(Protocol):
    """Reads a test set of one format from a file, a folder or the hub."""

    def __call__(self, source: str, split: str | None) -> ImportedSuite:
        """The test set at `source`, a file, a folder, or the name of a dataset on the hub."""


WHOLE: Final = BadRows(
    advice="A test set is imported completely, so correct the row, or check that this is the right file."
)
"""Refuses every broken row: figures on a part of a test set could not be compared with published ones."""


def read_rows(source: str, split: str | None, known: str) -> list[FileRecord]:
    """The rows of a JSON or JSONL file, or of a split (by default test) in a folder or of a dataset on the hub like `known`."""
    path = Path(source)
    if path.is_file():
        return list(read_objects(path, WHOLE))
    if path.is_dir():
        return list(read_objects(_split_file(path, split or "test"), WHOLE))
    if source.count("/") != 1 or path.suffix in (".json", ".jsonl"):
        raise UserError(f"{source}: there is no such file, and it is not a name on the hub such as {known}.")
    return _hub_rows(source, split or "test")


def name_source(source: str) -> str:
    """The name of a source: of a file or folder without its path, of a dataset on the hub as it is."""
    path = Path(source)
    if not path.exists():
        return source
    return path.name if path.name not in ("", "..") else path.resolve().name or source  # "." and ".." are not names


def hash_rows(rows: Sequence[FileRecord]) -> str:
    """SHA-256 of the fields of rows, whatever file they are from."""
    return sha256_text(*(f"{key}\x1f{value}" for row in rows for key, value in sorted(row.values.items())))


def hash_files(*files: Path) -> str:
    """One SHA-256 of the contents of several files, in this order."""
    return sha256_text(*(sha256_of(file) for file in files))


def text_of(row: FileRecord, key: str) -> str:
    """The text in a field of a row. Raises UserError if it is missing or empty."""
    value = row.values.get(key)
    if not isinstance(value, str) or not value.strip():
        fields = ", ".join(sorted(map(str, row.values)))
        raise UserError(f"{row.where}: the field {key!r} is missing or empty. The row has: {fields}.")
    return value


def id_of(row: FileRecord, key: str) -> str:
    """The id in a field of a row, a text or an integer. Raises UserError if it is neither."""
    value = row.values.get(key)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text_of(row, key).strip()


def list_of(row: FileRecord, key: str) -> list[object]:
    """The list in a field of a row. Raises UserError if it is missing or something else."""
    value = row.values.get(key)
    if not isinstance(value, list):
        raise UserError(f"{row.where}: the field {key!r} must be a list.")
    return value


def require_files(source: str, names: Sequence[str], advice: str) -> list[Path]:
    """The paths of files in a folder. Raises UserError, with the names that are missing, if it does not hold all."""
    missing = [name for name in names if not (Path(source) / name).is_file()]
    if missing:
        raise UserError(f"{source}: expected a folder with {', '.join(names)}. Missing: {', '.join(missing)}. {advice}")
    return [Path(source) / name for name in names]


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
    """An example in which `query` wants the first document and `opposite`, if given, the second.

    It has no constraint, topic or difficulty, since the source does not state them.
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


MOST_PAIRS: Final = 10
"""Pairs that are made of the judged documents of one query."""


def judged_pairs(
    prefix: str, slice_name: str, query: Query, better: Sequence[Document], worse: Sequence[Document], split: Split
) -> Iterator[Example]:
    """Examples in which a document of `better` is preferred to one of `worse`, at most ten, chosen by hash."""
    couples = [(a, b) for a in better for b in worse if a.text != b.text]
    couples.sort(key=lambda couple: stable_hash(prefix, query.id, couple[0].id, couple[1].id))
    for number, (a, b) in enumerate(couples[:MOST_PAIRS]):
        pair = make_pair(
            f"{prefix}_{query.id}_{number}",
            slice_name,
            query=query.text,
            documents=(a, b),
            split=split,
            clusters=(f"query_{query.id}", a.id, b.id),
        )
        yield replace(pair, tags={**pair.tags, **query.tags})


def find_changes(first: str, second: str) -> tuple[Spans, Spans]:
    """The places where each of two texts differs from the other, in whole words; coarser in long repetitive texts."""
    one, other = list(_TOKEN.finditer(first)), list(_TOKEN.finditer(second))
    matcher = BoundedMatcher([t[0] for t in one], [t[0] for t in other])
    changes = [(a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
    return (
        tuple((one[a].start(), one[b - 1].end()) for a, b, _, _ in changes if b > a),
        tuple((other[c].start(), other[d - 1].end()) for _, _, c, d in changes if d > c),
    )
