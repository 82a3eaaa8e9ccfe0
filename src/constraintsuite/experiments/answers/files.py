"""Sheets with questions (under this query, which of these two texts?) and files with answers: CSV, TSV or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example, Preference
from constraintsuite.core.store.jsonl import describe, read_lines, write_jsonl
from constraintsuite.experiments.load import load_suite
from constraintsuite.suites.annotation.tables import read_table, write_table

COLUMNS = ("example", "query", "first", "second", "choice", "annotator")
_NAMES = ("example", "id", "example_id")
_ENDINGS = (".csv", ".tsv", ".jsonl")


class AnswerRow(BaseModel):
    """A line of a sheet; other columns are the user's own."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, coerce_numbers_to_str=True)
    example: str = Field(validation_alias=AliasChoices(*_NAMES))
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
    _check_ending(file)
    loaded = load_suite(suite)
    if file.exists():
        raise UserError(f"{file}: this file already exists, and may hold answers. Choose another name.")
    rows = []
    for question, example in draw_questions([*loaded.examples, *loaded.controls], sample, seed).items():
        first, second = shown_order(question, seed)
        rows.append(AnswerRow(example=example, query=question.query, first=first, second=second, choice=""))
    if file.suffix.lower() == ".jsonl":
        write_jsonl(file, rows)
    else:
        write_table(file, COLUMNS, (row.model_dump() for row in rows))
    return len(rows)


def read_rows(file: Path) -> Iterator[ReadRow]:
    """The rows of a file; one that lacks a column that is needed is a UserError."""
    _check_ending(file)
    if file.suffix.lower() == ".jsonl":
        yield from (ReadRow(line.number, line.record, line.fault) for line in read_lines(file, AnswerRow))
        return
    columns, rows = read_table(file, ["choice"])
    if not set(_NAMES) & set(columns):
        raise UserError(f"{file}:1: the column example is missing; there are: {', '.join(columns)}.")
    for line, cells in rows:
        try:
            yield ReadRow(line, AnswerRow.model_validate(cells))
        except ValidationError as error:
            yield ReadRow(line, None, describe(error))


def _check_ending(file: Path) -> None:
    if file.suffix.lower() not in _ENDINGS:
        raise UserError(f"{file}: the name must end in {', '.join(_ENDINGS)}, which decides its format.")


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
