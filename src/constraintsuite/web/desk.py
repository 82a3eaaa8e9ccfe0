"""One person before one batch: their queue, and what they have said so far."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from constraintsuite.annotate.adjudication import disagreements, has_judged
from constraintsuite.annotate.batch import AnnotationBatch, open_batch
from constraintsuite.annotate.queue import AnnotationTask
from constraintsuite.annotate.records import AnnotationEvent
from constraintsuite.annotate.standing import progress_of, standing, tasks_left
from constraintsuite.web.artifact_index import NotOnShelfError, Shelved, WebShelf
from constraintsuite.web.people import Person


@dataclass(frozen=True)
class Desk:
    """What a page of a queue works on."""

    one: Shelved
    home: str
    """Where the queue is served."""
    batch: AnnotationBatch
    name: str
    tasks: tuple[AnnotationTask, ...]
    own: list[AnnotationEvent]

    def task(self, row: str) -> AnnotationTask:
        """A task of this queue; a row of another person's is unknown here."""
        found = next((task for task in self.tasks if task.row == row), None)
        if found is None:
            raise NotOnShelfError("There is no such item in your queue. Nothing was changed.")
        return found

    def left(self, after: str = "") -> list[AnnotationTask]:
        """What is still to be done, from behind a row on, then from the beginning, so that what was skipped comes again."""
        rows = {task.row for task in tasks_left(self.batch, self.name, standing(self.own))}
        start = next((place + 1 for place, task in enumerate(self.tasks) if task.row == after), 0)
        return [task for task in (*self.tasks[start:], *self.tasks[:start]) if task.row in rows]

    def address(self, **parameters: str) -> str:
        """Of this queue."""
        return self.home + (f"?{urlencode(parameters)}" if parameters else "")


def left_for(shelf: WebShelf, batch: Shelved, person: Person) -> tuple[int, int]:
    """What waits for a person in a batch, of how much: items of an annotator's queue, or what an adjudicator may rule on."""
    opened = shelf.load(batch, open_batch)
    if person.role != "adjudicator":
        progress = progress_of(opened, person.name, opened.store.events(person.name))
        return progress.total - progress.done, progress.total
    said = standing(opened.store.events())
    waiting = sum(not has_judged(said, one.item, person.name) for one in disagreements(opened, said))
    return waiting, waiting + len(said.rulings)


def called(one: Shelved, batch: AnnotationBatch) -> str:
    """A batch in people's words: what it was drawn from, and its own name."""
    return f"{batch.head.source.rpartition(' ')[0]} ({one.label})"
