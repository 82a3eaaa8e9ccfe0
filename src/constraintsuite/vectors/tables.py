"""The Parquet tables of a bundle, and the temporary files in which documents are collected before they are sorted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.records.text import Document, Qrel, passage_of
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.vectors import files
from constraintsuite.vectors.survey import text_hash

try:
    import pyarrow as arrow
    from pyarrow import parquet
except ImportError:
    raise MissingExtraError("vectors", "A bundle of texts and vectors") from None

WRITER = f"pyarrow {version('pyarrow')}"
"""Another version may write other bytes for the same rows."""
_READ_ROWS = 4_096
PART_ROWS = 50_000
"""Documents per part of the corpus."""

_INT, _FLOAT, _TEXT, _LONG_TEXT = arrow.int64(), arrow.float64(), arrow.string(), arrow.large_string()


def _schema(columns: Mapping[str, arrow.DataType]) -> arrow.Schema:
    """The columns of a table; only those whose name ends in `?` may be null."""
    return arrow.schema(
        [arrow.field(name.rstrip("?"), kind, nullable=name.endswith("?")) for name, kind in columns.items()]
    )


_DRAWN = {
    "stratum?": arrow.dictionary(arrow.int16(), _TEXT),
    "inclusion_prob?": _FLOAT,
    "text_sha256?": arrow.binary(16),
}
DOCUMENT_COLUMNS = _schema({"row": _INT, "doc_id": _TEXT, "title?": _TEXT, "text?": _LONG_TEXT, **_DRAWN})
QUERY_COLUMNS = _schema({"row": _INT, "query_id": _TEXT, "text?": _LONG_TEXT, "coverage": _TEXT})
QREL_COLUMNS = _schema({"query_id": _TEXT, "doc_id": _TEXT, "relevance": arrow.int32()})
_GRADED = {"relevance": arrow.int32(), "in_subset": arrow.bool_()}
JUDGED_COLUMNS = _schema({"query_row": _INT, "doc_row?": _INT, "doc_id": _TEXT, **_GRADED})
_NEAREST = {"doc_rows": arrow.list_(_INT), "scores": arrow.list_(_FLOAT)}
NEAREST_COLUMNS = _schema({"query_row": _INT, **_NEAREST, "kth_score?": _FLOAT, "tied_beyond_k": _INT})


class DocumentRow(NamedTuple):
    """A document of a bundle; the text is None if only its vector is known."""

    row: int
    id: str
    title: str
    text: str | None
    stratum: str
    probability: float | None
    text_sha256: bytes | None

    @property
    def passage(self) -> str:
        """Title and text together, as an encoder reads them."""
        return passage_of(self.title, self.text or "")


class QueryRow(NamedTuple):
    """A query of a bundle."""

    row: int
    id: str
    text: str | None
    coverage: str
    """How many of its positives are in the bundle: full, partial, none; or unjudged."""


def document_row(row: int, name: str, title: str, text: str | None, stratum: str, chance: float | None) -> DocumentRow:
    """A row with the hash of its text, if the text is known."""
    digest = None if text is None else text_hash(passage_of(title, text))
    return DocumentRow(row, name, title, text, stratum, chance, digest)


def write_parquet(path: Path, schema: arrow.Schema, rows: Iterable[Sequence[object]]) -> int:
    """Write rows to a file that appears only when it is complete; returns the number of rows.

    A few thousand rows are in memory at a time; with a dictionary column all of them, since a dictionary covers the file.
    """
    at_once = None if any(arrow.types.is_dictionary(field.type) for field in schema) else _READ_ROWS
    count, iterator = 0, iter(rows)
    with atomic_writer(path) as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while (block := list(islice(iterator, at_once))) or not count:
            writer.write_table(_table(schema, block), row_group_size=_READ_ROWS)
            count += len(block)
            if not block:
                break
    return count


def _table(schema: arrow.Schema, rows: Sequence[Sequence[object]]) -> arrow.Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [arrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return arrow.Table.from_arrays(arrays, schema=schema)


def read_parquet(path: Path, columns: Sequence[str] | None = None, first: int = 0) -> Iterator[tuple[object, ...]]:
    """The rows of a file from row `first` on, read in batches."""
    number = 0
    with _naming(path), parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(_READ_ROWS, columns=columns):
            if number + len(batch) > first:
                part = batch.slice(max(0, first - number))
                yield from zip(*(column.to_pylist() for column in part.columns), strict=True)
            number += len(batch)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn an error of pyarrow into a UserError that names the file."""
    try:
        yield
    except (arrow.ArrowException, OSError) as error:
        raise UserError(f"{path}: this Parquet file cannot be read ({error}).") from None


def read_fixed(path: Path, column: str) -> bytes:
    """The values of a column of fixed width, concatenated; nulls are zero bytes."""
    with _naming(path):
        found = parquet.read_table(path, columns=[column]).column(0).combine_chunks()
    width = found.type.byte_width
    filled = found.fill_null(bytes(width))
    values: bytes = filled.buffers()[1].to_pybytes()
    return values[filled.offset * width : (filled.offset + len(filled)) * width]


def count_rows(path: Path) -> int:
    """The number of rows, from the metadata of the file."""
    with _naming(path):
        return int(parquet.read_metadata(path).num_rows)


def read_qrels(path: Path) -> Iterator[Qrel]:
    """The judgments of a bundle."""
    return (Qrel(*cast(tuple[str, str, int], row)) for row in read_parquet(path))


def write_judgments(folder: Path, queries: Iterable[QueryRow], qrels: Iterable[Qrel]) -> None:
    """Write the queries and the judgments of a bundle."""
    write_parquet(folder / files.QUERIES, QUERY_COLUMNS, queries)
    write_parquet(folder / files.QRELS, QREL_COLUMNS, ((qrel.query, qrel.document, qrel.grade) for qrel in qrels))


_BUFFER = 1 << 16


class BundleDocument(NamedTuple):
    """A document and its row in the bundle."""

    row: int
    document: Document
    twin: bool = False
    """Whether it is left out, since the document of that row has the same text."""


@dataclass(frozen=True)
class LooseParts:
    """Temporary files with the documents of each part of the corpus, unsorted; each part is then sorted by itself."""

    folder: Path
    rows: int

    @property
    def numbers(self) -> range:
        """The numbers of all parts."""
        return range(-(-self.rows // PART_ROWS))

    def file(self, number: int) -> Path:
        """The file with the unsorted documents of a part."""
        return self.folder / f"part-{number:05}.jsonl"

    def fill(self, placed: Iterable[BundleDocument]) -> None:
        """Write each document to the file of its part; none stays in memory."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            parts = [stack.enter_context(self.file(number).open("wb", buffering=_BUFFER)) for number in self.numbers]
            for row, document, twin in placed:
                record = (row, document.id) if twin else (row, document.id, document.title, document.text)
                parts[row // PART_ROWS].write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            for file in parts:
                file.flush()
                os.fsync(file.fileno())

    def read(self, number: int) -> tuple[list[tuple[int, str, str, str]], list[tuple[int, str]]]:
        """The documents of a part by row (row, id, title, text), and its twins (row of the kept document, id)."""
        with self.file(number).open("rb") as lines:
            records = sorted(tuple(json.loads(line)) for line in lines)
        return [each for each in records if len(each) == 4], [each for each in records if len(each) == 2]


T = TypeVar("T")
_STEP = 1_000


def counted(items: Iterable[T], advance: Callable[[int], None]) -> Iterator[T]:
    """The same items; `advance` is called after each thousand of them, and at the end."""
    count = 0
    for count, item in enumerate(items, 1):
        yield item
        if count % _STEP == 0:
            advance(_STEP)
    if count % _STEP:
        advance(count % _STEP)
