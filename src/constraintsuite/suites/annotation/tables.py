"""CSV for spreadsheets: written so that no cell is a formula, and read back with line numbers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from constraintsuite.core.errors import UserError, refuse_faults
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import describe

_SIGNS = "=+\\-@＝＋－＠"  # a cell that begins with one of these is a formula
_BEGINS = re.compile(rf"['\t\r\n]| *[{_SIGNS}]")
# A program that expects ; or tab as the separator begins a new cell inside a cell, even inside quotes.
_BORDER = rf"([;\t\r\n])(?={{}}[ \"']*[{_SIGNS}])"
_INSIDE, _GUARDED = re.compile(_BORDER.format("")), re.compile(_BORDER.format("'") + "'")
_LONGEST_CELL = 1 << 24
M = TypeVar("M", bound=BaseModel)


class SheetRow(NamedTuple):
    """A row of a table, and the line on which it begins."""

    line: int
    cells: Mapping[str, str]


class RowFault(NamedTuple):
    """A fault in a file, and its line."""

    line: int
    text: str


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write a CSV file in UTF-8, or a TSV file.

    Raises UserError if the file exists, since it may hold a person's work.
    """
    refuse_existing(path)
    text = io.StringIO()
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    writer = csv.DictWriter(text, columns, delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: harmless(cell) for name, cell in row.items()} for row in rows)
    write_text(path, text.getvalue())


def refuse_existing(path: Path) -> None:
    """Raise a UserError if the file exists."""
    if path.exists():
        raise UserError(f"{path}: this file already exists, and may hold somebody's work. Choose another name.")


def harmless(cell: str) -> str:
    """Put an apostrophe before each part of a cell that a spreadsheet would run as a formula."""
    inside = _INSIDE.sub(r"\1'", cell)
    return f"'{inside}" if _BEGINS.match(inside) else inside


def plain(cell: str) -> str:
    """Remove the apostrophes of `harmless`. Some spreadsheets drop the first one themselves."""
    inside = cell[1:] if cell.startswith("'") and _BEGINS.match(cell, 1) else cell
    return _GUARDED.sub(r"\1", inside)


def read_csv(path: Path, needed: Sequence[str]) -> tuple[tuple[str, ...], list[SheetRow]]:
    """Read columns and rows of a CSV file as spreadsheets write it. Rows without any text are left out."""
    rows = _read_rows(path)
    columns = tuple(cell.strip() for cell in rows[0][1]) if rows else ()
    missing = [name for name in needed if name not in columns]
    if missing or len(set(columns)) < len(columns):
        what = f"the columns {', '.join(missing)} are missing" if missing else "two columns have the same name"
        raise UserError(f"{path}:1: {what}; there are: {', '.join(columns) or 'none'}.")
    wide = [(line, len(cells)) for line, cells in rows if len(cells) > len(columns)]
    refuse(path, [RowFault(line, f"{count} cells under {len(columns)} columns.") for line, count in wide])
    empty = dict.fromkeys(columns, "")
    filled = [(line, [plain(cell).strip() for cell in cells]) for line, cells in rows[1:]]
    return columns, [SheetRow(line, empty | dict(zip(columns, cells, strict=False))) for line, cells in filled]


def _read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """The rows that hold any text, with the lines on which they begin."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    try:
        text = path.read_text(encoding="utf-8-sig")  # spreadsheets may write a byte order mark
    except UnicodeDecodeError:
        raise UserError(f"{path}: this is not UTF-8. Save it as CSV in UTF-8.") from None
    delimiter = max(",;\t", key=text.partition("\n")[0].count)  # in some languages spreadsheets write ;
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, line = [], 1
    try:
        for cells in reader:
            rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"{path}:{line}: {error}. Was the file cut short, or a quote lost?") from None
    return [(line, cells) for line, cells in rows if any(map(str.strip, cells))]


def read_models(path: Path, kind: type[M], key: str) -> list[tuple[int, M]]:
    """Read the rows of a table as records, with their lines. All faults are reported at once.

    Two rows with the same value in the column `key` are a fault, too.
    """
    columns, rows = read_csv(path, [name for name, field in kind.model_fields.items() if field.is_required()])
    unknown = [name for name in columns if name not in kind.model_fields]
    if unknown:
        raise UserError(
            f"{path}:1: unknown columns, perhaps misspelt: {', '.join(unknown)}. There are: {', '.join(kind.model_fields)}."
        )
    found: list[tuple[int, M]] = []
    faults: list[RowFault] = []
    first: dict[str, int] = {}
    for line, cells in rows:
        try:
            found.append((line, kind.model_validate({name: cell for name, cell in cells.items() if cell})))
        except ValidationError as error:
            faults.append(RowFault(line, describe(error)))
        if cells[key] and first.setdefault(cells[key], line) != line:
            faults.append(RowFault(line, f"the {key} {cells[key]!r} is already in line {first[cells[key]]}."))
    refuse(path, faults)
    return found


def refuse(path: Path, faults: Iterable[RowFault]) -> None:
    """Raise a UserError that lists all faults, if there are any."""
    refuse_faults([f"{path}:{fault.line}: {fault.text}" for fault in sorted(faults)])
