"""What people differ on, without their names: a third person rules, says why, and may think again. The owner only reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.annotate.adjudication import LONGEST_REASON, SHORTEST_REASON
from constraintsuite.annotate.answering import StaleError
from constraintsuite.annotate.ruling import keep_ruling, take_back_ruling
from constraintsuite.errors import UserError
from constraintsuite.web.artifact_index import BATCH, WebShelf
from constraintsuite.web.commands import serve_command
from constraintsuite.web.desk import called
from constraintsuite.web.forms import given_in, only, spelt
from constraintsuite.web.origins import judged_batch
from constraintsuite.web.pages import RULERS, Page
from constraintsuite.web.rendering import render
from constraintsuite.web.ruled import (
    DisagreementLine,
    RulingContext,
    RulingSubject,
    case_of,
    filled_of,
    line_of,
    open_bench,
)
from constraintsuite.web.suites.search import leaf, read_page

A_PAGE = 50


class Told(NamedTuple):
    """What a page says of the step before it."""

    words: str
    good: bool = True


TOLD = {
    "kept": Told("Your ruling is kept."),
    "undone": Told("Taken back: it waits for a ruling again.", good=False),
}
_FILLED = " What you had ruled is still filled in."


@dataclass(frozen=True)
class UnsavedRuling:
    """A ruling that could not be kept: what was filled in is not lost."""

    given: Mapping[str, tuple[str, ...]]
    reason: str
    fault: str
    stale: bool


def rulings(request: Request, shelf: WebShelf) -> Response:
    """The disagreement that is named, or all of them: what waits, and what was ruled."""
    bench = _bench(request, shelf)
    asked = request.query_params
    if "item" in asked or "question" in asked:
        return _show(request, bench, bench.find(asked.get("item", ""), asked.get("question", "")))
    return _list(request, shelf, bench)


def take_ruling(request: Request, shelf: WebShelf) -> Response:
    """Keep a ruling, or take one back; what was said or ruled meanwhile is told, and then nothing is changed."""
    form, name, now = request.state.form, request.state.person.name, datetime.now(UTC)
    bench, given = _bench(request, shelf), given_in(form)
    place = bench.find(only(form, "item"), only(form, "question"))
    back, seen, reason = only(form, "act") == "back", only(form, "seen"), only(form, "reason")
    try:
        if back:
            take_back_ruling(bench.batch, name, *place, seen, now)
        else:
            keep_ruling(bench.batch, name, (*place, spelt(given).get(place.question, "")), reason, seen, now)
    except UserError as error:
        stale = isinstance(error, StaleError)
        tried = UnsavedRuling(given, reason, shelf.told(error), stale)
        return _show(request, _bench(request, shelf), place, tried, 409 if stale else 422)
    following = place if back else _bench(request, shelf).waiting_after(place)
    return RedirectResponse(bench.address(following, told="undone" if back else "kept"), 303)


def _bench(request: Request, shelf: WebShelf) -> RulingContext:
    one, batch = judged_batch(shelf, request.path_params["place"])
    return open_bench(f"/{BATCH}/{quote(one.place)}", one, batch, request.state.person)


def _show(
    request: Request, bench: RulingContext, place: RulingSubject, tried: UnsavedRuling | None = None, status: int = 200
) -> Response:
    """One disagreement; with a form for who may rule on it."""
    given, reason = (tried.given, tried.reason) if tried else filled_of(bench, place)
    rules = bench.may_rule(place) and not request.state.read_only
    before, after = bench.around(place)
    return render(
        request,
        "ruling.html.jinja",
        status=status,
        title=_title(bench),
        address=bench.home,
        name=bench.one.label,
        case=case_of(bench, place, given),
        rules=rules,
        reason=reason,
        fault=tried.fault if tried else "",
        stale=tried is not None and tried.stale,
        lost=reason if tried and not rules else "",
        told=None if tried else _told(request, filled=bool(reason)),
        undo=bench.to_take_back(place) if rules else None,
        number=bench.number(place),
        count=len(bench.cases),
        waiting=len(bench.waiting),
        before=before,
        after=after,
        shortest=SHORTEST_REASON,
        longest=LONGEST_REASON,
    )


def _list(request: Request, shelf: WebShelf, bench: RulingContext) -> Response:
    """What waits, then what was ruled, some at a time."""
    ordered = [*bench.waiting, *(place for place in bench.cases if place in bench.said.rulings)]
    part = leaf(ordered, read_page(request.query_params.get("page", "1")), A_PAGE)
    lines: list[DisagreementLine] = [line_of(bench, place) for place in part.things]
    return render(
        request,
        "rulings.html.jinja",
        title=_title(bench),
        address=bench.home,
        name=bench.one.label,
        waiting=len(bench.waiting),
        ruled=len(bench.cases) - len(bench.waiting),
        lapsed=len(bench.said.lapsed),
        judged=bench.own,
        first=bench.address(bench.waiting[0]) if bench.waiting else "",
        lines_waiting=[line for line in lines if line.ruling is None],
        lines_ruled=[line for line in lines if line.ruling is not None],
        leaf=part,
        link=lambda page: f"{bench.home}/rulings?{urlencode({'page': page})}",
        rulers=[person.name for person in request.state.people if person.role == "adjudicator"],
        command=serve_command(shelf, "adjudicator"),
        told=_told(request, filled=False),
        undo=None if request.state.read_only else bench.to_take_back(),
    )


def _told(request: Request, *, filled: bool) -> Told | None:
    name = request.query_params.get("told", "")
    told = TOLD.get(name)
    return told._replace(words=told.words + _FILLED) if told and filled and name == "undone" else told


def _title(bench: RulingContext) -> str:
    return f"Rulings on {called(bench.one, bench.batch)}"


PAGES = (
    Page("/batch/{place:path}/rulings", rulings, RULERS),
    Page("/batch/{place:path}/rulings", take_ruling, RULERS - {"owner"}, "POST"),
)
