"""The contract of this folder, and what the formats that are JSON share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from constraintsuite.annotate.records import Question
from constraintsuite.annotate.tables import Row
from constraintsuite.errors import UserError
from constraintsuite.store.files import write_text


@dataclass(frozen=True)
class Sheet:
    """What one annotator is asked: all that may be shown, and nothing else."""

    shown: tuple[str, ...]
    """Names of what is read: fields, then sides."""
    questions: tuple[Question, ...]
    rows: tuple[Mapping[str, str], ...]
    """Each with `row` and what is shown."""


class SheetFormat(Protocol):
    """A file that people, or a program that they use, can fill in."""

    def write(self, file: Path, sheet: Sheet) -> None:
        """Write an empty sheet; a file that is there already is a UserError."""

    def read(self, file: Path) -> tuple[tuple[str, ...], list[Row]]:
        """Columns, and the filled rows with their lines; answers as a person would write them."""


def write_json(file: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write a list of records."""
    refuse_existing(file)
    write_text(file, json.dumps(records, indent=1, ensure_ascii=False) + "\n")


def refuse_existing(file: Path) -> None:
    """A UserError if there is such a file."""
    if file.exists():
        raise UserError(f"{file}: is there already, and may hold somebody's work. Choose another name.")


def read_json(file: Path) -> list[dict[str, Any]]:
    """A list of records."""
    if not file.is_file():
        raise UserError(f"{file}: there is no such file.")
    try:
        found = json.loads(file.read_bytes())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise UserError(f"{file}: not valid JSON: {error}.") from None
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise UserError(f"{file}: this is no list of records. Was it exported as JSON?")
    return found


def columns_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Every name that a row has."""
    return tuple(dict.fromkeys(["row", *(name for row in rows for name in row.cells)]))
