"""The Parquet files of a bundle: their columns, and how they are written and read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from constraintsuite.errors import MissingExtraError, UserError
from constraintsuite.records.text import Qrel
from constraintsuite.store.files import atomic_writer

try:
    import pyarrow as arrow
    from pyarrow import parquet
except ImportError:
    raise MissingExtraError("vectors", "A bundle of texts and vectors") from None

WRITER = f"pyarrow {version('pyarrow')}"
"""Another version may pack the same rows into other bytes."""
_READ_ROWS = 4_096

DOCUMENTS = arrow.schema(
    [
        arrow.field("row", arrow.int64(), nullable=False),
        arrow.field("doc_id", arrow.string(), nullable=False),
        arrow.field("title", arrow.string()),
        arrow.field("text", arrow.large_string()),
        arrow.field("stratum", arrow.dictionary(arrow.int16(), arrow.string())),
        arrow.field("inclusion_prob", arrow.float64()),
        arrow.field("text_sha256", arrow.binary(16)),
    ]
)
QUERIES = arrow.schema(
    [
        arrow.field("row", arrow.int64(), nullable=False),
        arrow.field("query_id", arrow.string(), nullable=False),
        arrow.field("text", arrow.large_string()),
        arrow.field("coverage", arrow.string(), nullable=False),
    ]
)
QRELS = arrow.schema(
    [
        arrow.field("query_id", arrow.string(), nullable=False),
        arrow.field("doc_id", arrow.string(), nullable=False),
        arrow.field("relevance", arrow.int32(), nullable=False),
    ]
)
JUDGED = arrow.schema(
    [
        arrow.field("query_row", arrow.int64(), nullable=False),
        arrow.field("doc_row", arrow.int64()),
        arrow.field("doc_id", arrow.string(), nullable=False),
        arrow.field("relevance", arrow.int32(), nullable=False),
        arrow.field("in_subset", arrow.bool_(), nullable=False),
    ]
)
NEAREST = arrow.schema(
    [
        arrow.field("query_row", arrow.int64(), nullable=False),
        arrow.field("doc_rows", arrow.list_(arrow.int64()), nullable=False),
        arrow.field("scores", arrow.list_(arrow.float64()), nullable=False),
        arrow.field("kth_score", arrow.float64()),
        arrow.field("tied_beyond_k", arrow.int64(), nullable=False),
    ]
)


class DocumentRow(NamedTuple):
    """A document of a bundle; the text is None where only its vector is known."""

    row: int
    id: str
    title: str
    text: str | None
    stratum: str
    probability: float | None
    text_sha256: bytes | None

    @property
    def passage(self) -> str:
        """What an encoder reads."""
        return passage(self.title, self.text or "")


class QueryRow(NamedTuple):
    """A query of a bundle."""

    row: int
    id: str
    text: str | None
    coverage: str
    """Which of its positives are in the bundle: full, partial, none; or unjudged."""


def passage(title: str, text: str) -> str:
    """Title and text as one, as everywhere in the product."""
    return f"{title} {text}".strip()


def text_hash(text: str) -> bytes:
    """Sixteen bytes that equal texts share."""
    return hashlib.sha256(text.encode()).digest()[:16]


def write_table(path: Path, schema: arrow.Schema, rows: Iterable[Sequence[object]]) -> int:
    """Write rows to a file that appears whole or not at all; gives how many there were."""
    columns: list[list[object]] = [[] for _ in schema]
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    arrays = [arrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    table = arrow.Table.from_arrays(arrays, schema=schema)
    with atomic_writer(path) as file:
        parquet.write_table(table, file, compression="zstd", row_group_size=_READ_ROWS)
    return int(table.num_rows)


def read_table(path: Path, columns: Sequence[str] | None = None, first: int = 0) -> Iterator[tuple[object, ...]]:
    """The rows of a file from number `first` on, never all in memory."""
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(_READ_ROWS, columns=columns):
                if number + len(batch) > first:
                    part = batch.slice(max(0, first - number))
                    yield from zip(*(column.to_pylist() for column in part.columns), strict=True)
                number += len(batch)
    except (arrow.ArrowException, OSError) as error:
        raise UserError(f"{path}: this Parquet file cannot be read after row {number} ({error}).") from None


def count_rows(path: Path) -> int:
    """How many rows a file has, by its own account."""
    try:
        return int(parquet.read_metadata(path).num_rows)
    except (arrow.ArrowException, OSError) as error:
        raise UserError(f"{path}: this Parquet file cannot be read ({error}).") from None


def read_qrels(path: Path) -> Iterator[Qrel]:
    """The judgments of a bundle."""
    for query, document, grade in read_table(path):
        assert isinstance(query, str)
        assert isinstance(document, str)
        assert isinstance(grade, int)
        yield Qrel(query, document, grade)
