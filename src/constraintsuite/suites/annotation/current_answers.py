"""Find the answers and rulings that count now, out of all events, and each annotator's progress."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from statistics import median

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, tasks_of
from constraintsuite.suites.annotation.records import AnnotationEvent, AnswerValue, EventDraft

LONGEST_SECONDS = 600
"""A longer time between two answers of a person counts as a pause."""


@dataclass(frozen=True)
class CurrentAnswers:
    """The answers and rulings that count, out of all events of a batch."""

    answers: Mapping[tuple[str, int, str], Mapping[str, AnnotationEvent]]
    """By item, copy and question: the answer of each annotator."""
    rulings: Mapping[tuple[str, str], AnnotationEvent]
    """By item and question: the last ruling, if everybody's answer is still what it was when the ruling was made."""
    lapsed: Mapping[tuple[str, str], AnnotationEvent]
    """Last rulings that no longer count, because somebody's answer changed afterwards."""

    @cached_property
    def judges(self) -> Mapping[str, frozenset[str]]:
        """The people who answered anything about an item, by item."""
        found: dict[str, set[str]] = defaultdict(set)
        for (item, _, _), answers in self.answers.items():
            found[item].update(answers)
        return {item: frozenset(names) for item, names in found.items()}

    def of(self, item: str, question: str, copy: int = 0) -> Mapping[str, AnnotationEvent]:
        """The answer of each person to a question about an item."""
        return self.answers.get((item, copy, question), {})

    def is_new(self, draft: EventDraft) -> bool:
        """Whether an answer, or its note, differs from the one that its annotator has given so far."""
        before = self.of(draft.item, draft.question, draft.copy).get(draft.annotator)
        return before is None or (before.value, before.note) != (draft.value, draft.note)

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of all people who answered anything, sorted."""
        return tuple(sorted(set().union(*self.judges.values())))


def current_answers(events: Iterable[AnnotationEvent]) -> CurrentAnswers:
    """Replay events in their order, and keep each person's last answer and the last ruling on each disagreement."""
    given: dict[tuple[str, int, str], dict[str, list[AnnotationEvent]]] = defaultdict(lambda: defaultdict(list))
    ruled: dict[tuple[str, str], list[tuple[AnnotationEvent, dict[str, AnswerValue]]]] = defaultdict(list)
    for event in events:
        people, rulings = given[event.item, event.copy, event.question], ruled[event.item, event.question]
        if event.kind == "answer":
            people[event.annotator].append(event)
        elif event.kind == "ruling":
            rulings.append((event, _values(_last_answers(people))))
        else:
            own = people[event.annotator]
            own[:] = [answer for answer in own if answer.number != event.undoes]
            rulings[:] = [ruling for ruling in rulings if ruling[0].number != event.undoes]
    answers = {key: last for key, people in given.items() if (last := _last_answers(people))}
    counting: dict[tuple[str, str], AnnotationEvent] = {}
    lapsed: dict[tuple[str, str], AnnotationEvent] = {}
    for (item, question), made in ruled.items():
        # Without the answers of people who are left out, there may have been no disagreement to rule on.
        if made and len(set(made[-1][1].values())) > 1:
            ruling, seen = made[-1]
            unchanged = seen == _values(answers.get((item, 0, question), {}))
            (counting if unchanged else lapsed)[item, question] = ruling
    return CurrentAnswers(answers, counting, lapsed)


def leave_out(events: Sequence[AnnotationEvent], names: Collection[str]) -> list[AnnotationEvent]:
    """Drop all answers and rulings of some people. Undos that they made of other people's answers remain in effect.

    Raises UserError if nobody has a name, since it is probably misspelt.
    """
    people = {event.annotator for event in events}
    if unknown := sorted(set(names) - people):
        there = ", ".join(sorted(people)) or "nobody"
        raise UserError(f"{', '.join(unknown)}: nobody of this name has given an answer. There are: {there}.")
    theirs = {event.number for event in events if event.kind != "undo" and event.annotator in names}
    return [event for event in events if not theirs & {event.number, event.undoes}]


def _last_answers(people: Mapping[str, Sequence[AnnotationEvent]]) -> dict[str, AnnotationEvent]:
    return {name: events[-1] for name, events in people.items() if events}


def _values(answers: Mapping[str, AnnotationEvent]) -> dict[str, AnswerValue]:
    """The answers without their notes: a note that is added later does not undo a ruling."""
    return {name: event.value for name, event in answers.items()}


def tasks_left(batch: AnnotationBatch, annotator: str, answers: CurrentAnswers) -> tuple[AnnotationTask, ...]:
    """The tasks that an annotator has not finished, in the order of the queue."""
    needed = [question.id for question in batch.head.questions if not question.optional]
    return tuple(
        task
        for task in tasks_of(batch, annotator)
        if any(annotator not in answers.of(task.item.id, question, task.copy) for question in needed)
    )


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """How much of a queue a person has done."""

    annotator: str
    done: int
    total: int
    seconds_left: float | None
    """Estimated from the median time per item; None if all answers came at once, from a sheet."""


def progress_of(batch: AnnotationBatch, annotator: str, events: Sequence[AnnotationEvent]) -> AnnotatorProgress:
    """Count the items that a person has done, and estimate the time that the others will take."""
    left = len(tasks_left(batch, annotator, current_answers(events)))
    total = len(tasks_of(batch, annotator))
    own = [event for event in events if event.annotator == annotator and event.kind == "answer"]
    last = {(event.item, event.copy): datetime.fromisoformat(event.time) for event in own}
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(sorted(last.values()))]
    worked = [gap for gap in gaps if 0 < gap <= LONGEST_SECONDS]
    return AnnotatorProgress(annotator, total - left, total, median(worked) * left if worked else None)
