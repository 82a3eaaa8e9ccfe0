"""The contract of this folder, and what the formats that are JSON share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import write_text
from constraintsuite.suites.annotation.records import NOTHING, AnnotationQuestion, WrongValue
from constraintsuite.suites.annotation.tables import (
    RowFault,
    SheetRow,
    read_table,
    refuse,
    refuse_existing,
    write_table,
)


@dataclass(frozen=True)
class AnnotationSheet:
    """What one annotator is asked: all that may be shown, and nothing else."""

    shown: tuple[str, ...]
    """Names of what is read: fields, then sides."""
    questions: tuple[AnnotationQuestion, ...]
    rows: tuple[Mapping[str, str], ...]
    """Each with `row` and what is shown."""


class SheetFormat(Protocol):
    """A file that people, or a program that they use, can fill in."""

    def write(self, file: Path, sheet: AnnotationSheet) -> None:
        """Write an empty sheet; a file that is there already is a UserError."""

    def read(self, file: Path) -> tuple[tuple[str, ...], list[SheetRow]]:
        """Columns, and the filled rows with their lines; answers as a person would write them."""


def write_json(file: Path, content: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
    """Write a new JSON file; one that is there already is a UserError."""
    refuse_existing(file)
    write_text(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def file_beside(file: Path, ending: str) -> Path:
    """A second file of the same name; if either is there already, or both were the same, a UserError."""
    beside = file.with_suffix(ending)
    if beside == file:
        raise UserError(
            f"{file}: the name of the sheet cannot end in {ending}, because another file of that name is written. Choose another ending."
        )
    refuse_existing(beside)
    refuse_existing(file)
    return beside


def options_of(question: AnnotationQuestion) -> tuple[str, ...]:
    """What can be marked: none at all is a mark of its own, since what is left empty is no answer."""
    return (*question.options, NOTHING) if question.kind == "choices" else question.options


RowAnswers = tuple[str, Mapping[str, Sequence[str]]]
"""The name of a row, and what was marked or written under each name."""


def read_records(
    file: Path, answers: Callable[[dict[str, Any]], Iterable[RowAnswers]], program: str
) -> tuple[tuple[str, ...], list[SheetRow]]:
    """Columns and rows of a list of records, numbered from 1; all that a program would not write is told at once."""
    rows: list[SheetRow] = []
    faults: list[RowFault] = []
    for number, record in enumerate(_read_json(file), 1):
        try:
            rows += [SheetRow(number, {**_cells(marked), "row": name}) for name, marked in answers(record)]
        except WrongValue as error:
            faults.append(RowFault(number, str(error)))
        except (KeyError, TypeError, AttributeError):
            faults.append(RowFault(number, f"this is not as {program}."))
    refuse(file, faults)
    if not rows:
        raise UserError(f"{file}: nothing in it has been submitted yet.")
    return tuple(dict.fromkeys(["row", *(name for row in rows for name in row.cells)])), rows


def _cells(marked: Mapping[str, Sequence[str]]) -> dict[str, str]:
    for name, said in marked.items():
        if NOTHING in said and len(said) > 1:
            raise WrongValue(f"{name}: {NOTHING!r} is marked beside something else.")
    return {name: "; ".join(said) for name, said in marked.items()}


def _read_json(file: Path) -> list[dict[str, Any]]:
    if not file.is_file():
        raise UserError(f"{file}: there is no such file.")
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file}: not valid JSON: {error}.") from None
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise UserError(f"{file}: this is not a list of records. Was it exported as JSON?")
    return found


class Spreadsheet:
    """One line a row, one column a question, and one for notes."""

    def write(self, file: Path, sheet: AnnotationSheet) -> None:
        """Write the table; no cell is a formula."""
        columns = ("row", *sheet.shown, *(question.id for question in sheet.questions), "note")
        write_table(file, columns, sheet.rows)

    def read(self, file: Path) -> tuple[tuple[str, ...], list[SheetRow]]:
        """Columns and filled rows of a CSV file."""
        return read_table(file, ("row",))
