"""Blind sheets for people who use a spreadsheet or another program: write a person's open tasks, read the answers back."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.suites.annotation.answers import TaskAnswers, read_answers
from constraintsuite.suites.annotation.batch import (
    RESERVED_COLUMNS,
    AnnotationBatch,
    AnnotationTask,
    check_name,
    tasks_of,
)
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers, tasks_left
from constraintsuite.suites.annotation.formats import FORMATS
from constraintsuite.suites.annotation.formats.base import AnnotationSheet
from constraintsuite.suites.annotation.kinds import proposals
from constraintsuite.suites.annotation.records import EventDraft, how_to_answer
from constraintsuite.suites.annotation.tables import RowFault, refuse


def write_sheet(batch: AnnotationBatch, annotator: str, file: Path, layout: str = "csv") -> int:
    """Write the tasks that an annotator has not finished, with empty answers; return how many there are."""
    tasks = tasks_left(batch, check_name(annotator), current_answers(batch.store.events()))
    if not tasks:
        raise UserError(f"{batch.path}: {annotator} has answered everything; there is nothing to ask.")
    headings = dict.fromkeys(name for task in tasks for name in task.shown())
    rows = tuple({"row": task.row, **task.shown()} for task in tasks)
    FORMATS.load(layout).write(file, AnnotationSheet(tuple(headings), batch.head.questions, rows))
    return len(tasks)


def guide(batch: AnnotationBatch) -> str:
    """Instructions for filling in a sheet, in Markdown."""
    rows = tuple(
        (f"`{one.id}`", f"{one.text}{' (may stay empty)' if one.optional else ''}", how_to_answer(one))
        for one in batch.head.questions
    )
    questions = Table("questions", "", (Column("column"), Column("question"), Column("answer")), rows)
    return (
        "# How to fill the sheet\n\n"
        "One line is one item. Work alone, from the top; leave a cell empty if you cannot say.\n"
        "Leave the column `row` as it is. `note` is for whatever is odd.\n\n"
        f"{questions.to_markdown()}"
    )


def read_sheet(batch: AnnotationBatch, annotator: str, file: Path, layout: str = "csv") -> list[EventDraft]:
    """Read the answers of a sheet that are new or changed. Raises UserError for any fault, and then takes none.

    Rows of another person's sheet are unknown, so nobody's answers are taken for another person's.
    """
    tasks = {task.row: task for task in tasks_of(batch, check_name(annotator))}
    columns, rows = FORMATS.load(layout).read(file)
    fields = {name for task in tasks.values() for name in task.item.fields}
    unknown = sorted(set(columns).difference(RESERVED_COLUMNS, batch.questions, fields))
    if unknown or not set(columns) & set(batch.questions):
        what = f"unknown columns: {', '.join(unknown)}" if unknown else "no column is a question"
        raise UserError(f"{file}:1: {what}. Questions are: {', '.join(batch.questions)}.")
    current = current_answers(batch.store.events())
    first: dict[str, int] = {}
    faults: list[RowFault] = []
    drafts: list[EventDraft] = []
    for line, cells in rows:
        row = cells["row"]
        if row not in tasks:
            faults.append(RowFault(line, f"no row {row!r} in the sheet of {annotator}. Is it another person's sheet?"))
        elif row in first:
            faults.append(RowFault(line, f"the row {row!r} is already in line {first[row]}; keep one."))
        else:
            first[row] = line
            given = TaskAnswers(cells, cells.get("note", ""))
            answers, wrong = read_answers(batch, annotator, tasks[row], given, current, partial=True)
            try:
                drafts += _check_together(batch, tasks[row], current, answers)
            except UserError as error:
                wrong.append(str(error))
            faults += [RowFault(line, fault) for fault in wrong]
    refuse(file, faults)
    return list(filter(current.is_new, drafts))


def _check_together(
    batch: AnnotationBatch, task: AnnotationTask, current: CurrentAnswers, drafts: list[EventDraft]
) -> list[EventDraft]:
    """Apply the rules of the batch's kind to the answers of one row together; only proposals have such rules."""
    if batch.head.kind != proposals.NAME or not drafts:
        return drafts
    answers = {name: current.of(task.item.id, name, task.copy).get(drafts[0].annotator) for name in batch.questions}
    before = {name: str(event.value) for name, event in answers.items() if event is not None}
    return proposals.settle_row(task.item, before, drafts)
