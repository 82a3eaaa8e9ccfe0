"""Labels: one value per item and question, agreed by all or ruled by a third person. There is no majority vote."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers, leave_out
from constraintsuite.suites.annotation.records import AnnotationItem, AnswerValue, spell_value

LabelStatus = Literal["agreed", "ruled", "single", "open", "unanswered"]
"""Two or more people gave the same answer, a third person ruled, one person answered, people differ, nobody answered."""


@dataclass(frozen=True, slots=True)
class Label:
    """The label of one item for one question."""

    value: AnswerValue | None
    how: LabelStatus
    annotators: int
    reason: str = ""
    """The reason of a ruling."""


@dataclass(frozen=True)
class LabelledItem:
    """An item with its labels, by question."""

    item: str
    groups: Mapping[str, str]
    labels: Mapping[str, Label]
    notes: tuple[str, ...] = ()
    """Notes of annotators, and rulings that no longer count."""

    def settled(self, question: str) -> AnswerValue | None:
        """The value of an agreed or ruled label, else None."""
        label = self.labels[question]
        return label.value if label.how in ("agreed", "ruled") else None


def label_all(batch: AnnotationBatch, current: CurrentAnswers) -> list[LabelledItem]:
    """Label all items that count, in the order of the batch."""
    return [_label_item(batch, item, current) for item in batch.judged]


def write_labels(batch: AnnotationBatch, folder: Path, without: Collection[str] = ()) -> list[LabelledItem]:
    """Write `labels.jsonl`, one line per item, and `events.jsonl`, the events that the labels follow from."""
    events = leave_out(batch.store.events(), without)
    labelled = label_all(batch, current_answers(events))
    write_jsonl(folder / "labels.jsonl", labelled)
    write_jsonl(folder / "events.jsonl", events)
    return labelled


def _label_item(batch: AnnotationBatch, item: AnnotationItem, current: CurrentAnswers) -> LabelledItem:
    notes: dict[str, None] = {}
    lapsed = []
    for question in batch.questions:
        notes |= dict.fromkeys(event.note for event in current.of(item.id, question).values() if event.note)
        if ruling := current.lapsed.get((item.id, question)):
            lapsed.append(
                f"{question}: a ruling ({spell_value(ruling.value)}) counts no longer, as answers were changed after it"
            )
    labels = {question: _label(item.id, question, current) for question in batch.questions}
    return LabelledItem(item.id, dict(item.groups), labels, (*notes, *lapsed))


def _label(item: str, question: str, current: CurrentAnswers) -> Label:
    values = [event.value for event in current.of(item, question).values()]
    if ruling := current.rulings.get((item, question)):
        return Label(ruling.value, "ruled", len(values), ruling.note)
    if not values:
        return Label(None, "unanswered", 0)
    if len(set(values)) > 1:
        return Label(None, "open", len(values))
    return Label(values[0], "single" if len(values) == 1 else "agreed", len(values))
