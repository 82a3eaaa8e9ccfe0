"""What counts of all that was said: the last answer of each person that was not taken back, and rulings on just these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from constraintsuite.annotate.batch import Batch
from constraintsuite.annotate.queue import Task, tasks_of
from constraintsuite.annotate.records import Event, Value

LONGEST_SECONDS = 600
"""Between two answers of one person; a longer gap was a pause."""


@dataclass(frozen=True)
class Standing:
    """The answers that count."""

    answers: Mapping[tuple[str, int, str], Mapping[str, Event]]
    """By item, copy and question: the answer of each annotator."""
    rulings: Mapping[tuple[str, str], Event]
    """By item and question; the last one, if people say what they said when it was made."""
    lapsed: Mapping[tuple[str, str], Event]
    """Last rulings on what people no longer say."""

    def of(self, item: str, question: str, copy: int = 0) -> Mapping[str, Event]:
        """Who said what of an item."""
        return self.answers.get((item, copy, question), {})

    @property
    def annotators(self) -> tuple[str, ...]:
        """All who answered anything, by name."""
        return tuple(sorted({name for answers in self.answers.values() for name in answers}))


def standing(events: Iterable[Event]) -> Standing:
    """Fold events in their order."""
    said: dict[tuple[str, int, str], dict[str, tuple[Event, ...]]] = defaultdict(dict)
    rulings: dict[tuple[str, str], tuple[Event, dict[str, Value]]] = {}
    for event in events:
        people = said[event.item, event.copy, event.question]
        before = people.get(event.annotator, ())
        if event.kind == "answer":
            people[event.annotator] = (*before, event)
        elif event.kind == "undo":
            people[event.annotator] = tuple(one for one in before if one.number != event.undoes)
        else:
            rulings[event.item, event.question] = event, _values(_last(people))
    answers = {key: last for key, people in said.items() if (last := _last(people))}
    hold = {key: seen == _values(answers.get((key[0], 0, key[1]), {})) for key, (_, seen) in rulings.items()}
    return Standing(
        answers,
        {key: event for key, (event, _) in rulings.items() if hold[key]},
        {key: event for key, (event, _) in rulings.items() if not hold[key]},
    )


def _last(people: Mapping[str, tuple[Event, ...]]) -> dict[str, Event]:
    return {name: events[-1] for name, events in people.items() if events}


def _values(answers: Mapping[str, Event]) -> dict[str, Value]:
    """Who said what, without notes: one that was added later changes nothing that was ruled on."""
    return {name: event.value for name, event in answers.items()}


def tasks_left(batch: Batch, annotator: str, said: Standing) -> tuple[Task, ...]:
    """What an annotator has not finished, in the order of the queue."""
    needed = [question.id for question in batch.head.questions if not question.optional]
    return tuple(
        task
        for task in tasks_of(batch, annotator)
        if any(annotator not in said.of(task.item.id, question, task.copy) for question in needed)
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an annotator is."""

    annotator: str
    done: int
    total: int
    seconds_left: float | None
    """By the median time from one item to the next; None where answers came from a sheet, all at once."""


def progress_of(batch: Batch, annotator: str, events: Iterable[Event]) -> Progress:
    """Items done, items in all, and the time that the rest will take."""
    events = list(events)
    left = len(tasks_left(batch, annotator, standing(events)))
    total = len(tasks_of(batch, annotator))
    pace = _seconds_an_item([event for event in events if event.annotator == annotator and event.kind == "answer"])
    return Progress(annotator, total - left, total, None if pace is None else pace * left)


def _seconds_an_item(answers: Iterable[Event]) -> float | None:
    last: dict[tuple[str, int], datetime] = {}
    for event in answers:
        last[event.item, event.copy] = datetime.fromisoformat(event.time)
    times = sorted(last.values())
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    worked = [gap for gap in gaps if 0 < gap <= LONGEST_SECONDS]
    return median(worked) if worked else None
