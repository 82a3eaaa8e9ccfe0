"""All that people differ on in a batch, as one person may see and rule on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlencode

from constraintsuite.annotate.adjudication import Disagreement, answers_without_names, differing, has_judged
from constraintsuite.annotate.batch import AnnotationBatch
from constraintsuite.annotate.records import SIDES, AnnotationEvent, AnnotationQuestion
from constraintsuite.annotate.ruling import last_ruling_of, state_of
from constraintsuite.annotate.standing import Standing, standing
from constraintsuite.web.artifact_index import NotOnShelfError, Shelved
from constraintsuite.web.forms import FormQuestion, ask, given_of, say
from constraintsuite.web.people import Person


class RulingSubject(NamedTuple):
    """What a ruling is about."""

    item: str
    question: str


@dataclass(frozen=True)
class Ruling:
    """A ruling in words."""

    value: str
    by: str
    """The name for an owner; others learn only whether it was their own."""
    reason: str


@dataclass(frozen=True)
class ShownDisagreement:
    """A disagreement as a page shows it."""

    item: str
    question: AnnotationQuestion
    fields: list[tuple[str, str]]
    sides: list[tuple[str, str]]
    answers: list[tuple[str, str]]
    """What was said, with notes; in an order that tells nothing of who said it."""
    asked: FormQuestion
    seen: str
    """Names what was said and ruled; if anybody says anything else meanwhile, it is another."""
    ruling: Ruling | None
    lapsed: Ruling | None


@dataclass(frozen=True)
class DisagreementLine:
    """A disagreement in a list."""

    address: str
    lead: str
    asked: str
    ruling: Ruling | None


@dataclass(frozen=True)
class Undo:
    """A ruling that can be taken back."""

    place: RulingSubject
    seen: str
    here: bool
    """Whether it is the one that is shown; else it is what the person ruled last."""


@dataclass(frozen=True)
class RulingContext:
    """What a page of rulings works on."""

    home: str
    one: Shelved
    batch: AnnotationBatch
    person: Person
    events: list[AnnotationEvent]
    said: Standing
    cases: Mapping[RulingSubject, Disagreement]
    """In the order of the batch, ruled on or not; for who rules, without what they judged themselves."""
    own: int
    """Disagreements on items that they judged."""

    @cached_property
    def waiting(self) -> list[RulingSubject]:
        """Cases without a ruling that counts."""
        return [place for place in self.cases if place not in self.said.rulings]

    def find(self, item: str, question: str) -> RulingSubject:
        """A place that can be shown: of an item that counts, and a question that is asked."""
        known = self.batch.items.get(item)
        if known is None or known.expected or question not in self.batch.questions:
            raise NotOnShelfError("There is no such item and question to rule on. Nothing was changed.")
        return RulingSubject(item, question)

    def may_rule(self, place: RulingSubject) -> bool:
        """Whether this person can rule here: people differ, and they are a third person."""
        return self.person.role == "adjudicator" and place in self.cases

    def number(self, place: RulingSubject) -> int:
        """Counted from 1; 0 where nobody differs any more."""
        return next((number for number, one in enumerate(self.cases, 1) if one == place), 0)

    def around(self, place: RulingSubject) -> tuple[str, str]:
        """Addresses of the case before and the one after; empty where there is none."""
        order = list(self.cases)
        here = order.index(place) if place in self.cases else -1
        before = self.address(order[here - 1]) if here > 0 else ""
        return before, self.address(order[here + 1]) if here + 1 < len(order) else ""

    def waiting_after(self, place: RulingSubject) -> RulingSubject | None:
        """The next case that waits, from the beginning once more behind the last."""
        order = list(self.cases)
        start = order.index(place) + 1 if place in self.cases else 0
        return next((one for one in (*order[start:], *order[:start]) if one not in self.said.rulings), None)

    def to_take_back(self, shown: RulingSubject | None = None) -> Undo | None:
        """The ruling that is shown, else what this person ruled last, if it counts and they may still rule there."""
        own = [event for event in self.said.rulings.values() if event.annotator == self.person.name]
        last = max(own, key=lambda event: event.number, default=None)
        if shown is not None and shown in self.said.rulings:
            place = shown
        elif last is not None:
            place = RulingSubject(last.item, last.question)
        else:
            return None
        return Undo(place, state_of(self.said, *place), place == shown) if self.may_rule(place) else None

    def address(self, place: RulingSubject | None, **more: str) -> str:
        """Of a case, or of the list."""
        named = place._asdict() if place is not None else {}
        return f"{self.home}/rulings" + (f"?{urlencode({**named, **more})}" if named or more else "")


def open_bench(home: str, one: Shelved, batch: AnnotationBatch, person: Person) -> RulingContext:
    """As it stands now."""
    events = batch.store.events()
    said = standing(events)
    found = differing(batch, said)
    third = [one for one in found if person.role == "owner" or not has_judged(said, one.item, person.name)]
    mine = {RulingSubject(each.item, each.question): each for each in third}
    return RulingContext(home, one, batch, person, events, said, mine, len(found) - len(mine))


def case_of(bench: RulingContext, place: RulingSubject, given: Mapping[str, tuple[str, ...]]) -> ShownDisagreement:
    """A disagreement, with a form that is filled in with what was given."""
    item, question, there = bench.batch.items[place.item], bench.batch.questions[place.question], bench.cases.get(place)
    return ShownDisagreement(
        place.item,
        question,
        list(item.fields.items()),
        list(zip(SIDES, item.sides, strict=True)) if item.sides else [],
        [(say(question, value), note) for value, note in answers_without_names(there)] if there else [],
        ask(question, given.get(question.id, ())),
        state_of(bench.said, *place),
        _ruling(bench, bench.said.rulings.get(place)),
        _ruling(bench, bench.said.lapsed.get(place)),
    )


def line_of(bench: RulingContext, place: RulingSubject) -> DisagreementLine:
    """The same in a line: what the item begins with, and what is asked."""
    item = bench.batch.items[place.item]
    lead = next((text for text in item.fields.values() if text), item.id)
    ruling = _ruling(bench, bench.said.rulings.get(place))
    return DisagreementLine(bench.address(place), lead, bench.batch.questions[place.question].text, ruling)


def filled_of(bench: RulingContext, place: RulingSubject) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """What stands in the form: the ruling that counts, or what this person ruled last and took back."""
    ruling = bench.said.rulings.get(place)
    if ruling is None and place not in bench.said.lapsed:
        ruling = last_ruling_of(bench.events, bench.person.name, *place)
    if ruling is None:
        return {}, ""
    return {place.question: given_of(bench.batch.questions[place.question], ruling.value)}, ruling.note


def _ruling(bench: RulingContext, event: AnnotationEvent | None) -> Ruling | None:
    if event is None:
        return None
    own = "you" if event.annotator == bench.person.name else "another adjudicator"
    by = event.annotator if bench.person.role == "owner" else own
    return Ruling(say(bench.batch.questions[event.question], event.value), by, event.note)
