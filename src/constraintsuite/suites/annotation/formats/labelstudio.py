"""Label Studio: tasks as JSON, with the labelling interface as an XML file next to them; reads its export as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from constraintsuite.core.store.files import write_text
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
from constraintsuite.suites.annotation.records import AnnotationQuestion, how_to_answer


def _write(file: Path, sheet: AnnotationSheet) -> None:
    """Write the tasks and, in a file that ends in .xml, the interface to paste into the project."""
    interface = companion_file(file, ".xml")
    names = ("row", *sheet.shown)  # the server refuses all tasks if one lacks a text that the interface shows
    write_json(file, [{"data": {name: row.get(name, "") for name in names}} for row in sheet.rows])
    write_text(interface, _interface(sheet))


def _interface(sheet: AnnotationSheet) -> str:
    """Texts above, questions below. Names of texts begin with `shown_`, so that no question has the same name."""
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


def _answers_in(task: dict[str, Any]) -> Iterator[RowAnswers]:
    """The submitted annotations of a task; a task with two of them gives two rows."""
    row = str(task["data"]["row"])
    for annotation in task["annotations"]:
        if not annotation.get("was_cancelled", False):
            values = {str(one["from_name"]): one["value"] for one in annotation["result"]}
            yield (
                row,
                {name: as_texts(value["choices" if "choices" in value else "text"]) for name, value in values.items()},
            )


_LAYOUT = "Label Studio exports tasks (format JSON, not JSON-MIN)"
LABEL_STUDIO = SheetFormat(_write, lambda file: read_records(file, _answers_in, _LAYOUT))
