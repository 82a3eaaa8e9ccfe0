"""Where people differ, a third one rules, and says why."""

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
    SIDES,
    AnnotationEvent,
    AnswerValue,
    EventDraft,
    WrongValue,
    how_to_answer,
    read_value,
    spell_value,
)
from constraintsuite.suites.annotation.tables import RowFault, read_table, refuse, write_table

SHORTEST_REASON, LONGEST_REASON = 10, LONGEST_NOTE
"""In characters."""
_COLUMNS = ("item", "question", "answers", "takes", "ruling", "reason")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item and question that two people or more answered differently."""

    item: str
    question: str
    answers: Mapping[str, AnswerValue]
    notes: Mapping[str, str]


def disagreements(batch: AnnotationBatch, said: CurrentAnswers) -> list[Disagreement]:
    """All that still wait for a ruling, or for another since answers changed."""
    return [one for one in differing(batch, said) if (one.item, one.question) not in said.rulings]


def differing(batch: AnnotationBatch, said: CurrentAnswers) -> list[Disagreement]:
    """All that people answered differently, ruled on or not. Texts may differ."""
    found = []
    for item in batch.judged:
        for question in batch.head.questions:
            answers = said.of(item.id, question.id)
            if question.kind == "text":
                continue
            if len({event.value for event in answers.values()}) > 1:
                values = {name: event.value for name, event in sorted(answers.items())}
                notes = {name: event.note for name, event in sorted(answers.items()) if event.note}
                found.append(Disagreement(item.id, question.id, values, notes))
    return found


def rule(batch: AnnotationBatch, said: CurrentAnswers, by: str, draft: tuple[str, str, str], reason: str) -> EventDraft:
    """A ruling on (item, question, answer); ruling on what one has judged oneself, or without a reason, is a UserError."""
    check_name(by)
    item, question, text = draft
    reason = reason.strip()
    if item not in batch.items or batch.items[item].expected:
        raise UserError(f"no item {item!r} to rule on in {batch.path}.")
    if question not in batch.questions:
        raise UserError(f"no question {question!r}. There are: {', '.join(batch.questions)}.")
    if len({event.value for event in said.of(item, question).values()}) < 2:
        raise UserError(f"{item}, {question}: there is no disagreement here, so there is nothing to rule on.")
    _refuse_judge(said, item, by)
    if len(reason) < SHORTEST_REASON:
        raise UserError(
            f"{item}, {question}: a ruling needs a reason, in words (at least {SHORTEST_REASON} characters)."
        )
    if len(reason) > LONGEST_REASON:
        raise UserError(
            f"{item}, {question}: the reason has {len(reason):,} characters; {LONGEST_REASON:,} are the most."
        )
    try:
        value = read_value(batch.questions[question], batch.items[item], text)
    except WrongValue as error:
        raise UserError(f"{item}, {error}") from None
    return EventDraft(by, item, question, value, note=reason, kind="ruling")


def _refuse_judge(said: CurrentAnswers, item: str, by: str) -> None:
    if has_judged(said, item, by):
        raise UserError(f"{item}: {by} has judged this item. A third person must rule on it.")


def answers_without_names(one: Disagreement) -> list[tuple[AnswerValue, str]]:
    """What was said, and the note with it; not in the order of names: who said it is no reason."""
    names = sorted(one.answers, key=lambda name: stable_hash("ruling", one.item, name))
    return [(one.answers[name], one.notes.get(name, "")) for name in names]


def write_disagreements(batch: AnnotationBatch, by: str, file: Path) -> int:
    """Write a sheet of all that waits for a ruling, without names; gives how many lines it has."""
    said = current_answers(batch.store.events())
    waiting = [one for one in disagreements(batch, said) if not has_judged(said, one.item, check_name(by))]
    if not waiting:
        raise UserError(f"{batch.path}: nothing waits for a ruling by {by}.")
    fields = dict.fromkeys(name for one in waiting for name in batch.items[one.item].fields)
    sides = SIDES if any(batch.items[one.item].sides for one in waiting) else ()
    columns = (_COLUMNS[0], *fields, *sides, *_COLUMNS[1:])
    write_table(file, columns, (_line(batch, one) for one in waiting))
    return len(waiting)


def read_rulings(batch: AnnotationBatch, by: str, file: Path) -> list[EventDraft]:
    """The rulings of a sheet; lines without one are left open, any fault is a UserError."""
    check_name(by)
    said = current_answers(batch.store.events())
    _, rows = read_table(file, _COLUMNS)
    faults: list[RowFault] = []
    drafts: dict[tuple[str, str], EventDraft] = {}
    for row in rows:
        if not row.cells["ruling"]:
            continue
        try:
            cells = row.cells
            found = rule(batch, said, by, (cells["item"], cells["question"], cells["ruling"]), cells["reason"])
        except UserError as error:
            faults.append(RowFault(row.line, str(error)))
            continue
        if (found.item, found.question) in drafts:
            faults.append(
                RowFault(row.line, f"{found.item}, {found.question}: ruled on twice in this sheet; keep one.")
            )
        else:
            drafts[found.item, found.question] = found
    refuse(file, faults)
    return list(drafts.values())


def has_judged(said: CurrentAnswers, item: str, name: str) -> bool:
    """Whether somebody has answered anything about an item, and so cannot rule on it."""
    return name in said.judges.get(item, ())


def _line(batch: AnnotationBatch, one: Disagreement) -> dict[str, str]:
    """Here sides are those of the item: a ruling is in its terms."""
    item = batch.items[one.item]
    said = [f"{spell_value(answer)}{f' ({note})' if note else ''}" for answer, note in answers_without_names(one)]
    sides = dict(zip(SIDES, item.sides, strict=True)) if item.sides else {}
    takes = how_to_answer(batch.questions[one.question])
    return {
        "item": item.id,
        **item.fields,
        **sides,
        "question": one.question,
        "answers": " | ".join(said),
        "takes": takes,
    }


_STALE = "Somebody has answered or ruled on this meanwhile. Nothing was changed: look once more."


def state_of(said: CurrentAnswers, item: str, question: str) -> str:
    """Names what was said of an item and how it was ruled; if anybody says anything else, it is another."""
    answers, ruling = said.of(item, question), said.rulings.get((item, question))
    numbers = [answers[name].number for name in sorted(answers)]
    return sha256_text(*map(str, numbers), f"ruled {ruling.number}" if ruling is not None else "open")[:16]


def keep_ruling(
    batch: AnnotationBatch, by: str, ruling: tuple[str, str, str], reason: str, seen: str, now: datetime
) -> None:
    """Rule on (item, question, answer); what was ruled before counts no longer. The same once more changes nothing.

    `seen` is the `state_of` it that the person knew; if it is another by now, it is a StaleError.
    """
    item, question, _ = ruling
    with batch.store.turn(now) as turn:
        said = current_answers(turn.events(item=item))
        draft, before = rule(batch, said, by, ruling, reason), said.rulings.get((item, question))
        if before is not None and (before.annotator, before.value, before.note) == (by, draft.value, draft.note):
            return
        if state_of(said, item, question) != seen:
            raise StaleError(_STALE)
        turn.append([draft])


def take_back_ruling(batch: AnnotationBatch, by: str, item: str, question: str, seen: str, now: datetime) -> None:
    """Have something wait for a ruling again: the one that counts is taken back, and those that it replaced."""
    with batch.store.turn(now) as turn:
        events = turn.events(item=item)
        said = current_answers(events)
        if state_of(said, item, question) != seen:
            raise StaleError(_STALE)
        if (item, question) not in said.rulings:
            raise UserError(f"{item}, {question}: there is no ruling here to take back.")
        _refuse_judge(said, item, by)
        turn.take_back(_standing_rulings(events, item, question), by)


def last_ruling_of(events: Iterable[AnnotationEvent], by: str, item: str, question: str) -> AnnotationEvent | None:
    """What a person ruled last, whether it counts or not."""
    own = (one for one in events if one.kind == "ruling" and one.annotator == by)
    return max(
        (one for one in own if (one.item, one.question) == (item, question)), key=lambda one: one.number, default=None
    )


def _standing_rulings(events: Iterable[AnnotationEvent], item: str, question: str) -> list[AnnotationEvent]:
    there = [one for one in events if (one.item, one.question) == (item, question)]
    undone = {one.undoes for one in there}
    return [one for one in there if one.kind == "ruling" and one.number not in undone]
