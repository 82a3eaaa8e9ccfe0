"""One person and one batch: their queue, and what they have said so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.web.access import Person
from constraintsuite.app.web.artifact_index import ArtifactIndex, NotServedError, ServedArtifact
from constraintsuite.app.web.forms import only, read_place
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


@dataclass(frozen=True)
class AnnotatorSession:
    """What a page of a queue works on."""

    one: ServedArtifact
    home: str
    """Where the queue is served."""
    batch: AnnotationBatch
    name: str

    @cached_property
    def tasks(self) -> tuple[AnnotationTask, ...]:
        """The queue of this person."""
        return tasks_of(self.batch, self.name)

    @cached_property
    def own(self) -> list[AnnotationEvent]:
        """What this person had said when it was first asked for."""
        return self.batch.store.events(self.name)

    @property
    def progress(self) -> AnnotatorProgress:
        """How far this person is."""
        return progress_of(self.batch, self.name, self.own)

    def task(self, row: str) -> AnnotationTask:
        """A task of this queue; a row of another person's is unknown here."""
        found = next((task for task in self.tasks if task.row == row), None)
        if found is None:
            raise NotServedError("There is no such item in your queue. Nothing was changed.")
        return found

    def left(self, after: str = "") -> list[AnnotationTask]:
        """What is still to be done, from behind a row on, then from the beginning, so that what was skipped comes again."""
        rows = {task.row for task in tasks_left(self.batch, self.name, current_answers(self.own))}
        start = next((place + 1 for place, task in enumerate(self.tasks) if task.row == after), 0)
        return [task for task in (*self.tasks[start:], *self.tasks[:start]) if task.row in rows]

    def again(self) -> AnnotatorSession:
        """The same as it stands now."""
        return AnnotatorSession(self.one, self.home, self.batch, self.name)

    def address(self, **parameters: str) -> str:
        """The address of this queue, with these parameters."""
        return self.home + (f"?{urlencode(parameters)}" if parameters else "")

    def undo(self, request: Request, tell: Callable[[AnnotationTask], str]) -> Response:
        """Take back what was kept last, and go to that item; `tell` names what the page says of it."""
        form = request.state.form
        row, known = only(form, "row"), read_place(only(form, "last"), self.own)
        try:
            found = take_back_last(self.batch, self.name, known, datetime.now(UTC))
            said = "nothing"
        except StaleError:
            found, said = None, "stale"
        if found is None:
            return RedirectResponse(self.address(row=self.task(row).row, told=said) if row else self.address(), 303)
        task = next((task for task in self.tasks if (task.item.id, task.copy) == found), None)
        if task is None:
            return RedirectResponse(self.address(), 303)  # it was about nothing that this queue asks
        return RedirectResponse(self.address(row=task.row, told=tell(task)), 303)


def count_waiting(artifacts: ArtifactIndex, batch: ServedArtifact, person: Person) -> tuple[int, int]:
    """What waits for a person in a batch, of how much: items of an annotator's queue, or what an adjudicator may rule on."""
    opened = artifacts.load(batch, open_batch)
    if person.role != "adjudicator":
        progress = progress_of(opened, person.name, opened.store.events(person.name))
        return progress.total - progress.done, progress.total
    said = current_answers(opened.store.events())
    waiting = sum(not has_judged(said, one.item, person.name) for one in open_disagreements(opened, said))
    return waiting, waiting + len(said.rulings)


def progress_of_all(batch: AnnotationBatch) -> list[AnnotatorProgress]:
    """How far all people are who have answered or written anything in a batch."""
    names = current_answers(batch.store.events()).annotators
    return [progress_of(batch, name, batch.store.events(name)) for name in names]


def batch_title(one: ServedArtifact, batch: AnnotationBatch) -> str:
    """A batch in people's words: what it was drawn from, and its own name."""
    return f"{batch.head.source.rpartition(' ')[0]} ({one.label})"
