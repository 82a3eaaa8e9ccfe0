"""One ruling at a time: kept, corrected, or taken back; never over what somebody said meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from constraintsuite.annotate.adjudication import has_judged, rule
from constraintsuite.annotate.answering import StaleError
from constraintsuite.annotate.batch import AnnotationBatch
from constraintsuite.annotate.records import AnnotationEvent
from constraintsuite.annotate.standing import Standing, standing
from constraintsuite.errors import UserError
from constraintsuite.store.files import sha256_text

_STALE = "Somebody has answered or ruled on this meanwhile. Nothing was changed: look once more."


def state_of(said: Standing, item: str, question: str) -> str:
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
        said = standing(turn.events(item=item))
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
        said = standing(events)
        if state_of(said, item, question) != seen:
            raise StaleError(_STALE)
        if (item, question) not in said.rulings:
            raise UserError(f"{item}, {question}: nothing was ruled here, so there is nothing to take back.")
        if has_judged(said, item, by):
            raise UserError(f"{item}: {by} has judged this item, and a ruling is a third person's.")
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
