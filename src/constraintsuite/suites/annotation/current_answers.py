"""What counts of all that was said: the last answer of each person that was not taken back, and rulings on just these."""

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
from constraintsuite.suites.annotation.records import AnnotationEvent, AnswerValue

LONGEST_SECONDS = 600
"""Between two answers of one person; a longer gap was a pause."""


@dataclass(frozen=True)
class CurrentAnswers:
    """The answers and rulings that count, out of all events of a batch."""

    answers: Mapping[tuple[str, int, str], Mapping[str, AnnotationEvent]]
    """By item, copy and question: the answer of each annotator."""
    rulings: Mapping[tuple[str, str], AnnotationEvent]
    """By item and question; the last one, if people say what they said when it was made."""
    lapsed: Mapping[tuple[str, str], AnnotationEvent]
    """Last rulings on what people no longer say."""

    @cached_property
    def judges(self) -> Mapping[str, frozenset[str]]:
        """Who has answered anything about an item, by item."""
        found: dict[str, set[str]] = defaultdict(set)
        for (item, _, _), answers in self.answers.items():
            found[item].update(answers)
        return {item: frozenset(names) for item, names in found.items()}

    def of(self, item: str, question: str, copy: int = 0) -> Mapping[str, AnnotationEvent]:
        """Who said what of an item."""
        return self.answers.get((item, copy, question), {})

    @property
    def annotators(self) -> tuple[str, ...]:
        """All who answered anything, by name."""
        return tuple(sorted({name for names in self.judges.values() for name in names}))


def standing(events: Iterable[AnnotationEvent]) -> CurrentAnswers:
    """Fold events in their order."""
    said: dict[tuple[str, int, str], dict[str, tuple[AnnotationEvent, ...]]] = defaultdict(dict)
    ruled: dict[tuple[str, str], list[tuple[AnnotationEvent, dict[str, AnswerValue]]]] = defaultdict(list)
    for event in events:
        people = said[event.item, event.copy, event.question]
        before = people.get(event.annotator, ())
        if event.kind == "answer":
            people[event.annotator] = (*before, event)
        elif event.kind == "ruling":
            ruled[event.item, event.question].append((event, _values(_last(people))))
        else:
            people[event.annotator] = tuple(one for one in before if one.number != event.undoes)
            rulings_there = ruled[event.item, event.question]
            rulings_there[:] = [one for one in rulings_there if one[0].number != event.undoes]
    made = {key: there[-1] for key, there in ruled.items() if there}
    rulings = {
        key: one for key, one in made.items() if len(set(one[1].values())) > 1
    }  # not if who differed is left out
    answers = {key: last for key, people in said.items() if (last := _last(people))}
    hold = {key: seen == _values(answers.get((key[0], 0, key[1]), {})) for key, (_, seen) in rulings.items()}
    return CurrentAnswers(
        answers,
        {key: event for key, (event, _) in rulings.items() if hold[key]},
        {key: event for key, (event, _) in rulings.items() if not hold[key]},
    )


def leave_out(events: Sequence[AnnotationEvent], names: Collection[str]) -> list[AnnotationEvent]:
    """Events without all that some people said, their rulings too; what they took back of others stays taken back.

    A name of nobody is a UserError, perhaps misspelt.
    """
    people = {event.annotator for event in events}
    if unknown := sorted(set(names) - people):
        there = ", ".join(sorted(people)) or "nobody"
        raise UserError(f"{', '.join(unknown)}: nobody of this name has given an answer. There are: {there}.")
    theirs = {event.number for event in events if event.kind != "undo" and event.annotator in names}
    return [event for event in events if not theirs & {event.number, event.undoes}]


def _last(people: Mapping[str, tuple[AnnotationEvent, ...]]) -> dict[str, AnnotationEvent]:
    return {name: events[-1] for name, events in people.items() if events}


def _values(answers: Mapping[str, AnnotationEvent]) -> dict[str, AnswerValue]:
    """Who said what, without notes: one that was added later changes nothing that was ruled on."""
    return {name: event.value for name, event in answers.items()}


def tasks_left(batch: AnnotationBatch, annotator: str, said: CurrentAnswers) -> tuple[AnnotationTask, ...]:
    """What an annotator has not finished, in the order of the queue."""
    needed = [question.id for question in batch.head.questions if not question.optional]
    return tuple(
        task
        for task in tasks_of(batch, annotator)
        if any(annotator not in said.of(task.item.id, question, task.copy) for question in needed)
    )


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """How far an annotator is."""

    annotator: str
    done: int
    total: int
    seconds_left: float | None
    """By the median time from one item to the next; None where answers came from a sheet, all at once."""


def progress_of(batch: AnnotationBatch, annotator: str, events: Iterable[AnnotationEvent]) -> AnnotatorProgress:
    """Items done, items in all, and the time that the rest will take."""
    events = list(events)
    left = len(tasks_left(batch, annotator, standing(events)))
    total = len(tasks_of(batch, annotator))
    pace = _seconds_an_item([event for event in events if event.annotator == annotator and event.kind == "answer"])
    return AnnotatorProgress(annotator, total - left, total, None if pace is None else pace * left)


def _seconds_an_item(answers: Iterable[AnnotationEvent]) -> float | None:
    last: dict[tuple[str, int], datetime] = {}
    for event in answers:
        last[event.item, event.copy] = datetime.fromisoformat(event.time)
    times = sorted(last.values())
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    worked = [gap for gap in gaps if 0 < gap <= LONGEST_SECONDS]
    return median(worked) if worked else None
