"""Label Studio: tasks as JSON with the labelling interface beside them as XML, and its export as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from constraintsuite.core.store.files import write_text
from constraintsuite.suites.annotation.formats.base import (
    AnnotationSheet,
    RowAnswers,
    file_beside,
    options_of,
    read_records,
    write_json,
)
from constraintsuite.suites.annotation.records import AnnotationQuestion, how_to_answer
from constraintsuite.suites.annotation.tables import SheetRow


class LabelStudio:
    """One project an annotator: import the tasks, paste the interface, and export as JSON when done."""

    def write(self, file: Path, sheet: AnnotationSheet) -> None:
        """Write `file` and, beside it, an interface of the same name that ends in .xml."""
        interface = file_beside(file, ".xml")
        names = ("row", *sheet.shown)  # the server refuses all tasks if one of them lacks what the interface shows
        write_json(file, [{"data": {name: row.get(name, "") for name in names}} for row in sheet.rows])
        write_text(interface, _interface(sheet))

    def read(self, file: Path) -> tuple[tuple[str, ...], list[SheetRow]]:
        """The annotations that were submitted; a task with two of them gives two rows."""
        return read_records(file, _annotations, "Label Studio exports tasks (format JSON, not JSON-MIN)")


def _annotations(task: dict[str, Any]) -> Iterator[RowAnswers]:
    row = str(task["data"]["row"])
    for annotation in task["annotations"]:
        if not annotation.get("was_cancelled", False):
            yield row, {str(one["from_name"]): _marked(one["value"]) for one in annotation["result"]}


def _marked(value: dict[str, Any]) -> list[str]:
    said = value["choices"] if "choices" in value else value["text"]
    return [said] if isinstance(said, str) else [str(one) for one in said]


def _interface(sheet: AnnotationSheet) -> str:
    """Texts above, questions below; names of texts begin with `shown_`, so that they meet no question's."""
    target = f"shown_{sheet.shown[0]}"
    lines = ["<View>"]
    for name in sheet.shown:
        lines.append(
            f"  <Header value={quoteattr(name)}/><Text name={quoteattr(f'shown_{name}')} value={quoteattr(f'${name}')}/>"
        )
    for question in sheet.questions:
        lines += _control(question, target)
    lines += [
        '  <Header value="note"/>',
        f'  <TextArea name="note" toName={quoteattr(target)} maxSubmissions="1"/>',
        "</View>",
    ]
    return "\n".join(lines) + "\n"


def _control(question: AnnotationQuestion, target: str) -> Iterator[str]:
    required = "false" if question.optional else "true"
    named = f"name={quoteattr(question.id)} toName={quoteattr(target)} required={quoteattr(required)}"
    if question.kind in ("ids", "text"):
        yield f"  <Header value={quoteattr(f'{question.text} ({how_to_answer(question)})')}/>"
        yield f'  <TextArea {named} maxSubmissions="1"/>'
        return
    yield f"  <Header value={quoteattr(question.text)}/>"
    choices = "".join(f"<Choice value={quoteattr(option)}/>" for option in options_of(question))
    many = "multiple" if question.kind == "choices" else "single"
    yield f'  <Choices {named} choice="{many}">{choices}</Choices>'
