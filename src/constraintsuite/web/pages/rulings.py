"""What people differ on, without their names: a third person rules, and says why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.annotate.adjudication import (
    SHORTEST_REASON,
    Disagreement,
    answers_without_names,
    disagreements,
    has_judged,
    rule,
)
from constraintsuite.annotate.answering import StaleError
from constraintsuite.annotate.batch import Batch
from constraintsuite.annotate.records import SIDES, Question
from constraintsuite.annotate.standing import Standing, standing
from constraintsuite.errors import UserError
from constraintsuite.store.files import sha256_text
from constraintsuite.web.asking import Asked, ask, given_in, say, spelt
from constraintsuite.web.drawn import judged_batch
from constraintsuite.web.pages import RULERS, Page
from constraintsuite.web.rendering import render
from constraintsuite.web.shelf import BATCH, Shelf, Shelved

A_PAGE = 10


@dataclass(frozen=True)
class Waiting:
    """A disagreement as a form shows it."""

    item: str
    question: Question
    fields: list[tuple[str, str]]
    sides: list[tuple[str, str]]
    answers: list[tuple[str, str]]
    """What was said, with notes; in an order that tells nothing of who said it."""
    asked: Asked
    seen: str
    """Names what was said; if anybody says anything else meanwhile, it is another."""
    reason: str = ""
    fault: str = ""


def rulings(request: Request, shelf: Shelf) -> Response:
    """All that waits for a ruling by this person, some at a time."""
    return _show(request, *judged_batch(shelf, request.path_params["place"]))


def take_ruling(request: Request, shelf: Shelf) -> Response:
    """Keep a ruling; what was said or ruled meanwhile is told, and then nothing is kept."""
    one, batch = judged_batch(shelf, request.path_params["place"])
    form = request.state.form
    item, question, seen, reason = (
        next(iter(form.get(name, ())), "") for name in ("item", "question", "seen", "reason")
    )
    given = given_in(form)
    try:
        with batch.store.turn(datetime.now(UTC)) as turn:
            said = standing(turn.events())
            draft = rule(
                batch, said, request.state.person.name, (item, question, spelt(given).get(question, "")), reason
            )
            if (item, question) in said.rulings or seen != _named(said, item, question):
                raise StaleError(
                    "Somebody has answered or ruled on this meanwhile. Nothing was changed: look once more."
                )
            turn.append([draft])
    except UserError as error:
        status = 409 if isinstance(error, StaleError) else 422
        return _show(request, one, batch, Tried(item, question, given, reason, str(error)), status)
    return RedirectResponse(f"/{BATCH}/{quote(one.place)}/rulings?{urlencode({'told': 'kept'})}", 303)


@dataclass(frozen=True)
class Tried:
    """A ruling that could not be kept: what was filled in is not lost."""

    item: str = ""
    question: str = ""
    given: Mapping[str, tuple[str, ...]] | None = None
    reason: str = ""
    fault: str = ""

    def is_of(self, one: Disagreement) -> bool:
        """Whether it was about this."""
        return (self.item, self.question) == (one.item, one.question)


def _show(request: Request, one: Shelved, batch: Batch, tried: Tried | None = None, status: int = 200) -> Response:
    tried = tried or Tried()
    said = standing(batch.store.events())
    found = disagreements(batch, said)
    mine = [each for each in found if not has_judged(said, each.item, request.state.person.name)]
    mine.sort(key=lambda each: not tried.is_of(each))  # what could not be kept comes first
    shown = [_waiting(batch, said, each, tried if tried.is_of(each) else Tried()) for each in mine[:A_PAGE]]
    return render(
        request,
        "rulings.html.jinja",
        status=status,
        title=f"Rulings on {one.name}",
        address=f"/{BATCH}/{quote(one.place)}",
        name=one.name,
        waiting=shown,
        count=len(mine),
        judged=len(found) - len(mine),
        ruled=len(said.rulings),
        lapsed=len(said.lapsed),
        shortest=SHORTEST_REASON,
        kept=request.query_params.get("told") == "kept",
        fault="" if any(each.fault for each in shown) else tried.fault,
        lost=tried.reason if tried.fault and not any(each.fault for each in shown) else "",
    )


def _waiting(batch: Batch, said: Standing, one: Disagreement, tried: Tried) -> Waiting:
    item, question = batch.items[one.item], batch.questions[one.question]
    return Waiting(
        one.item,
        question,
        list(item.fields.items()),
        list(zip(SIDES, item.sides, strict=True)) if item.sides else [],
        [(say(question, value), note) for value, note in answers_without_names(one)],
        ask(question, (tried.given or {}).get(question.id, ())),
        _named(said, one.item, one.question),
        tried.reason,
        tried.fault,
    )


def _named(said: Standing, item: str, question: str) -> str:
    events = said.of(item, question)
    return sha256_text(*(str(events[name].number) for name in sorted(events)))[:16]


PAGES = (
    Page("/batch/{place:path}/rulings", rulings, RULERS),
    Page("/batch/{place:path}/rulings", take_ruling, RULERS, "POST"),
)
