"""What a person keeps of an item, and what they take back: as it was given, and only their own."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from constraintsuite.suites.annotation.answers import (
    StaleError,
    TaskAnswers,
    keep_answers,
    last_event_on,
    take_back_last,
    undone_answers,
)
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, tasks_of
from suites.annotation.small_batch import START, make_batch, said_of, take_back


@pytest.fixture
def batch(tmp_path: Path) -> AnnotationBatch:
    return make_batch(tmp_path)


def keep(batch: AnnotationBatch, annotator: str, task: AnnotationTask, minute: int, **answers: str) -> int:
    seen = last_event_on(task, batch.store.events(annotator))
    said = {"satisfies": "first", "fit": "well", **answers}
    return keep_answers(batch, annotator, task, TaskAnswers(said, "odd", seen), START + timedelta(minutes=minute))


def fits(batch: AnnotationBatch, task: AnnotationTask) -> dict[str, object]:
    return {name: event.value for name, event in said_of(batch).of(task.item.id, "fit", task.copy).items()}


def test_undo_brings_back_what_was_said_before(batch: AnnotationBatch) -> None:
    task = tasks_of(batch, "ann")[0]
    for minute, fit in enumerate(("well", "badly")):
        keep(batch, "ann", task, minute, fit=fit)
    take_back(batch, "ann")
    assert fits(batch, task) == {"ann": "well"}
    assert take_back(batch, "ann") == (task.item.id, task.copy)
    assert fits(batch, task) == {}
    assert take_back(batch, "ann") is None


def test_undo_is_of_ones_own_answers(batch: AnnotationBatch) -> None:
    task = tasks_of(batch, "ann")[0]
    keep(batch, "ann", task, 0)
    keep(batch, "bob", task, 1)
    take_back(batch, "ann")
    assert fits(batch, task) == {"bob": "well"}


def test_an_undo_that_does_not_know_of_the_last_answer_takes_nothing_back(batch: AnnotationBatch) -> None:
    task = tasks_of(batch, "ann")[0]
    keep(batch, "ann", task, 0)
    with pytest.raises(StaleError):
        take_back_last(batch, "ann", 0, START)
    assert fits(batch, task) == {"ann": "well"}


def test_what_was_taken_back_last_is_known_with_its_note(batch: AnnotationBatch) -> None:
    task, other = tasks_of(batch, "ann")[:2]
    keep(batch, "ann", task, 0, fit="badly")
    assert undone_answers(task, batch.store.events("ann")) == {}
    take_back(batch, "ann")
    found = undone_answers(task, batch.store.events("ann"))
    assert {name: event.value for name, event in found.items()} == {"satisfies": task.as_meant("first"), "fit": "badly"}
    assert {event.note for event in found.values()} == {"odd"}
    assert undone_answers(other, batch.store.events("ann")) == {}


def test_a_queue_is_drawn_once_a_batch(batch: AnnotationBatch) -> None:
    assert tasks_of(batch, "ann") is tasks_of(batch, "ann")
