"""Tables: TSV, in which quotes have no meaning, and CSV, in which they do."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.fields import Fields, FileRecord
from constraintsuite.corpora.files import FileLine, FileSource, decode, escape, read_lines

_HEADERLESS = {2: ("id", "text"), 3: ("id", "title", "text")}
_LONGEST_RECORD = 1 << 24
_LONGEST_FIELD = (1 << 31) - 1


Cells = tuple[str, Sequence[str]]
"""The place of a record, and its cells."""


class TsvSource(FileSource):
    """The records of a TSV file, or of all such files in a folder."""

    kind = "tsv"
    endings = (".tsv",)

    def _records(self, path: Path, bad: BadRows) -> Iterator[FileRecord]:
        return read_delimited(path, self.kind, self._fields, bad)


class CsvSource(TsvSource):
    """The records of a CSV file, or of all such files in a folder."""

    kind = "csv"
    endings = (".csv",)


def read_delimited(path: Path, kind: str, fields: Fields, bad: BadRows) -> Iterator[FileRecord]:
    """The records of a table by column names: from its header, or else the usual ones."""
    names: Sequence[str] = ()
    for where, cells in _READERS[kind](path, bad):
        if not names:
            header = _is_header(cells, fields)
            names = [cell.strip() for cell in cells] if header else _names_by_position(where, len(cells), fields)
            if header:
                continue
        if len(cells) == len(names):
            yield FileRecord(where, dict(zip(names, cells, strict=True)))
        else:
            bad.add(where, "wrong_columns", "\t".join(cells))


def read_tsv(path: Path, bad: BadRows) -> Iterator[Cells]:
    """The records of a TSV file: one per line, with tabs between cells."""
    for line in read_lines(path):
        text = decode(line, bad)
        if text is not None and text.strip():
            yield line.where, text.split("\t")


def read_csv(path: Path, bad: BadRows) -> Iterator[Cells]:
    """The records of a CSV file; a quoted field may hold commas, doubled quotes and line ends."""
    csv.field_size_limit(_LONGEST_FIELD)  # a global setting, by default too small for a document
    lines = _Lines(read_lines(path))
    reader = csv.reader(lines, strict=True)
    while True:
        lines.begin_record()
        try:
            cells = next(reader, None)
        except csv.Error:
            broken = lines.retry_from_second()
            bad.add(broken.where, "broken_quotes", escape(broken.data))
            reader = csv.reader(lines, strict=True)
            continue
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield lines.record[0].where, cells


_READERS: Mapping[str, Callable[[Path, BadRows], Iterator[Cells]]] = {"tsv": read_tsv, "csv": read_csv}


def _is_header(first: Sequence[str], fields: Fields) -> bool:
    if fields.chosen:
        return not _by_number(fields)
    return any(cell.strip().lower() in fields.usual for cell in first)


def _names_by_position(where: str, columns: int, fields: Fields) -> Sequence[str]:
    if _by_number(fields):
        return [str(position) for position in range(1, columns + 1)]
    if columns in _HEADERLESS:
        return _HEADERLESS[columns]
    raise UserError(
        f"{where}: {columns} column{'' if columns == 1 else 's'}, and no header with a usual name. Without a header "
        "there must be two (id, text) or three (id, title, text). Name a column of the header with --text-field, or "
        "give the columns' numbers: --id-field 1 --text-field 4."
    )


def _by_number(fields: Fields) -> bool:
    return bool(fields.chosen) and all(name.isdecimal() for name in fields.chosen)


class _Lines:
    """Lines for the CSV reader; they can be read again if a quote that is never closed has swallowed good ones."""

    def __init__(self, lines: Iterator[FileLine]) -> None:
        self._lines = lines
        self._again: deque[FileLine] = deque()
        self.record: list[FileLine] = []
        self._size = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self._size > _LONGEST_RECORD:
            raise csv.Error("a quoted field is too long")
        line = self._again.popleft() if self._again else next(self._lines)
        self.record.append(line)
        self._size += len(line.data) if len(self.record) > 1 else 0  # a single line may have any length
        return escape(line.data)

    def begin_record(self) -> None:
        """Forget the lines of the previous record."""
        self.record.clear()
        self._size = 0

    def retry_from_second(self) -> FileLine:
        """Give up the first line of this record and return it; the lines after it are read again."""
        first, *others = self.record
        self._again.extendleft(reversed(others))
        return first
