"""A batch small enough to be worked out by hand: dishes, each with two texts."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from constraintsuite.suites.annotation.answers import take_back_last
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, tasks_of, write_batch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
from constraintsuite.suites.annotation.records import (
    SIDES,
    AnnotationItem,
    AnnotationQuestion,
    AnswerValue,
    EventDraft,
    ItemSet,
)

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
QUESTIONS = (
    AnnotationQuestion("satisfies", "Which text does it?", "choice", (*SIDES, "both", "neither")),
    AnnotationQuestion("fit", "How well?", "choice", ("badly", "so-so", "well"), ordered=True),
    AnnotationQuestion("fluent", "Which read well?", "choices", SIDES, optional=True),
    AnnotationQuestion("units", "Which units?", "ids", optional=True),
    AnnotationQuestion("remark", "Anything else?", "text", optional=True),
)


def dishes(count: int = 6, questions: tuple[AnnotationQuestion, ...] = QUESTIONS) -> ItemSet:
    """Some dishes and, as a decoy, one whose answer is known."""
    items = [
        AnnotationItem(
            f"dish-{number}",
            fields={"query": f"dish {number} without nuts"},
            sides=(f"dish {number} has no nuts", f"dish {number} has nuts"),
            ids=("u1", "u2", "u3"),
            groups={"course": "soup" if number % 2 else "cake"},
            links=(f"book-{number}",),
        )
        for number in range(count)
    ]
    decoy = AnnotationItem("decoy", {"query": "soup"}, sides=("a soup", "a bicycle"), expected={"satisfies": "first"})
    return ItemSet("dishes", "dishes 1", questions, [*items, decoy])


def make_batch(folder: Path, count: int = 6, *, repeats: float = 0.0, seed: int = 0) -> AnnotationBatch:
    return write_batch(folder / "batch", dishes(count), seed=seed, repeats=repeats)


Answer = Callable[[AnnotationTask], Mapping[str, AnswerValue]]


def by_the_book(task: AnnotationTask) -> dict[str, AnswerValue]:
    """In the terms of the item."""
    return {"satisfies": "first", "fit": "well"}


def answer_all(batch: AnnotationBatch, annotator: str, answer: Answer = by_the_book) -> None:
    """Every task of an annotator's queue, all at once."""
    batch.store.append(
        [
            EventDraft(annotator, task.item.id, name, value, task.copy)
            for task in tasks_of(batch, annotator)
            for name, value in answer(task).items()
        ],
        START,
    )


def take_back(batch: AnnotationBatch, annotator: str) -> tuple[str, int] | None:
    """What a person kept last, as if they knew of all that they said."""
    own = batch.store.events(annotator)
    return take_back_last(batch, annotator, own[-1].number if own else 0, START)


def said_of(batch: AnnotationBatch) -> CurrentAnswers:
    return current_answers(batch.store.events())


def read_csv(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def write_csv(file: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return file
