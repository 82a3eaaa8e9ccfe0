"""Sheets with questions and files with answers: CSV, TSV or JSON lines, as the ending of the name says."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from constraintsuite.errors import UserError
from constraintsuite.execution.shards import stable_hash
from constraintsuite.experiments.load import load_suite
from constraintsuite.records.examples import Example, Preference
from constraintsuite.store.files import write_text
from constraintsuite.store.jsonl import describe, encode, read_lines

T = TypeVar("T")
COLUMNS = ("example", "query", "first", "second", "choice", "annotator")


class AnswerRow(BaseModel):
    """A line of a sheet; other columns are the user's own."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, coerce_numbers_to_str=True)
    example: str = Field(validation_alias=AliasChoices("example", "id", "example_id"))
    query: str = ""
    first: str = ""
    second: str = ""
    choice: str
    annotator: str = ""


class ReadRow(NamedTuple):
    """A row, or what is wrong with it, and the number of its (last) line."""

    line: int
    row: AnswerRow | None
    fault: str = ""


def write_sheet(suite: Path, file: Path, *, sample: int | None = None, seed: int = 0) -> int:
    """Write a blank sheet for a suite, each question once; gives how many there are."""
    writer = _by_ending(file, _WRITERS)
    loaded = load_suite(suite)
    if file.exists():
        raise UserError(f"{file}: is there already, and may hold answers. Choose another name.")
    rows = []
    for question, example in draw_questions([*loaded.examples, *loaded.controls], sample, seed).items():
        first, second = shown_order(question, seed)
        rows.append(AnswerRow(example=example, query=question.query, first=first, second=second, choice=""))
    write_text(file, writer(rows))
    return len(rows)


def read_rows(file: Path) -> Iterator[ReadRow]:
    """The rows of a file; one that lacks a column that is needed is a UserError."""
    if not file.is_file():
        raise UserError(f"{file}: there is no such file.")
    return _by_ending(file, _READERS)(file)


def _by_ending(file: Path, table: Mapping[str, T]) -> T:
    found = table.get(file.suffix.lower())
    if found is None:
        raise UserError(f"{file}: the name must end in {', '.join(table)}, which says how it is written.")
    return found


def _write_table(rows: Sequence[AnswerRow], delimiter: str) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.model_dump() for row in rows)
    return text.getvalue()


def _write_lines(rows: Sequence[AnswerRow]) -> str:
    return "".join(f"{encode(row).decode()}\n" for row in rows)


def _read_table(file: Path, delimiter: str | None) -> Iterator[ReadRow]:
    try:
        text = file.read_text(encoding="utf-8-sig")  # spreadsheets put a mark at the beginning
    except UnicodeDecodeError:
        raise UserError(f"{file}: this is not UTF-8. Save it as CSV in UTF-8.") from None
    header = text.partition("\n")[0]
    chosen = delimiter or (";" if header.count(";") > header.count(",") else ",")  # as some spreadsheets do
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=chosen)
    columns = reader.fieldnames or []
    if "choice" not in columns or not {"example", "id", "example_id"} & set(columns):
        named = ", ".join(columns) or "none"
        raise UserError(f"{file}: needs the columns example and choice in its first line; it has: {named}.")
    try:
        for cells in reader:
            yield _row({key: value for key, value in cells.items() if key and value is not None}, reader.line_num)
    except csv.Error as error:
        raise UserError(f"{file}:{reader.line_num}: {error}.") from None


def _row(cells: Mapping[str, str], line: int) -> ReadRow:
    try:
        return ReadRow(line, AnswerRow.model_validate(cells))
    except ValidationError as error:
        return ReadRow(line, None, describe(error))


def _read_lines(file: Path) -> Iterator[ReadRow]:
    for line in read_lines(file, AnswerRow):
        yield ReadRow(line.number, line.record, line.fault)


_WRITERS: Mapping[str, Callable[[Sequence[AnswerRow]], str]] = {
    ".csv": lambda rows: _write_table(rows, ","),
    ".tsv": lambda rows: _write_table(rows, "\t"),
    ".jsonl": _write_lines,
}
_READERS: Mapping[str, Callable[[Path], Iterator[ReadRow]]] = {
    ".csv": lambda file: _read_table(file, None),
    ".tsv": lambda file: _read_table(file, "\t"),
    ".jsonl": _read_lines,
}


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """A query and two texts, in an order that does not tell which is right; examples that ask the same share it."""

    query: str
    texts: tuple[str, str]


def questions_of(example: Example) -> dict[Preference, PairQuestion]:
    """What each preference of an example asks; a query that states none asks nothing."""
    return {
        preference: PairQuestion(
            example.queries[preference.query],
            _sorted(example.document(preference.better).text, example.document(preference.worse).text),
        )
        for preference in example.preferences
    }


def draw_questions(examples: Sequence[Example], count: int | None, seed: int) -> dict[PairQuestion, str]:
    """The questions of so many examples by chance, or of all, each once, with the id of an example that asks it.

    They come in an order that keeps those about the same texts apart.
    """
    drawn = sorted(examples, key=lambda example: stable_hash("sheet", str(seed), example.id))[:count]
    asked = {question: example.id for example in reversed(drawn) for question in questions_of(example).values()}
    return {question: asked[question] for question in sorted(asked, key=lambda question: _draw(question, seed))}


def shown_order(question: PairQuestion, seed: int) -> tuple[str, str]:
    """The two texts as a sheet shows them: which comes first is drawn, and knows nothing of their roles."""
    one, other = question.texts
    return (other, one) if _draw(question, seed) % 2 else (one, other)


def _draw(question: PairQuestion, seed: int) -> int:
    return stable_hash("question", str(seed), question.query, *question.texts)


def _sorted(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)
