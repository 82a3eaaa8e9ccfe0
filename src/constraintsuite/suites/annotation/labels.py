"""One label from many answers: what all said, or what was ruled; never a majority."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers, leave_out
from constraintsuite.suites.annotation.records import AnnotationItem, AnnotationQuestion, AnswerValue, spell_value

How = Literal["agreed", "ruled", "single", "open", "unanswered"]
"""All of two or more said the same, a third person ruled, only one answered, people differ, nobody answered."""
SETTLED: tuple[How, ...] = ("agreed", "ruled")


@dataclass(frozen=True, slots=True)
class Label:
    """What holds of one question."""

    value: AnswerValue | None
    how: How
    annotators: int
    reason: str = ""
    """Of a ruling."""


@dataclass(frozen=True)
class LabelledItem:
    """An item with its labels, by question."""

    item: str
    groups: Mapping[str, str]
    labels: Mapping[str, Label]
    notes: tuple[str, ...] = ()
    """What annotators added, and which rulings count no longer."""

    def settled(self, question: str) -> AnswerValue | None:
        """The value of a label that two people, or a ruling, stand for."""
        label = self.labels[question]
        return label.value if label.how in SETTLED else None


def label_all(batch: AnnotationBatch, said: CurrentAnswers) -> list[LabelledItem]:
    """The labels of all items that count, in the order of the batch."""
    return [_labelled(batch, item, said) for item in batch.judged]


def write_labels(batch: AnnotationBatch, folder: Path, without: Collection[str] = ()) -> list[LabelledItem]:
    """Write `labels.jsonl`, one line an item, and `events.jsonl`, the events that they follow from, into a folder."""
    events = leave_out(batch.store.events(), without)
    labelled = label_all(batch, current_answers(events))
    write_jsonl(folder / "labels.jsonl", labelled)
    write_jsonl(folder / "events.jsonl", events)
    return labelled


def _labelled(batch: AnnotationBatch, item: AnnotationItem, said: CurrentAnswers) -> LabelledItem:
    labels = {question.id: _label(item, question, said) for question in batch.head.questions}
    notes = {
        event.note: None for question in batch.questions for event in said.of(item.id, question).values() if event.note
    }
    lapsed = [
        f"{question}: a ruling ({spell_value(ruling.value)}) counts no longer, as answers were changed after it"
        for question in batch.questions
        if (ruling := said.lapsed.get((item.id, question))) is not None
    ]
    return LabelledItem(item.id, dict(item.groups), labels, (*notes, *lapsed))


def _label(item: AnnotationItem, question: AnnotationQuestion, said: CurrentAnswers) -> Label:
    answers = said.of(item.id, question.id)
    values = list(dict.fromkeys(event.value for _, event in sorted(answers.items())))
    ruling = said.rulings.get((item.id, question.id))
    if ruling is not None:
        return Label(ruling.value, "ruled", len(answers), ruling.note)
    if not values:
        return Label(None, "unanswered", 0)
    if len(answers) == 1:
        return Label(values[0], "single", 1)
    return Label(values[0], "agreed", len(answers)) if len(values) == 1 else Label(None, "open", len(answers))
