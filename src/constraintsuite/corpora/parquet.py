"""Parquet files, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.fields import Fields, FileRecord
from constraintsuite.corpora.files import FileSource

try:
    import pyarrow as arrow
    from pyarrow.parquet import ParquetFile
except ImportError:
    raise MissingExtraError("parquet", "Reading Parquet files") from None

_BATCH_ROWS = 1024


class ParquetSource(FileSource):
    """The rows of a Parquet file, or of all such files in a folder; numbered from 1."""

    kind = "parquet"
    endings = (".parquet",)

    def _records(self, path: Path, bad: BadRows) -> Iterator[FileRecord]:
        number = 0
        try:
            with ParquetFile(path) as file:
                columns = [column.name for column in file.schema_arrow if _is_used(column, self._fields)]
                for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
                    for values in _texts_as_bytes(batch).to_pylist():
                        number += 1
                        yield FileRecord(f"{path}:{number}", values)
        except (arrow.ArrowException, OSError) as error:
            raise UserError(f"{path}: this Parquet file cannot be read after row {number} ({error}).") from None


def _is_used(column: arrow.Field, fields: Fields) -> bool:
    """Whether a column can be a text or metadata; columns of images, vectors and lists are not read."""
    if column.name in (*fields.chosen, "metadata") or column.name.lower() in fields.usual:
        return True
    kinds = arrow.types
    single = (kinds.is_primitive, kinds.is_string, kinds.is_large_string, kinds.is_decimal, kinds.is_dictionary)
    return any(is_kind(column.type) for is_kind in single)


def _texts_as_bytes(batch: arrow.RecordBatch) -> arrow.RecordBatch:
    """The batch with its texts as bytes, so that a text which is not UTF-8 is the fault of its row and not of the batch."""
    casts = {arrow.string(): arrow.binary(), arrow.large_string(): arrow.large_binary()}
    schema = arrow.schema([(field.name, casts.get(field.type, field.type)) for field in batch.schema])
    return batch.cast(schema)
