"""What a sheet format is, the format CSV, and code that the JSON formats share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import write_text
from constraintsuite.suites.annotation.records import NOTHING, AnnotationQuestion, WrongValue
from constraintsuite.suites.annotation.tables import (
    RowFault,
    SheetRow,
    read_csv,
    refuse,
    refuse_existing,
    write_csv,
)


@dataclass(frozen=True)
class AnnotationSheet:
    """All that one annotator is asked and may see."""

    shown: tuple[str, ...]
    """Headings of the texts: fields, then sides."""
    questions: tuple[AnnotationQuestion, ...]
    rows: tuple[Mapping[str, str], ...]
    """One row per task: its id under `row`, and its texts by heading."""


@dataclass(frozen=True)
class SheetFormat:
    """Writes and reads files that people, or a program that they use, can fill in."""

    write: Callable[[Path, AnnotationSheet], None]
    """Writes an empty sheet. Raises UserError if the file exists."""
    read: Callable[[Path], tuple[tuple[str, ...], list[SheetRow]]]
    """Returns the columns and the filled rows, with answers as a person would write them."""


def write_json(file: Path, content: object) -> None:
    """Write a new JSON file. Raises UserError if the file exists."""
    refuse_existing(file)
    write_text(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def companion_file(file: Path, ending: str) -> Path:
    """The path of a second file next to a sheet. Raises UserError if either exists, or both would be the same file."""
    companion = file.with_suffix(ending)
    if companion == file:
        raise UserError(
            f"{file}: the name of the sheet cannot end in {ending}, because another file of that name is written. Choose another ending."
        )
    refuse_existing(companion)
    refuse_existing(file)
    return companion


def options_of(question: AnnotationQuestion) -> tuple[str, ...]:
    """The options that a program offers. For any number of options, "none" is one, since no mark means no answer."""
    return (*question.options, NOTHING) if question.kind == "choices" else question.options


RowAnswers = tuple[str, Mapping[str, Sequence[str]]]
"""The id of a row, and what was marked or written, by question."""


def read_records(
    file: Path, answers_in: Callable[[dict[str, Any]], Iterable[RowAnswers]], layout: str
) -> tuple[tuple[str, ...], list[SheetRow]]:
    """Read columns and rows from a JSON list of records, numbered from 1; `answers_in` reads one record.

    All faults are reported at once; `layout` tells how the program writes a correct file.
    """
    rows: list[SheetRow] = []
    faults: list[RowFault] = []
    for number, record in enumerate(_read_list(file), 1):
        try:
            rows += [SheetRow(number, {**_cells(marked), "row": row}) for row, marked in answers_in(record)]
        except WrongValue as error:
            faults.append(RowFault(number, str(error)))
        except (KeyError, TypeError, AttributeError):
            faults.append(RowFault(number, f"this is not as {layout}."))
    refuse(file, faults)
    if not rows:
        raise UserError(f"{file}: nothing in it has been submitted yet.")
    return tuple(dict.fromkeys(["row", *(name for row in rows for name in row.cells)])), rows


def as_texts(value: object) -> list[str]:
    """One marked or written value, or several, as a list of texts."""
    return [str(part) for part in value] if isinstance(value, list) else [str(value)]


def _cells(marked: Mapping[str, Sequence[str]]) -> dict[str, str]:
    for name, values in marked.items():
        if NOTHING in values and len(values) > 1:
            raise WrongValue(f"{name}: {NOTHING!r} is marked together with something else.")
    return {name: "; ".join(values) for name, values in marked.items()}


def _read_list(file: Path) -> list[dict[str, Any]]:
    if not file.is_file():
        raise UserError(f"{file}: there is no such file.")
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file}: not valid JSON: {error}.") from None
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise UserError(f"{file}: this is not a list of records. Was it exported as JSON?")
    return found


def _write_csv(file: Path, sheet: AnnotationSheet) -> None:
    """One column for the row, each text, each question, and notes."""
    write_csv(file, ("row", *sheet.shown, *(question.id for question in sheet.questions), "note"), sheet.rows)


CSV = SheetFormat(_write_csv, lambda file: read_csv(file, ("row",)))
