"""The queue of one person in one batch, and their answers so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.web.access import Person
from constraintsuite.app.web.artifact_index import ArtifactIndex, NotServedError, ServedArtifact
from constraintsuite.app.web.forms import first_value, read_place
from constraintsuite.app.web.renderer import render
from constraintsuite.suites.annotation.adjudication import has_judged, open_disagreements
from constraintsuite.suites.annotation.answers import StaleError, take_back_last
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, open_batch, tasks_of
from constraintsuite.suites.annotation.current_answers import (
    AnnotatorProgress,
    current_answers,
    progress_of,
    tasks_left,
)
from constraintsuite.suites.annotation.records import AnnotationEvent

UNDO_MESSAGES = {
    "stale": "Something was saved in the meantime, perhaps in another window. Nothing was undone.",
    "nothing": "There is nothing left to undo.",
}
"""Why nothing was undone, by the name in the address."""


@dataclass(frozen=True)
class AnnotatorSession:
    """The state of a page of a queue."""

    request: Request
    home: str
    """The address of the queue."""
    title: str
    batch: AnnotationBatch

    @property
    def name(self) -> str:
        """The name of the person."""
        person: Person = self.request.state.person
        return person.name

    @cached_property
    def tasks(self) -> tuple[AnnotationTask, ...]:
        """The tasks of this person, in order."""
        return tasks_of(self.batch, self.name)

    @cached_property
    def own(self) -> list[AnnotationEvent]:
        """The events of this person, read once."""
        return self.batch.store.events(self.name)

    @property
    def progress(self) -> AnnotatorProgress:
        """How much of the queue this person has done."""
        return progress_of(self.batch, self.name, self.own)

    def task(self, row: str) -> AnnotationTask:
        """The task of a row in this queue; the row of another person is a NotServedError."""
        found = next((task for task in self.tasks if task.row == row), None)
        if found is None:
            raise NotServedError("There is no such item in your queue. Nothing was changed.")
        return found

    def left(self, after: str = "") -> list[AnnotationTask]:
        """The open tasks, starting after a row and wrapping around, so that skipped tasks come again."""
        rows = {task.row for task in tasks_left(self.batch, self.name, current_answers(self.own))}
        start = next((place + 1 for place, task in enumerate(self.tasks) if task.row == after), 0)
        return [task for task in (*self.tasks[start:], *self.tasks[:start]) if task.row in rows]

    def reload(self) -> AnnotatorSession:
        """The same session with the events read again."""
        return replace(self)

    def address(self, **parameters: str) -> str:
        """The address of this queue, with these parameters."""
        return self.home + (f"?{urlencode(parameters)}" if parameters else "")

    def render(self, template: str, status: int = 200, **values: object) -> Response:
        """A page of this queue."""
        values |= {"title": self.title, "session": self, "address": self.home}
        return render(self.request, template, status=status, **values)

    def undo(self, message: Callable[[AnnotationTask], str]) -> Response:
        """Undo what was saved last and go to that item; `message` gives the name of the message for the page."""
        form = self.request.state.form
        row, known = first_value(form, "row"), read_place(first_value(form, "last"), self.own)
        found, told = undo_last(self.batch, self.name, known)
        if found is None:
            return RedirectResponse(self.address(row=self.task(row).row, told=told) if row else self.address(), 303)
        task = next((task for task in self.tasks if (task.item.id, task.copy) == found), None)
        if task is None:
            return RedirectResponse(self.address(), 303)  # the item is not in this queue
        return RedirectResponse(self.address(row=task.row, told=message(task)), 303)


def undo_last(batch: AnnotationBatch, name: str, known: int) -> tuple[tuple[str, int] | None, str]:
    """Undo what a person saved last. Returns its item and copy, or None and the name of the reason in UNDO_MESSAGES."""
    try:
        return take_back_last(batch, name, known, datetime.now(UTC)), "nothing"
    except StaleError:
        return None, "stale"


def count_waiting(artifacts: ArtifactIndex, batch: ServedArtifact, person: Person) -> tuple[int, int]:
    """Open work and all work of a person in a batch: items of a queue, or disagreements that an adjudicator may rule on."""
    opened = artifacts.load(batch, open_batch)
    if person.role != "adjudicator":
        progress = progress_of(opened, person.name, opened.store.events(person.name))
        return progress.total - progress.done, progress.total
    answers = current_answers(opened.store.events())
    waiting = sum(not has_judged(answers, one.item, person.name) for one in open_disagreements(opened, answers))
    return waiting, waiting + len(answers.rulings)


def progress_of_all(batch: AnnotationBatch) -> list[AnnotatorProgress]:
    """The progress of everyone who has answered or written in a batch."""
    names = current_answers(batch.store.events()).annotators
    return [progress_of(batch, name, batch.store.events(name)) for name in names]


def batch_title(artifact: ServedArtifact, batch: AnnotationBatch) -> str:
    """The title of a batch: the source it was drawn from, and its own name."""
    return f"{batch.head.source.rpartition(' ')[0]} ({artifact.label})"
