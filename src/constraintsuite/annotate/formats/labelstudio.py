"""Label Studio: tasks as JSON with the labelling interface beside them as XML, and its export as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from constraintsuite.annotate.formats.base import Sheet, columns_of, read_json, refuse_existing, write_json
from constraintsuite.annotate.records import Question
from constraintsuite.annotate.tables import Fault, Row, refuse
from constraintsuite.annotate.values import NOTHING, how_to_answer
from constraintsuite.store.files import write_text


class LabelStudio:
    """One project an annotator: import the tasks, paste the interface, and export as JSON when done."""

    def write(self, file: Path, sheet: Sheet) -> None:
        """Write `file` and, beside it, an interface of the same name that ends in .xml."""
        refuse_existing(file.with_suffix(".xml"))
        write_json(file, [{"data": dict(row)} for row in sheet.rows])
        write_text(file.with_suffix(".xml"), _interface(sheet))

    def read(self, file: Path) -> tuple[tuple[str, ...], list[Row]]:
        """The annotations that were submitted; a task with two of them gives two rows."""
        rows: list[Row] = []
        faults: list[Fault] = []
        for number, task in enumerate(read_json(file), 1):
            try:
                rows += [Row(number, {"row": task["data"]["row"], **cells}) for cells in _annotations(task)]
            except (KeyError, TypeError, AttributeError):
                faults.append(Fault(number, "this task is not as Label Studio exports it (format JSON, not JSON-MIN)."))
        refuse(file, faults)
        return columns_of(rows), rows


def _annotations(task: dict[str, Any]) -> Iterator[dict[str, str]]:
    for annotation in task["annotations"]:
        if not annotation.get("was_cancelled", False):
            yield {one["from_name"]: _text(one["value"]) for one in annotation["result"]}


def _text(value: dict[str, Any]) -> str:
    said = value["choices"] if "choices" in value else value["text"]
    return said if isinstance(said, str) else "; ".join(map(str, said))


def _interface(sheet: Sheet) -> str:
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


def _control(question: Question, target: str) -> Iterator[str]:
    required = "false" if question.optional else "true"
    named = f"name={quoteattr(question.id)} toName={quoteattr(target)} required={quoteattr(required)}"
    yield f"  <Header value={quoteattr(f'{question.text} ({how_to_answer(question)})')}/>"
    if question.kind in ("ids", "text"):
        yield f'  <TextArea {named} maxSubmissions="1"/>'
        return
    many = question.kind == "choices"
    options = (*question.options, *((NOTHING,) if many else ()))
    choices = "".join(f"<Choice value={quoteattr(option)}/>" for option in options)
    yield f'  <Choices {named} choice="{"multiple" if many else "single"}">{choices}</Choices>'
