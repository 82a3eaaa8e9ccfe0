"""What people differ on, without their names: a third person rules, says why, and may think again. The owner only reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.web.access import Person
from constraintsuite.app.web.annotator_session import batch_title
from constraintsuite.app.web.artifact_index import BATCH, ArtifactIndex, NotServedError, ServedArtifact
from constraintsuite.app.web.commands import serve_command
from constraintsuite.app.web.forms import UnsavedForm, given_in, given_of, only, say, spelt
from constraintsuite.app.web.origins import judged_batch
from constraintsuite.app.web.pages import RULERS, page_of
from constraintsuite.app.web.renderer import render
from constraintsuite.app.web.suites.search import paginate, read_page
from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.adjudication import (
    LONGEST_REASON,
    SHORTEST_REASON,
    Disagreement,
    all_disagreements,
    answers_without_names,
    has_judged,
    keep_ruling,
    last_ruling_of,
    state_of,
    take_back_ruling,
)
from constraintsuite.suites.annotation.answers import StaleError
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
from constraintsuite.suites.annotation.records import AnnotationEvent

A_PAGE = 50
TOLD = {"kept": "Your ruling is kept.", "undone": "Taken back: it waits for a ruling again."}
_FILLED = " What you had ruled is still filled in."


class RulingSubject(NamedTuple):
    """What a ruling is about."""

    item: str
    question: str


class Ruling(NamedTuple):
    """A ruling in the words that a page shows."""

    value: str
    by: str
    """The name for an owner; others learn only whether it was their own."""
    reason: str


class Undo(NamedTuple):
    """A ruling that can be taken back."""

    place: RulingSubject
    seen: str
    here: bool
    """Whether it is the one that is shown; else it is what the person ruled last."""


@dataclass(frozen=True)
class RulingContext:
    """All that people differ on in a batch, as one person may see and rule on it."""

    one: ServedArtifact
    batch: AnnotationBatch
    person: Person
    events: list[AnnotationEvent]
    said: CurrentAnswers
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
            raise NotServedError("There is no such item and question to rule on. Nothing was changed.")
        return RulingSubject(item, question)

    def may_rule(self, place: RulingSubject) -> bool:
        """Whether this person can rule here: people differ, and they are a third person."""
        return self.person.role == "adjudicator" and place in self.cases

    def waiting_after(self, place: RulingSubject) -> RulingSubject | None:
        """The next case that waits, from the beginning once more behind the last."""
        order = list(self.cases)
        start = order.index(place) + 1 if place in self.cases else 0
        return next((one for one in (*order[start:], *order[:start]) if one not in self.said.rulings), None)

    def to_take_back(self, shown: RulingSubject | None = None) -> Undo | None:
        """The ruling that is shown, else what this person ruled last, if it counts and they may still rule there."""
        own = [event for event in self.said.rulings.values() if event.annotator == self.person.name]
        place = shown if shown in self.said.rulings else None
        if place is None and own:
            last = max(own, key=lambda event: event.number)
            place = RulingSubject(last.item, last.question)
        if place is None or not self.may_rule(place):
            return None
        return Undo(place, state_of(self.said, *place), place == shown)

    def ruling(self, event: AnnotationEvent | None) -> Ruling | None:
        """A ruling as this person may see it."""
        if event is None:
            return None
        own = "you" if event.annotator == self.person.name else "another adjudicator"
        by = event.annotator if self.person.role == "owner" else own
        return Ruling(say(self.batch.questions[event.question], event.value), by, event.note)

    def address(self, place: RulingSubject | None, **more: str) -> str:
        """Of a case, or of the list."""
        named = place._asdict() if place is not None else {}
        return f"{self.one.address}/rulings" + (f"?{urlencode({**named, **more})}" if named or more else "")


def rulings(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """The disagreement that is named, or all of them: what waits, and what was ruled."""
    context, asked = _context(request, artifacts, one), request.query_params
    if "item" in asked or "question" in asked:
        return _show(request, context, context.find(asked.get("item", ""), asked.get("question", "")))
    return _list(request, artifacts, context)


def take_ruling(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """Keep a ruling, or take one back; what was said or ruled meanwhile is told, and then nothing is changed."""
    form, name, now = request.state.form, request.state.person.name, datetime.now(UTC)
    context, given = _context(request, artifacts, one), given_in(form)
    place = context.find(only(form, "item"), only(form, "question"))
    back, seen, reason = only(form, "act") == "back", only(form, "seen"), only(form, "reason")
    try:
        if back:
            take_back_ruling(context.batch, name, *place, seen, now)
        else:
            keep_ruling(context.batch, name, (*place, spelt(given).get(place.question, "")), reason, seen, now)
    except UserError as error:
        stale = isinstance(error, StaleError)
        tried = UnsavedForm(given, reason, artifacts.describe_error(error), None if stale else 0)
        return _show(request, _context(request, artifacts, one), place, tried, 409 if stale else 422)
    following = place if back else _context(request, artifacts, one).waiting_after(place)
    return RedirectResponse(context.address(following, told="undone" if back else "kept"), 303)


def _context(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> RulingContext:
    """The disagreements of a batch as they stand now, for the person who asks."""
    batch, person = judged_batch(artifacts, one), request.state.person
    events = batch.store.events()
    said = current_answers(events)
    found = all_disagreements(batch, said)
    third = [each for each in found if person.role == "owner" or not has_judged(said, each.item, person.name)]
    mine = {RulingSubject(each.item, each.question): each for each in third}
    return RulingContext(one, batch, person, events, said, mine, len(found) - len(mine))


def _show(
    request: Request,
    context: RulingContext,
    place: RulingSubject,
    tried: UnsavedForm | None = None,
    status: int = 200,
) -> Response:
    """One disagreement; with a form for who may rule on it."""
    item, question = context.batch.items[place.item], context.batch.questions[place.question]
    given, reason = (tried.given, tried.note) if tried else _filled(context, place)
    rules = context.may_rule(place) and not request.state.read_only
    order = list(context.cases)
    number = order.index(place) + 1 if place in context.cases else 0  # where nobody differs any more
    said, people = context.said, answers_without_names(context.cases[place]) if number else []
    return _render(
        request,
        context,
        "ruling.html.jinja",
        status,
        place=place,
        subject=question,
        shown=item.shown(),
        answers=[(say(question, value), note) for value, note in people],
        given=given.get(question.id, ()),
        seen=state_of(said, *place),
        ruling=context.ruling(said.rulings.get(place)),
        lapsed=context.ruling(said.lapsed.get(place)),
        rules=rules,
        reason=reason,
        tried=tried,
        told="" if tried else _told(request, filled=bool(reason)),
        undo=context.to_take_back(place) if rules else None,
        number=number,
        before=context.address(order[number - 2]) if number > 1 else "",
        after=context.address(order[number]) if number < len(order) else "",
        shortest=SHORTEST_REASON,
        longest=LONGEST_REASON,
    )


def _filled(context: RulingContext, place: RulingSubject) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """What stands in the form: the ruling that counts, or what this person ruled last and took back."""
    ruling = context.said.rulings.get(place)
    if ruling is None and place not in context.said.lapsed:
        ruling = last_ruling_of(context.events, context.person.name, *place)
    if ruling is None:
        return {}, ""
    return {place.question: given_of(context.batch.questions[place.question], ruling.value)}, ruling.note


def _list(request: Request, artifacts: ArtifactIndex, context: RulingContext) -> Response:
    """What waits, then what was ruled, some at a time."""
    ordered = [*context.waiting, *(place for place in context.cases if place in context.said.rulings)]
    part = paginate(ordered, read_page(request.query_params.get("page", "1")), A_PAGE)
    lines = [(place, *_line(context, place)) for place in part.things]
    return _render(
        request,
        context,
        "rulings.html.jinja",
        lines_waiting=[line for line in lines if line[0] not in context.said.rulings],
        lines_ruled=[line for line in lines if line[0] in context.said.rulings],
        pagination=part,
        link=lambda page: context.address(None, page=str(page)),
        rulers=[person.name for person in request.state.people if person.role == "adjudicator"],
        command=serve_command(artifacts, "adjudicator"),
        told=_told(request, filled=False),
        undo=None if request.state.read_only else context.to_take_back(),
    )


def _line(context: RulingContext, place: RulingSubject) -> tuple[str, str, Ruling | None]:
    """A disagreement in a list: what the item begins with, what is asked, and what was ruled."""
    item = context.batch.items[place.item]
    lead = next((text for text in item.fields.values() if text), item.id)
    return lead, context.batch.questions[place.question].text, context.ruling(context.said.rulings.get(place))


def _render(request: Request, context: RulingContext, template: str, status: int = 200, **values: object) -> Response:
    shared = {
        "title": f"Rulings on {batch_title(context.one, context.batch)}",
        "address": context.one.address,
        "context": context,
        "kept": request.query_params.get("told") == "kept",
    }
    return render(request, template, status=status, **shared, **values)


def _told(request: Request, *, filled: bool) -> str:
    name = request.query_params.get("told", "")
    return TOLD.get(name, "") + (_FILLED if filled and name == "undone" else "")


PAGES = (
    page_of(BATCH, rulings, "/rulings", RULERS),
    page_of(BATCH, take_ruling, "/rulings", RULERS - {"owner"}, "POST"),
)
