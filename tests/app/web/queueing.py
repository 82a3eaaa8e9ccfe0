"""A queue as a person without script walks through it."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

from app.web.site import ANNA, Visitor
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, tasks_of
from constraintsuite.suites.annotation.current_answers import current_answers

QUEUE = "/batch/batch"
GOOD = {"answer.satisfies": "first", "answer.fit": "well"}


def values_of(page: str, name: str) -> str:
    """What a hidden field of the page holds."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None, name
    return found[1]


def row_of(location: str) -> str:
    return parse_qs(urlsplit(location).query)["row"][0]


def first_row(anna: Visitor) -> str:
    return row_of(anna.get(QUEUE, 303).headers["location"])


def form_of(anna: Visitor, row: str, **answers: str) -> dict[str, str]:
    page = anna.page(f"{QUEUE}?row={row}")
    return {"row": row, "seen": values_of(page, "seen"), **GOOD, **{f"answer.{k}": v for k, v in answers.items()}}


def chosen_in(page: str) -> set[tuple[str, str]]:
    return {(name, unescape(value)) for name, value in re.findall(r'name="answer.(\w+)" value="([^"]*)" checked', page)}


def task_of(batch: AnnotationBatch, row: str, name: str = ANNA.name) -> AnnotationTask:
    return next(task for task in tasks_of(batch, name) if task.row == row)


def said_by_anna(batch: AnnotationBatch, row: str) -> dict[str, object]:
    """In the order of the sides as anna saw them."""
    task, said = task_of(batch, row), current_answers(batch.store.events())
    found = {q: said.of(task.item.id, q, task.copy).get(ANNA.name) for q in batch.questions}
    return {question: task.as_meant(event.value) for question, event in found.items() if event is not None}
