"""Store or undo a person's answers to one item, all of them or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
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
    """Something was stored since the person loaded the page, so they may no longer want this."""


class FaultyError(UserError):
    """Answers that cannot be stored; the message lists what is wrong with each."""


@dataclass(frozen=True)
class TaskAnswers:
    """A person's answers to one task."""

    answers: Mapping[str, str]
    """By question, as a person writes them; empty for no answer. Sides are named as they were shown."""
    note: str = ""
    seen: int = 0
    """Number of the last event that the person knew of: `last_event_on` the task when it was shown."""


def last_event_on(task: AnnotationTask, own: Iterable[AnnotationEvent]) -> int:
    """The number of a person's last event on a task; 0 if there is none."""
    return max((event.number for event in _events_on(task, own)), default=0)


def answers_to(task: AnnotationTask, own: Iterable[AnnotationEvent]) -> dict[str, AnnotationEvent]:
    """A person's current answers to a task, by question."""
    current = current_answers(_events_on(task, own))
    return {question: event for (_, _, question), people in current.answers.items() for event in people.values()}


def undone_answers(task: AnnotationTask, own: Iterable[AnnotationEvent]) -> dict[str, AnnotationEvent]:
    """The answers to a task that a person took back last, by question. A page fills them in again."""
    events = {event.number: event for event in _events_on(task, own)}
    undos = [event for event in events.values() if event.kind == "undo"]
    together = [events[event.undoes] for event in undos if event.time == undos[-1].time and event.undoes in events]
    return {event.question: event for event in together}


def keep_answers(
    batch: AnnotationBatch, annotator: str, task: AnnotationTask, given: TaskAnswers, now: datetime
) -> int:
    """Store the answers to one task that are new or changed, and return how many there are.

    Raises FaultyError if one is missing or wrong, StaleError if the person has answered the task since. Then nothing is
    stored. Sending the same answers twice is not an error, and changes nothing.
    """
    with batch.store.transaction(now) as transaction:
        own = transaction.events(annotator, task.item.id)
        current = current_answers(own)
        answers, faults = read_answers(batch, annotator, task, given, current)
        if len(given.note) > LONGEST_NOTE:
            faults.insert(0, f"The note has {len(given.note):,} characters; {LONGEST_NOTE:,} are the most.")
        if faults:
            raise FaultyError("\n".join(faults))
        new = list(filter(current.is_new, answers))
        if new and last_event_on(task, own) != given.seen:
            raise StaleError(
                "You have answered this item in the meantime, perhaps in another window. Nothing was changed."
            )
        transaction.append(new)
        return len(new)


def read_answers(
    batch: AnnotationBatch,
    annotator: str,
    task: AnnotationTask,
    given: TaskAnswers,
    current: CurrentAnswers,
    *,
    partial: bool = False,
) -> tuple[list[EventDraft], list[str]]:
    """Read a person's answers to a task, and list the faults in them. If `partial`, an empty answer is not a fault."""
    drafts: list[EventDraft] = []
    faults: list[str] = []
    for question in batch.head.questions:
        text = given.answers.get(question.id, "").strip()
        if partial and not text:
            continue
        answered = annotator in current.of(task.item.id, question.id, task.copy)
        try:
            value = _value(task, question, text, answered)
        except WrongValue as error:
            faults.append(str(error))
        else:
            if value is not None:
                drafts.append(EventDraft(annotator, task.item.id, question.id, value, task.copy, given.note))
    return drafts, faults


def take_back_last(batch: AnnotationBatch, annotator: str, seen: int, now: datetime) -> tuple[str, int] | None:
    """Undo all answers that a person stored last, and return their item and copy; None if nothing is left to undo.

    `seen` is the number of the last event that the person knew of. If there is a later one, it is a StaleError.
    """
    with batch.store.transaction(now) as transaction:
        own = transaction.events(annotator)
        if (own[-1].number if own else 0) != seen:
            raise StaleError(
                "You have answered something in the meantime, perhaps in another window. Nothing was taken back."
            )
        undone = {event.undoes for event in own}
        answers = [event for event in own if event.kind == "answer" and event.number not in undone]
        if not answers:
            return None
        item, copy, time = answers[-1].item, answers[-1].copy, answers[-1].time
        together = [event for event in answers if (event.item, event.copy, event.time) == (item, copy, time)]
        transaction.take_back(together, annotator)
        return item, copy


def _events_on(task: AnnotationTask, events: Iterable[AnnotationEvent]) -> Iterator[AnnotationEvent]:
    return (event for event in events if (event.item, event.copy) == (task.item.id, task.copy))


def _value(task: AnnotationTask, question: AnnotationQuestion, text: str, answered: bool) -> AnswerValue | None:
    """The answer with the sides of the item; None if an optional question stays without an answer."""
    if len(text) > LONGEST_TEXT:
        raise WrongValue(f"{question.id}: {len(text):,} characters; {LONGEST_TEXT:,} are the most.")
    if text:
        return task.as_meant(read_value(question, task.item, text))
    if question.kind == "text" and answered:
        return ""  # an empty text deletes the earlier one
    if question.optional and not answered:
        return None
    raise WrongValue(f"{question.id}: there is no answer. It takes {how_to_answer(question)}.")
