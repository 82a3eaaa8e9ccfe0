"""The Parquet files of a bundle: their columns, and how they are written and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from constraintsuite.errors import MissingExtraError, UserError
from constraintsuite.records.text import Qrel
from constraintsuite.store.files import atomic_writer
from constraintsuite.vectors.survey import passage

try:
    import pyarrow as arrow
    from pyarrow import parquet
except ImportError:
    raise MissingExtraError("vectors", "A bundle of texts and vectors") from None

WRITER = f"pyarrow {version('pyarrow')}"
"""Another version may pack the same rows into other bytes."""
_READ_ROWS = 4_096

DOCUMENT_COLUMNS = arrow.schema(
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
QUERY_COLUMNS = arrow.schema(
    [
        arrow.field("row", arrow.int64(), nullable=False),
        arrow.field("query_id", arrow.string(), nullable=False),
        arrow.field("text", arrow.large_string()),
        arrow.field("coverage", arrow.string(), nullable=False),
    ]
)
QREL_COLUMNS = arrow.schema(
    [
        arrow.field("query_id", arrow.string(), nullable=False),
        arrow.field("doc_id", arrow.string(), nullable=False),
        arrow.field("relevance", arrow.int32(), nullable=False),
    ]
)
JUDGED_COLUMNS = arrow.schema(
    [
        arrow.field("query_row", arrow.int64(), nullable=False),
        arrow.field("doc_row", arrow.int64()),
        arrow.field("doc_id", arrow.string(), nullable=False),
        arrow.field("relevance", arrow.int32(), nullable=False),
        arrow.field("in_subset", arrow.bool_(), nullable=False),
    ]
)
NEAREST_COLUMNS = arrow.schema(
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


def write_table(path: Path, schema: arrow.Schema, rows: Iterable[Sequence[object]]) -> int:
    """Write rows to a file that appears whole or not at all; gives how many there were.

    Some thousand of them are in memory at a time; all, where a column is kept by a dictionary, which is of the whole file.
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


def read_fixed(path: Path, column: str) -> bytes:
    """The values of a column of fixed width, one behind the other; nulls are zero bytes."""
    try:
        found = parquet.read_table(path, columns=[column]).column(0).combine_chunks()
    except (arrow.ArrowException, OSError) as error:
        raise UserError(f"{path}: this Parquet file cannot be read ({error}).") from None
    width = found.type.byte_width
    filled = found.fill_null(bytes(width))
    values: bytes = filled.buffers()[1].to_pybytes()
    return values[filled.offset * width : (filled.offset + len(filled)) * width]


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
