"""Tables for spreadsheets: CSV out, in which nothing is a formula, and CSV in, each row with its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from constraintsuite.core.errors import UserError, refuse_faults
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import describe

_SIGNS = "=+\\-@＝＋－＠"  # with these a spreadsheet begins to calculate, or to call other programs
_BEGINS = re.compile(rf"['\t\r\n]| *[{_SIGNS}]")
# A program that takes ; or tab for the border of cells sees quotes inside a cell as text, and begins a new one in it.
_BORDER = rf"([;\t\r\n])(?={{}}[ \"']*[{_SIGNS}])"
_INSIDE, _GUARDED = re.compile(_BORDER.format("")), re.compile(_BORDER.format("'") + "'")
_LONGEST_CELL = 1 << 24
M = TypeVar("M", bound=BaseModel)


class SheetRow(NamedTuple):
    """A row of a table, and the line on which it begins."""

    line: int
    cells: Mapping[str, str]


class RowFault(NamedTuple):
    """What is wrong, and in which line."""

    line: int
    text: str


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write a CSV file in UTF-8, or a TSV file; one that is there already is a UserError, since it may hold a person's work."""
    refuse_existing(path)
    text = io.StringIO()
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    writer = csv.DictWriter(text, columns, delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: harmless(cell) for name, cell in row.items()} for row in rows)
    write_text(path, text.getvalue())


def refuse_existing(path: Path) -> None:
    """A UserError if there is such a file."""
    if path.exists():
        raise UserError(f"{path}: this file already exists, and may hold somebody's work. Choose another name.")


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula, nor any part of it: an apostrophe says that it is text."""
    inside = _INSIDE.sub(r"\1'", cell)
    return f"'{inside}" if _BEGINS.match(inside) else inside


def plain(cell: str) -> str:
    """What stood in a cell before it was made harmless; some spreadsheets drop the first apostrophe themselves."""
    inside = cell[1:] if cell.startswith("'") and _BEGINS.match(cell, 1) else cell
    return _GUARDED.sub(r"\1", inside)


def read_table(path: Path, needed: Sequence[str]) -> tuple[tuple[str, ...], list[SheetRow]]:
    """Columns and rows of a CSV file as spreadsheets write it; rows without any text are left out."""
    reader = csv.reader(io.StringIO(_text_of(path), newline=""), delimiter=_delimiter(path), strict=True)
    rows = list(_records(path, reader))
    columns = tuple(cell.strip() for cell in rows[0].cells.values()) if rows else ()
    missing = [name for name in needed if name not in columns]
    if missing or len(set(columns)) < len(columns):
        what = f"the columns {', '.join(missing)} are missing" if missing else "two columns have the same name"
        raise UserError(f"{path}:1: {what}; there are: {', '.join(columns) or 'none'}.")
    wide = [
        RowFault(row.line, f"{len(row.cells)} cells under {len(columns)} columns.")
        for row in rows
        if len(row.cells) > len(columns)
    ]
    refuse(path, wide)
    return columns, [
        SheetRow(line, {name: plain(cells.get(str(place), "")).strip() for place, name in enumerate(columns)})
        for line, cells in rows[1:]
    ]


def read_models(path: Path, kind: type[M]) -> list[tuple[int, M]]:
    """The rows of a table as records, with their lines; all that does not fit is told at once."""
    columns, rows = read_table(path, [name for name, field in kind.model_fields.items() if field.is_required()])
    unknown = [name for name in columns if name not in kind.model_fields]
    if unknown:
        raise UserError(
            f"{path}:1: unknown columns, perhaps misspelt: {', '.join(unknown)}. There are: {', '.join(kind.model_fields)}."
        )
    found: list[tuple[int, M]] = []
    faults: list[RowFault] = []
    for row in rows:
        try:
            found.append((row.line, kind.model_validate({name: cell for name, cell in row.cells.items() if cell})))
        except ValidationError as error:
            faults.append(RowFault(row.line, describe(error)))
    refuse(path, faults)
    return found


def refuse(path: Path, faults: Iterable[RowFault]) -> None:
    """A UserError with all faults, unless there are none."""
    refuse_faults([f"{path}:{fault.line}: {fault.text}" for fault in sorted(faults)])


def _text_of(path: Path) -> str:
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    try:
        return path.read_text(encoding="utf-8-sig")  # spreadsheets put a mark at the beginning
    except UnicodeDecodeError:
        raise UserError(f"{path}: this is not UTF-8. Save it as CSV in UTF-8.") from None


def _delimiter(path: Path) -> str:
    header = _text_of(path).partition("\n")[0]
    return max(",;\t", key=header.count)  # as spreadsheets of some languages do


def _records(path: Path, reader: Iterator[list[str]]) -> Iterator[SheetRow]:
    csv.field_size_limit(_LONGEST_CELL)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield SheetRow(line, {str(place): cell for place, cell in enumerate(cells)})
            line = reader.line_num + 1  # type: ignore[attr-defined]
    except csv.Error as error:
        _broken(path, line, error)


def _broken(path: Path, line: int, error: csv.Error) -> NoReturn:
    raise UserError(f"{path}:{line}: {error}. Was the file cut short, or a quote lost?") from None
