"""Disagreements between annotators, without names: an adjudicator rules with a reason, and may change it. Owners only read."""

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
from constraintsuite.app.web.forms import UnsavedForm, answer_text, as_text, first_value, given_in, given_of
from constraintsuite.app.web.origins import served_batch
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

PER_PAGE = 50
MESSAGES = {"kept": "Your ruling is saved.", "undone": "The ruling was withdrawn: the item waits for a ruling again."}


class RulingSubject(NamedTuple):
    """The item and the question of a ruling."""

    item: str
    question: str


class Ruling(NamedTuple):
    """A ruling as text for a page."""

    value: str
    by: str
    """The name of the person for an owner; others see only whether it was their own ruling."""
    reason: str


class Undo(NamedTuple):
    """A ruling that the person can withdraw."""

    place: RulingSubject
    seen: str
    here: bool
    """Whether it is the ruling on the page; otherwise it is the person's last one."""


@dataclass(frozen=True)
class RulingContext:
    """The disagreements of a batch that one person may see."""

    artifact: ServedArtifact
    batch: AnnotationBatch
    person: Person
    events: list[AnnotationEvent]
    current: CurrentAnswers
    cases: Mapping[RulingSubject, Disagreement]
    """In the order of the batch, with and without a ruling; an adjudicator does not see items that they judged."""
    own: int
    """The number of disagreements left out for that reason."""

    @cached_property
    def waiting(self) -> list[RulingSubject]:
        """The disagreements without a valid ruling."""
        return [place for place in self.cases if place not in self.current.rulings]

    def find(self, item: str, question: str) -> RulingSubject:
        """The item and question of an address; a NotServedError if the batch does not have them, or the item is a decoy."""
        known = self.batch.items.get(item)
        if known is None or known.expected or question not in self.batch.questions:
            raise NotServedError("There is no such item and question to rule on. Nothing was changed.")
        return RulingSubject(item, question)

    def may_rule(self, place: RulingSubject) -> bool:
        """Whether this person may rule on a disagreement."""
        return self.person.role == "adjudicator" and place in self.cases

    def waiting_after(self, place: RulingSubject) -> RulingSubject | None:
        """The next disagreement without a ruling after this one, wrapping around."""
        order = list(self.cases)
        start = order.index(place) + 1 if place in self.cases else 0
        return next((one for one in (*order[start:], *order[:start]) if one not in self.current.rulings), None)

    def to_take_back(self, shown: RulingSubject | None = None) -> Undo | None:
        """The ruling on the page, else the last valid one of this person, if they may still rule there."""
        own = [event for event in self.current.rulings.values() if event.annotator == self.person.name]
        place = shown if shown in self.current.rulings else None
        if place is None and own:
            last = max(own, key=lambda event: event.number)
            place = RulingSubject(last.item, last.question)
        if place is None or not self.may_rule(place):
            return None
        return Undo(place, state_of(self.current, *place), place == shown)

    def ruling(self, event: AnnotationEvent | None) -> Ruling | None:
        """A ruling as this person may see it; None for none."""
        if event is None:
            return None
        own = "you" if event.annotator == self.person.name else "another adjudicator"
        by = event.annotator if self.person.role == "owner" else own
        return Ruling(answer_text(self.batch.questions[event.question], event.value), by, event.note)

    def address(self, place: RulingSubject | None, **more: str) -> str:
        """The address of a disagreement, or of the list."""
        named = place._asdict() if place is not None else {}
        return f"{self.artifact.address}/rulings" + (f"?{urlencode({**named, **more})}" if named or more else "")


def rulings(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show the disagreement in the address, or list all of them."""
    context, asked = _context(request, artifacts, artifact), request.query_params
    if "item" in asked or "question" in asked:
        return _show(request, context, context.find(asked.get("item", ""), asked.get("question", "")))
    return _list(request, artifacts, context)


def take_ruling(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Save or withdraw a ruling. If people answered or ruled in the meantime, say so and change nothing."""
    form, name, now = request.state.form, request.state.person.name, datetime.now(UTC)
    context, given = _context(request, artifacts, artifact), given_in(form)
    place = context.find(first_value(form, "item"), first_value(form, "question"))
    back, seen, reason = first_value(form, "act") == "back", first_value(form, "seen"), first_value(form, "reason")
    try:
        if back:
            take_back_ruling(context.batch, name, *place, seen, now)
        else:
            keep_ruling(context.batch, name, (*place, as_text(given).get(place.question, "")), reason, seen, now)
    except UserError as error:
        stale = isinstance(error, StaleError)
        tried = UnsavedForm(given, reason, artifacts.describe_error(error), None if stale else 0)
        return _show(request, _context(request, artifacts, artifact), place, tried, 409 if stale else 422)
    following = place if back else _context(request, artifacts, artifact).waiting_after(place)
    return RedirectResponse(context.address(following, told="undone" if back else "kept"), 303)


def _context(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> RulingContext:
    """The current disagreements of a batch, for the person of the request."""
    batch, person = served_batch(artifacts, artifact), request.state.person
    events = batch.store.events()
    current = current_answers(events)
    found = all_disagreements(batch, current)
    third = [each for each in found if person.role == "owner" or not has_judged(current, each.item, person.name)]
    mine = {RulingSubject(each.item, each.question): each for each in third}
    return RulingContext(artifact, batch, person, events, current, mine, len(found) - len(mine))


def _show(
    request: Request,
    context: RulingContext,
    place: RulingSubject,
    tried: UnsavedForm | None = None,
    status: int = 200,
) -> Response:
    """Show one disagreement, with a form if the person may rule on it."""
    item, question = context.batch.items[place.item], context.batch.questions[place.question]
    given, reason = (tried.given, tried.note) if tried else _filled(context, place)
    rules = context.may_rule(place) and not request.state.read_only
    order = list(context.cases)
    number = order.index(place) + 1 if place in context.cases else 0  # people agree by now
    current, people = context.current, answers_without_names(context.cases[place]) if number else []
    return _render(
        request,
        context,
        "ruling.html.jinja",
        status,
        place=place,
        subject=question,
        shown=item.shown(),
        answers=[(answer_text(question, value), note) for value, note in people],
        given=given.get(question.id, ()),
        seen=state_of(current, *place),
        ruling=context.ruling(current.rulings.get(place)),
        lapsed=context.ruling(current.lapsed.get(place)),
        rules=rules,
        reason=reason,
        tried=tried,
        message="" if tried else _message(request),
        undo=context.to_take_back(place) if rules else None,
        number=number,
        before=context.address(order[number - 2]) if number > 1 else "",
        after=context.address(order[number]) if number < len(order) else "",
        shortest=SHORTEST_REASON,
        longest=LONGEST_REASON,
    )


def _filled(context: RulingContext, place: RulingSubject) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """The content of the form: the valid ruling, or the one that this person withdrew last."""
    ruling = context.current.rulings.get(place)
    if ruling is None and place not in context.current.lapsed:
        ruling = last_ruling_of(context.events, context.person.name, *place)
    if ruling is None:
        return {}, ""
    return {place.question: given_of(context.batch.questions[place.question], ruling.value)}, ruling.note


def _list(request: Request, artifacts: ArtifactIndex, context: RulingContext) -> Response:
    """List the disagreements page by page: those without a ruling first."""
    ordered = [*context.waiting, *(place for place in context.cases if place in context.current.rulings)]
    part = paginate(ordered, read_page(request.query_params.get("page", "1")), PER_PAGE)
    lines = [(place, *_line(context, place)) for place in part.items]
    return _render(
        request,
        context,
        "rulings.html.jinja",
        lines_waiting=[line for line in lines if line[0] not in context.current.rulings],
        lines_ruled=[line for line in lines if line[0] in context.current.rulings],
        pagination=part,
        link=lambda page: context.address(None, page=str(page)),
        rulers=[person.name for person in request.state.people if person.role == "adjudicator"],
        command=serve_command(artifacts, "adjudicator"),
        message=_message(request),
        undo=None if request.state.read_only else context.to_take_back(),
    )


def _line(context: RulingContext, place: RulingSubject) -> tuple[str, str, Ruling | None]:
    """A line of the list: the beginning of the item, the question, and the ruling."""
    item = context.batch.items[place.item]
    lead = next((text for text in item.fields.values() if text), item.id)
    return lead, context.batch.questions[place.question].text, context.ruling(context.current.rulings.get(place))


def _render(request: Request, context: RulingContext, template: str, status: int = 200, **values: object) -> Response:
    shared = {
        "title": f"Rulings on {batch_title(context.artifact, context.batch)}",
        "address": context.artifact.address,
        "context": context,
        "kept": request.query_params.get("told") == "kept",
    }
    return render(request, template, status=status, **shared, **values)


def _message(request: Request) -> str:
    return MESSAGES.get(request.query_params.get("told", ""), "")


PAGES = (
    page_of(BATCH, rulings, "/rulings", RULERS),
    page_of(BATCH, take_ruling, "/rulings", RULERS - {"owner"}, "POST"),
)
