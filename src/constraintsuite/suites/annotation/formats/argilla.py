"""Argilla 2: records for `Dataset.records.from_json`, with the settings of the dataset next to them; reads `to_json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from constraintsuite.suites.annotation.formats.base import (
    AnnotationSheet,
    RowAnswers,
    SheetFormat,
    as_texts,
    companion_file,
    options_of,
    read_records,
    write_json,
)
from constraintsuite.suites.annotation.records import AnnotationQuestion, WrongValue, how_to_answer

_TEXT = {"type": "text", "use_markdown": False}


def _write(file: Path, sheet: AnnotationSheet) -> None:
    """Write the records and, in a file that ends in .settings.json, what `Settings.from_json` reads."""
    settings = companion_file(file, ".settings.json")
    write_json(
        file, [{"id": row["row"], "fields": {name: row.get(name, "") for name in sheet.shown}} for row in sheet.rows]
    )
    note = {"name": "note", "title": "note", "required": False, "settings": _TEXT}
    fields = [{"name": name, "title": name, "required": True, "settings": _TEXT} for name in sheet.shown]
    content = {
        "fields": fields,
        "questions": [*map(_question, sheet.questions), note],
        "distribution": {"strategy": "overlap", "min_submitted": 1},  # one dataset per person: one answer completes
        "allow_extra_metadata": False,
    }
    write_json(settings, content)


def _question(question: AnnotationQuestion) -> dict[str, Any]:
    asked = {"name": question.id, "title": question.text, "required": not question.optional}
    if question.kind in ("ids", "text"):
        return {**asked, "description": how_to_answer(question), "settings": _TEXT}
    options = [{"value": option, "text": option} for option in options_of(question)]
    kind = "multi_label_selection" if question.kind == "choices" else "label_selection"
    return {**asked, "settings": {"type": kind, "options": options}}


def _answers_in(record: dict[str, Any]) -> Iterator[RowAnswers]:
    """The answers of a completed record: `to_json` does not tell which answers are drafts or were discarded.

    Answers of two people are a fault, since each person has a queue of their own.
    """
    responses = record["responses"]
    people = {str(one.get("user_id")) for given in responses.values() for one in given}
    marked = {str(name): as_texts(given[-1]["value"]) for name, given in responses.items() if given}
    if record.get("status", "completed") == "completed" and marked:
        if len(people) > 1:
            raise WrongValue("several people have answered this record.")
        yield str(record["id"]), marked


ARGILLA = SheetFormat(_write, lambda file: read_records(file, _answers_in, "Argilla's to_json writes a record"))
