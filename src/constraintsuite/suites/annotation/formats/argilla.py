"""Argilla 2: records as `Dataset.records.from_json` reads and `to_json` writes them, with the dataset's settings beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from constraintsuite.suites.annotation.formats.base import (
    AnnotationSheet,
    RowAnswers,
    file_beside,
    options_of,
    read_records,
    write_json,
)
from constraintsuite.suites.annotation.records import AnnotationQuestion, WrongValue, how_to_answer
from constraintsuite.suites.annotation.tables import SheetRow


class Argilla:
    """One dataset an annotator: ids, text and notes are text questions."""

    def write(self, file: Path, sheet: AnnotationSheet) -> None:
        """Write the records and, beside them, what `Settings.from_json` reads, in a file that ends in .settings.json."""
        settings = file_beside(file, ".settings.json")
        write_json(
            file,
            [{"id": row["row"], "fields": {name: row.get(name, "") for name in sheet.shown}} for row in sheet.rows],
        )
        write_json(settings, _settings(sheet))

    def read(self, file: Path) -> tuple[tuple[str, ...], list[SheetRow]]:
        """What was submitted; two people's answers to one record are a fault, since each is asked in another order."""
        return read_records(file, _responses, "Argilla's to_json writes a record")


def _responses(record: dict[str, Any]) -> Iterator[RowAnswers]:
    """Of a record that is completed: `to_json` does not say of an answer whether it is a draft, or was discarded."""
    responses = record["responses"]
    people = {str(one.get("user_id")) for said in responses.values() for one in said}
    marked = {str(name): _marked(said[-1]["value"]) for name, said in responses.items() if said}
    if record.get("status", "completed") == "completed" and marked:
        if len(people) > 1:
            raise WrongValue("several people have answered this record.")
        yield str(record["id"]), marked


def _marked(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def _settings(sheet: AnnotationSheet) -> dict[str, Any]:
    """A record is completed by one answer, since one person is asked; texts are shown as they are, not as Markdown."""
    plain = {"type": "text", "use_markdown": False}
    note = {"name": "note", "title": "note", "required": False, "settings": plain}
    return {
        "fields": [{"name": name, "title": name, "required": True, "settings": plain} for name in sheet.shown],
        "questions": [*map(_question, sheet.questions), note],
        "distribution": {"strategy": "overlap", "min_submitted": 1},
        "allow_extra_metadata": False,
    }


def _question(question: AnnotationQuestion) -> dict[str, Any]:
    asked = {"name": question.id, "title": question.text, "required": not question.optional}
    if question.kind in ("ids", "text"):
        written = {"type": "text", "use_markdown": False}
        return {**asked, "description": how_to_answer(question), "settings": written}
    options = [{"value": option, "text": option} for option in options_of(question)]
    many = "multi_label_selection" if question.kind == "choices" else "label_selection"
    return {**asked, "settings": {"type": many, "options": options}}
