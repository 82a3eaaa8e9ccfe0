"""Disagreements, and the rulings of a third person on them, each with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.store.files import sha256_text
from constraintsuite.suites.annotation.answers import LONGEST_NOTE, StaleError
from constraintsuite.suites.annotation.batch import AnnotationBatch, check_name
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
from constraintsuite.suites.annotation.records import (
    AnnotationEvent,
    AnswerValue,
    EventDraft,
    WrongValue,
    how_to_answer,
    read_value,
    spell_value,
)
from constraintsuite.suites.annotation.tables import RowFault, read_csv, refuse, write_csv

SHORTEST_REASON, LONGEST_REASON = 10, LONGEST_NOTE
"""In characters."""
_COLUMNS = ("item", "question", "answers", "takes", "ruling", "reason")
_STALE = "Somebody has answered or ruled on this in the meantime. Nothing was changed. Look again."


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question about an item that two or more people answered differently."""

    item: str
    question: str
    answers: Mapping[str, AnswerValue]
    """By annotator."""
    notes: Mapping[str, str]
    """By annotator."""


def open_disagreements(batch: AnnotationBatch, current: CurrentAnswers) -> list[Disagreement]:
    """The disagreements without a ruling that counts."""
    return [one for one in all_disagreements(batch, current) if (one.item, one.question) not in current.rulings]


def all_disagreements(batch: AnnotationBatch, current: CurrentAnswers) -> list[Disagreement]:
    """Find all disagreements, with and without a ruling. Different free-text answers do not count as a disagreement."""
    found = []
    for item in batch.judged:
        for question in batch.head.questions:
            answers = dict(sorted(current.of(item.id, question.id).items()))
            if question.kind != "text" and len({event.value for event in answers.values()}) > 1:
                values = {name: event.value for name, event in answers.items()}
                notes = {name: event.note for name, event in answers.items() if event.note}
                found.append(Disagreement(item.id, question.id, values, notes))
    return found


def rule(
    batch: AnnotationBatch, current: CurrentAnswers, by: str, ruling: tuple[str, str, str], reason: str
) -> EventDraft:
    """Make a ruling (item, question, answer). Raises UserError if the person judged the item, or gives no reason."""
    check_name(by)
    item, question, text = ruling
    reason = reason.strip()
    if item not in batch.items or batch.items[item].expected:
        raise UserError(f"no item {item!r} to rule on in {batch.path}.")
    if question not in batch.questions:
        raise UserError(f"no question {question!r}. There are: {', '.join(batch.questions)}.")
    if len({event.value for event in current.of(item, question).values()}) < 2:
        raise UserError(f"{item}, {question}: there is no disagreement here, so there is nothing to rule on.")
    _refuse_judge(current, item, by)
    if not SHORTEST_REASON <= len(reason) <= LONGEST_REASON:
        bounds = f"{SHORTEST_REASON} to {LONGEST_REASON:,} characters; there are {len(reason):,}"
        raise UserError(f"{item}, {question}: a ruling needs a reason, in words ({bounds}).")
    try:
        value = read_value(batch.questions[question], batch.items[item], text)
    except WrongValue as error:
        raise UserError(f"{item}, {error}") from None
    return EventDraft(by, item, question, value, note=reason, kind="ruling")


def has_judged(current: CurrentAnswers, item: str, name: str) -> bool:
    """Whether a person has answered anything about an item, and so cannot rule on it."""
    return name in current.judges.get(item, ())


def _refuse_judge(current: CurrentAnswers, item: str, by: str) -> None:
    if has_judged(current, item, by):
        raise UserError(f"{item}: {by} has judged this item. A third person must rule on it.")


def answers_without_names(one: Disagreement) -> list[tuple[AnswerValue, str]]:
    """The answers and their notes in a random order, so that nobody rules by who gave them."""
    names = sorted(one.answers, key=lambda name: stable_hash("ruling", one.item, name))
    return [(one.answers[name], one.notes.get(name, "")) for name in names]


def write_disagreements(batch: AnnotationBatch, by: str, file: Path) -> int:
    """Write a sheet of the open disagreements that a person may rule on, without names; return how many there are."""
    current = current_answers(batch.store.events())
    found = [one for one in open_disagreements(batch, current) if not has_judged(current, one.item, check_name(by))]
    if not found:
        raise UserError(f"{batch.path}: nothing waits for a ruling by {by}.")
    rows = [_row(batch, one) for one in found]
    shown = dict.fromkeys(name for row in rows for name in row if name not in _COLUMNS)
    write_csv(file, (_COLUMNS[0], *shown, *_COLUMNS[1:]), rows)
    return len(found)


def read_rulings(batch: AnnotationBatch, by: str, file: Path) -> list[EventDraft]:
    """Read the rulings of a filled sheet. Rows without a ruling stay open. Raises UserError for any fault."""
    check_name(by)
    current = current_answers(batch.store.events())
    faults: list[RowFault] = []
    drafts: dict[tuple[str, str], EventDraft] = {}
    for line, cells in read_csv(file, _COLUMNS)[1]:
        if not cells["ruling"]:
            continue
        place = cells["item"], cells["question"]
        try:
            ruling = rule(batch, current, by, (*place, cells["ruling"]), cells["reason"])
        except UserError as error:
            faults.append(RowFault(line, str(error)))
            continue
        if place in drafts:
            faults.append(RowFault(line, f"{', '.join(place)}: ruled on twice in this sheet; keep one."))
        drafts[place] = ruling
    refuse(file, faults)
    return list(drafts.values())


def _row(batch: AnnotationBatch, one: Disagreement) -> dict[str, str]:
    """A row of the sheet. The sides are as in the item and in the ruling."""
    item = batch.items[one.item]
    answers = [f"{spell_value(answer)}{f' ({note})' if note else ''}" for answer, note in answers_without_names(one)]
    return {
        "item": item.id,
        **item.shown(),
        "question": one.question,
        "answers": " | ".join(answers),
        "takes": how_to_answer(batch.questions[one.question]),
    }


def state_of(current: CurrentAnswers, item: str, question: str) -> str:
    """A hash of the answers and the ruling on a question. It tells whether anything changed since a page was shown."""
    answers, ruling = current.of(item, question), current.rulings.get((item, question))
    numbers = [answers[name].number for name in sorted(answers)]
    return sha256_text(*map(str, numbers), f"ruled {ruling.number}" if ruling is not None else "open")[:16]


def keep_ruling(
    batch: AnnotationBatch, by: str, ruling: tuple[str, str, str], reason: str, seen: str, now: datetime
) -> None:
    """Store a ruling (item, question, answer), which replaces an earlier one. Sending the same twice changes nothing.

    `seen` is the `state_of` the question that the person knew. If it has changed, it is a StaleError.
    """
    item, question, _ = ruling
    with batch.store.transaction(now) as transaction:
        current = current_answers(transaction.events(item=item))
        draft, before = rule(batch, current, by, ruling, reason), current.rulings.get((item, question))
        if before is not None and (before.annotator, before.value, before.note) == (by, draft.value, draft.note):
            return
        if state_of(current, item, question) != seen:
            raise StaleError(_STALE)
        transaction.append([draft])


def take_back_ruling(batch: AnnotationBatch, by: str, item: str, question: str, seen: str, now: datetime) -> None:
    """Undo the ruling on a question and those that it replaced, so that the disagreement is open again."""
    with batch.store.transaction(now) as transaction:
        events = transaction.events(item=item)
        current = current_answers(events)
        if state_of(current, item, question) != seen:
            raise StaleError(_STALE)
        if (item, question) not in current.rulings:
            raise UserError(f"{item}, {question}: there is no ruling here to take back.")
        _refuse_judge(current, item, by)
        undone = {event.undoes for event in events}
        rulings = [event for event in events if event.kind == "ruling" and event.question == question]
        transaction.take_back([event for event in rulings if event.number not in undone], by)


def last_ruling_of(events: Iterable[AnnotationEvent], by: str, item: str, question: str) -> AnnotationEvent | None:
    """A person's last ruling on a question, whether it counts or not."""
    wanted = ("ruling", by, item, question)
    own = [event for event in events if (event.kind, event.annotator, event.item, event.question) == wanted]
    return own[-1] if own else None
