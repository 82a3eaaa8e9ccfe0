"""One item at a time: what a person says of it, kept whole or not at all, and taken back as it was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask
from constraintsuite.suites.annotation.current_answers import current_answers
from constraintsuite.suites.annotation.records import (
    AnnotationEvent,
    AnnotationQuestion,
    AnswerValue,
    EventDraft,
    WrongValue,
    how_to_answer,
    read_value,
)

LONGEST_NOTE, LONGEST_TEXT = 2_000, 10_000
"""In characters."""


class StaleError(UserError):
    """Something was said since the person last looked, so that what they meant may no longer be what would happen."""


class FaultyError(UserError):
    """Answers that cannot be kept; the message says which and why."""


@dataclass(frozen=True)
class TaskAnswers:
    """What a person says of one task."""

    answers: Mapping[str, str]
    """By question, as they would write it; empty for none. Sides are as they were shown."""
    note: str = ""
    seen: int = 0
    """The last event that they knew of: `last_of` when they were shown the task."""


def last_of(task: AnnotationTask, own: Iterable[AnnotationEvent]) -> int:
    """The number of the last event of a person on a task, 0 if there is none."""
    return max((event.number for event in own if (event.item, event.copy) == (task.item.id, task.copy)), default=0)


def answers_to(task: AnnotationTask, own: Iterable[AnnotationEvent]) -> dict[str, AnnotationEvent]:
    """What a person says of a task now, by question, in the terms of the item."""
    said = current_answers(event for event in own if (event.item, event.copy) == (task.item.id, task.copy))
    return {question: event for (_, _, question), people in said.answers.items() for event in people.values()}


def taken_back(task: AnnotationTask, own: Iterable[AnnotationEvent]) -> dict[str, AnnotationEvent]:
    """What a person took back last of a task, by question: it does not count, but is what they had said."""
    about = {event.number: event for event in own if (event.item, event.copy) == (task.item.id, task.copy)}
    undos = [event for event in about.values() if event.kind == "undo"]
    together = [about[event.undoes] for event in undos if event.time == undos[-1].time and event.undoes in about]
    return {event.question: event for event in together}


def keep_answers(
    batch: AnnotationBatch, annotator: str, task: AnnotationTask, given: TaskAnswers, now: datetime
) -> int:
    """Write what is new in the answers to one task; gives how many events that took.

    The same once more changes nothing. Other answers than those that were given meanwhile are a StaleError; one that is
    missing or not among the options is a FaultyError. Then nothing is kept.
    """
    with batch.store.turn(now) as turn:
        own = turn.events(annotator, task.item.id)
        before = answers_to(task, own)
        drafts = _drafts(batch, annotator, task, given, before)
        if drafts and last_of(task, own) != given.seen:
            raise StaleError("You have answered this item meanwhile, perhaps in another window. Nothing was changed.")
        turn.append(drafts)
        return len(drafts)


def take_back_last(batch: AnnotationBatch, annotator: str, seen: int, now: datetime) -> tuple[str, int] | None:
    """Take back what a person kept last, all of it; gives the item and copy it was about, or None if nothing stands.

    `seen` is the last event of theirs that they knew of; if there was another meanwhile, it is a StaleError.
    """
    with batch.store.turn(now) as turn:
        own = turn.events(annotator)
        if (own[-1].number if own else 0) != seen:
            raise StaleError(
                "You have answered something meanwhile, perhaps in another window. Nothing was taken back."
            )
        undone = {event.undoes for event in own}
        standing_still = [event for event in own if event.kind == "answer" and event.number not in undone]
        if not standing_still:
            return None
        last = standing_still[-1]
        turn.take_back([event for event in standing_still if _together(event) == _together(last)], annotator)
        return last.item, last.copy


def _together(event: AnnotationEvent) -> tuple[str, int, str]:
    """Answers to one task that were kept at one time."""
    return event.item, event.copy, event.time


def _drafts(
    batch: AnnotationBatch,
    annotator: str,
    task: AnnotationTask,
    given: TaskAnswers,
    before: Mapping[str, AnnotationEvent],
) -> Sequence[EventDraft]:
    drafts: list[EventDraft] = []
    long = len(given.note) > LONGEST_NOTE
    faults = [f"The note has {len(given.note):,} characters; {LONGEST_NOTE:,} are the most."] if long else []
    for question in batch.head.questions:
        try:
            value = _value(task, question, given.answers.get(question.id, ""), before.get(question.id))
        except WrongValue as error:
            faults.append(str(error))
            continue
        if value is None:
            continue
        old = before.get(question.id)
        if old is None or (old.value, old.note) != (value, given.note):
            drafts.append(EventDraft(annotator, task.item.id, question.id, value, task.copy, given.note))
    if faults:
        raise FaultyError("\n".join(faults))
    return drafts


def _value(
    task: AnnotationTask, question: AnnotationQuestion, text: str, before: AnnotationEvent | None
) -> AnswerValue | None:
    """In the terms of the item; None where an optional question stays unanswered."""
    if len(text) > LONGEST_TEXT:
        raise WrongValue(f"{question.id}: {len(text):,} characters; {LONGEST_TEXT:,} are the most.")
    if text.strip():
        return task.as_meant(read_value(question, task.item, text))
    if question.kind == "text" and before is not None:
        return ""  # words are struck out by leaving none
    if before is None and question.optional:
        return None
    raise WrongValue(f"{question.id}: there is no answer. It takes {how_to_answer(question)}.")
