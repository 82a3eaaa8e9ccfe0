"""Files that people fill in: sheets of questions (which of these two texts fits the query?) and answers in CSV, TSV or JSONL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example, Preference
from constraintsuite.core.store.jsonl import JsonLine, describe, read_lines, write_jsonl
from constraintsuite.experiments.load import load_suite
from constraintsuite.suites.annotation.tables import read_csv, refuse_existing, write_csv

_ID_COLUMNS = ("example", "id", "example_id")
_ENDINGS = (".csv", ".tsv", ".jsonl")


class AnswerRow(BaseModel):
    """A row of a sheet; users may add other columns."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, coerce_numbers_to_str=True)
    example: str = Field(validation_alias=AliasChoices(*_ID_COLUMNS))
    query: str = ""
    first: str = ""
    second: str = ""
    choice: str
    annotator: str = ""


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """A query and two sorted texts. Examples that ask the same share one question."""

    query: str
    texts: tuple[str, str]


def questions_of(example: Example) -> dict[Preference, PairQuestion]:
    """The question for each preference of an example."""
    found = {}
    for preference in example.preferences:
        one, other = sorted((example.document(preference.better).text, example.document(preference.worse).text))
        found[preference] = PairQuestion(example.queries[preference.query], (one, other))
    return found


def write_sheet(suite: Path, file: Path, *, sample: int | None = None, seed: int = 0) -> int:
    """Write a blank sheet with each question of a suite, or of a random sample of its examples; returns their number."""
    _check_ending(file)
    examples = load_suite(suite).all_examples
    refuse_existing(file)
    rows = []
    for question, example in _draw_questions(examples, sample, seed).items():
        first, second = shown_order(question, seed)
        rows.append(AnswerRow(example=example, query=question.query, first=first, second=second, choice=""))
    if file.suffix.lower() == ".jsonl":
        write_jsonl(file, rows)
    else:
        write_csv(file, list(AnswerRow.model_fields), (row.model_dump() for row in rows))
    return len(rows)


def _draw_questions(examples: Sequence[Example], count: int | None, seed: int) -> dict[PairQuestion, str]:
    """The distinct questions of `count` random examples, each with the id of an example that asks it.

    They are in random order, so that questions about the same texts are far apart.
    """
    drawn = sorted(examples, key=lambda example: stable_hash("sheet", str(seed), example.id))[:count]
    asked = {question: example.id for example in reversed(drawn) for question in questions_of(example).values()}
    return {question: asked[question] for question in sorted(asked, key=lambda question: _draw(question, seed))}


def shown_order(question: PairQuestion, seed: int) -> tuple[str, str]:
    """The two texts in the random order of a sheet, which does not depend on their roles."""
    one, other = question.texts
    return (other, one) if _draw(question, seed) % 2 else (one, other)


def _draw(question: PairQuestion, seed: int) -> int:
    return stable_hash("question", str(seed), question.query, *question.texts)


def read_rows(file: Path) -> Iterator[JsonLine[AnswerRow]]:
    """Read each row, or what is wrong with it. Raises UserError if a column is missing."""
    _check_ending(file)
    if file.suffix.lower() == ".jsonl":
        yield from read_lines(file, AnswerRow)
        return
    columns, rows = read_csv(file, ["choice"])
    if not set(_ID_COLUMNS) & set(columns):
        raise UserError(f"{file}:1: the column example is missing; there are: {', '.join(columns)}.")
    for line, cells in rows:
        try:
            yield JsonLine(line, AnswerRow.model_validate(cells))
        except ValidationError as error:
            yield JsonLine(line, None, describe(error))


def _check_ending(file: Path) -> None:
    if file.suffix.lower() not in _ENDINGS:
        raise UserError(f"{file}: the name must end in {', '.join(_ENDINGS)}, which decides its format.")
