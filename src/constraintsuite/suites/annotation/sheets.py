"""Blind sheets for people who use a spreadsheet or another program: what is left of one annotator's queue, and the answers read back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, check_name, tasks_by_row
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers, tasks_left
from constraintsuite.suites.annotation.formats import FORMATS
from constraintsuite.suites.annotation.formats.base import AnnotationSheet
from constraintsuite.suites.annotation.kinds.proposals import NAME as PROPOSALS
from constraintsuite.suites.annotation.kinds.proposals import settle_row
from constraintsuite.suites.annotation.records import (
    SIDES,
    AnnotationItem,
    EventDraft,
    WrongValue,
    how_to_answer,
    read_value,
)
from constraintsuite.suites.annotation.tables import RowFault, SheetRow, refuse

Settle = Callable[[AnnotationItem, Mapping[str, str], list[EventDraft]], list[EventDraft]]
_RULES: Mapping[str, Settle] = {PROPOSALS: settle_row}
"""What a kind makes of the answers of a row together; a UserError where they cannot be kept."""


def write_sheet(batch: AnnotationBatch, annotator: str, file: Path, layout: str = "csv") -> int:
    """Write the tasks that an annotator has not finished, with empty answers; gives how many there are."""
    tasks = tasks_left(batch, check_name(annotator), current_answers(batch.store.events()))
    if not tasks:
        raise UserError(f"{batch.path}: {annotator} has answered everything; there is nothing to ask.")
    fields = dict.fromkeys(name for task in tasks for name in task.item.fields)
    sides = SIDES if any(task.item.sides for task in tasks) else ()
    rows = tuple({"row": task.row, **task.shown()} for task in tasks)
    FORMATS.load(layout)().write(file, AnnotationSheet((*fields, *sides), batch.head.questions, rows))
    return len(tasks)


def guide(batch: AnnotationBatch) -> str:
    """How to fill a sheet, in Markdown."""
    rows = tuple(
        (f"`{one.id}`", f"{one.text}{' (may stay empty)' if one.optional else ''}", how_to_answer(one))
        for one in batch.head.questions
    )
    questions = Table("questions", "", (Column("column"), Column("question"), Column("answer")), rows)
    lines = (
        "# How to fill the sheet",
        "",
        "One line is one item. Work alone, from the top; leave a cell empty if you cannot say.",
        "Leave the column `row` as it is. `note` is for whatever is odd.",
        "",
        questions.to_markdown(),
    )
    return "\n".join(lines)


def read_sheet(batch: AnnotationBatch, annotator: str, file: Path, layout: str = "csv") -> list[EventDraft]:
    """The answers of a sheet that are new or other than before; any fault is a UserError, and then none is taken.

    A row of another person's sheet is unknown here: what it asks was not asked of this one.
    """
    tasks = tasks_by_row(batch, check_name(annotator))
    columns, rows = FORMATS.load(layout)().read(file)
    unasked = set(columns) - {
        "row",
        "note",
        *SIDES,
        *batch.questions,
        *(f for task in tasks.values() for f in task.item.fields),
    }
    if unasked or not set(columns) & set(batch.questions):
        what = f"unknown columns: {', '.join(sorted(unasked))}" if unasked else "no column is a question"
        raise UserError(f"{file}:1: {what}. Questions are: {', '.join(batch.questions)}.")
    said = current_answers(batch.store.events())
    first: dict[str, int] = {}
    faults: list[RowFault] = []
    drafts: list[EventDraft] = []
    for row in rows:
        name = row.cells["row"]
        if name not in tasks:
            faults.append(
                RowFault(row.line, f"no row {name!r} in the sheet of {annotator}. Is it another person's sheet?")
            )
        elif name in first:
            faults.append(RowFault(row.line, f"the row {name!r} stands in line {first[name]} already; keep one."))
        else:
            first[name] = row.line
            answers = list(_answers(batch, tasks[name], annotator, row))
            wrong = [answer for answer in answers if isinstance(answer, RowFault)]
            try:
                drafts += _settled(batch, tasks[name], said, [one for one in answers if isinstance(one, EventDraft)])
            except UserError as error:
                wrong.append(RowFault(row.line, str(error)))
            faults += wrong
    refuse(file, faults)
    return [draft for draft in drafts if _is_news(draft, said)]


def _answers(
    batch: AnnotationBatch, task: AnnotationTask, annotator: str, row: SheetRow
) -> Iterator[EventDraft | RowFault]:
    for question in batch.head.questions:
        text = row.cells.get(question.id, "")
        if not text:
            continue
        try:
            value = task.as_meant(read_value(question, task.item, text))
        except WrongValue as error:
            yield RowFault(row.line, str(error))
        else:
            yield EventDraft(annotator, task.item.id, question.id, value, task.copy, row.cells.get("note", ""))


def _settled(
    batch: AnnotationBatch, task: AnnotationTask, said: CurrentAnswers, drafts: list[EventDraft]
) -> list[EventDraft]:
    """The answers of a row by the rules of its kind, where it has any beside those of each question."""
    settle = _RULES.get(batch.head.kind)
    if settle is None or not drafts:
        return drafts
    answers = {name: said.of(task.item.id, name, task.copy).get(drafts[0].annotator) for name in batch.questions}
    return settle(task.item, {name: str(event.value) for name, event in answers.items() if event is not None}, drafts)


def _is_news(draft: EventDraft, said: CurrentAnswers) -> bool:
    before = said.of(draft.item, draft.question, draft.copy).get(draft.annotator)
    return before is None or (before.value, before.note) != (draft.value, draft.note)
