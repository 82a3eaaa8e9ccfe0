"""A queue: one item at a time, blind to labels, scores and other people; an answer is on disk before the page says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.annotate.answering import (
    FaultyError,
    Spoken,
    StaleError,
    answers_to,
    keep_answers,
    last_of,
    take_back_last,
    taken_back,
)
from constraintsuite.annotate.queue import AnnotationTask, tasks_of
from constraintsuite.annotate.records import SIDES, AnnotationEvent
from constraintsuite.annotate.standing import progress_of
from constraintsuite.errors import UserError
from constraintsuite.web.artifact_index import BATCH, WebShelf
from constraintsuite.web.desk import Desk, called
from constraintsuite.web.forms import ask, given_in, given_of, only, place_of, read_place, say, spelt
from constraintsuite.web.origins import judged_batch, own_page
from constraintsuite.web.pages import ALL, JUDGES, Page
from constraintsuite.web.pages.batches import show_state
from constraintsuite.web.rendering import render

TOLD = {
    "stale": "You have answered something meanwhile, perhaps in another window. Nothing was taken back.",
    "undone": "Taken back. What you had answered here no longer counts; it is still filled in, and counts once you keep it.",
    "before": "Taken back. What you had answered here before that counts again.",
    "nothing": "There is nothing left to take back.",
}
"""What a page says of the step before it."""


@dataclass(frozen=True)
class UnsavedAnswer:
    """What could not be kept, so that it is not lost."""

    given: Mapping[str, tuple[str, ...]]
    note: str
    fault: str
    seen: int | None = None
    """What the person knew of; None where they are now shown what they had missed."""


def queue(request: Request, shelf: WebShelf) -> Response:
    """The item that is named, or the next one; for an owner the state of the batch, for an adjudicator the rulings."""
    one = shelf.get(request.path_params["place"], BATCH)
    if elsewhere := own_page(shelf, one, request.state.person.role):
        return RedirectResponse(elsewhere, 303)
    if request.state.person.role == "owner":
        return show_state(request, shelf, one)
    if request.state.person.role == "adjudicator":
        return RedirectResponse(f"/{BATCH}/{quote(one.place)}/rulings", 303)
    desk = _desk(request, shelf)
    if row := request.query_params.get("row"):
        return _show(request, desk, desk.task(row), told=request.query_params.get("told", ""))
    left = desk.left(request.query_params.get("after", ""))
    if not left:
        return _done(request, desk)
    return RedirectResponse(desk.address(row=left[0].row), 303)


def answer(request: Request, shelf: WebShelf) -> Response:
    """Keep what was said of an item, and go on to the next; what cannot be kept is told, with all that was filled in."""
    desk, form = _desk(request, shelf), request.state.form
    task, given = desk.task(only(form, "row")), given_in(form)
    note = only(form, "note").strip()
    spoken = Spoken(spelt(given), note, read_place(only(form, "seen"), desk.own))
    try:
        keep_answers(desk.batch, desk.name, task, spoken, datetime.now(UTC))
    except FaultyError as error:
        return _show(request, desk, task, tried=UnsavedAnswer(given, note, str(error), spoken.seen), status=422)
    except StaleError as error:
        return _show(request, _desk(request, shelf), task, tried=UnsavedAnswer(given, note, str(error)), status=409)
    except UserError as error:  # the file is held by another program, or the disk is full
        return _show(request, desk, task, tried=UnsavedAnswer(given, note, shelf.told(error), spoken.seen), status=503)
    left = _desk(request, shelf).left(task.row)
    return RedirectResponse(desk.address(row=left[0].row) if left else desk.address(), 303)


def again(request: Request, shelf: WebShelf) -> Response:
    """Of a page that told a fault and is loaded anew: to the queue."""
    return RedirectResponse(f"/{BATCH}/{quote(shelf.get(request.path_params['place'], BATCH).place)}", 303)


def undo(request: Request, shelf: WebShelf) -> Response:
    """Take back what was kept last, and show that item again."""
    desk = _desk(request, shelf)
    known = read_place(only(request.state.form, "last"), desk.own)
    try:
        found = take_back_last(desk.batch, desk.name, known, datetime.now(UTC))
    except StaleError:
        return _back(request, desk, "stale")
    if found is None:
        return _back(request, desk, "nothing")
    task = next((task for task in desk.tasks if (task.item.id, task.copy) == found), None)
    if task is None:
        return RedirectResponse(desk.address(), 303)  # it was about nothing that this queue asks
    told = "before" if answers_to(task, desk.batch.store.events(desk.name)) else "undone"
    return RedirectResponse(desk.address(row=task.row, told=told), 303)


def _back(request: Request, desk: Desk, told: str) -> Response:
    """To where the person was."""
    row = only(request.state.form, "row")
    return RedirectResponse(desk.address(row=desk.task(row).row, told=told) if row else desk.address(), 303)


def _desk(request: Request, shelf: WebShelf) -> Desk:
    name = request.state.person.name
    one, batch = judged_batch(shelf, request.path_params["place"])
    return Desk(one, f"/{BATCH}/{quote(one.place)}", batch, name, tasks_of(batch, name), batch.store.events(name))


def _show(
    request: Request,
    desk: Desk,
    task: AnnotationTask,
    *,
    tried: UnsavedAnswer | None = None,
    told: str = "",
    status: int = 200,
) -> Response:
    """An item with its questions, filled in with what was just given, with what stands, or with what was just taken back."""
    stands = _asked(desk, answers_to(task, desk.own))
    undone = _asked(desk, taken_back(task, desk.own)) if told == "undone" and not stands else {}
    filled = tried or _filled(desk, task, stands or undone)
    missed = tried is not None and tried.seen is None
    shown = task.shown()
    place = desk.tasks.index(task)
    return render(
        request,
        "annotate.html.jinja",
        status=status,
        title=f"Judge {called(desk.one, desk.batch)}",
        address=desk.address(),
        row=task.row,
        seen=place_of(last_of(task, desk.own) if filled.seen is None else filled.seen, desk.own),
        last=len(desk.own),
        fields=[(name, text) for name, text in shown.items() if name not in SIDES],
        sides=[(name, shown[name]) for name in SIDES if name in shown],
        asked=[ask(question, filled.given.get(question.id, ())) for question in desk.batch.head.questions],
        note=filled.note,
        progress=progress_of(desk.batch, desk.name, desk.own),
        number=place + 1,
        before=desk.tasks[place - 1].row if place else "",
        answered=bool(stands),
        stands=_in_words(desk, task, stands) if missed else [],
        faults=filled.fault.split("\n") if filled.fault else [],
        told="" if told == "undone" and not undone else TOLD.get(told, ""),  # an old address, kept again since
    )


def _asked(desk: Desk, said: Mapping[str, AnnotationEvent]) -> Mapping[str, AnnotationEvent]:
    """Without answers to what is not asked here, as another program may have written."""
    return {name: event for name, event in said.items() if name in desk.batch.questions}


def _filled(desk: Desk, task: AnnotationTask, said: Mapping[str, AnnotationEvent]) -> UnsavedAnswer:
    """A form with what was said, in the order of the sides as they are shown."""
    values = {name: task.as_meant(event.value) for name, event in said.items()}
    given = {name: given_of(desk.batch.questions[name], value) for name, value in values.items()}
    return UnsavedAnswer(given, next((event.note for event in said.values()), ""), "")


def _in_words(desk: Desk, task: AnnotationTask, said: Mapping[str, AnnotationEvent]) -> list[tuple[str, str]]:
    return [(name, say(desk.batch.questions[name], task.as_meant(event.value))) for name, event in said.items()]


def _done(request: Request, desk: Desk) -> Response:
    progress = progress_of(desk.batch, desk.name, desk.own)
    return render(
        request,
        "annotate_done.html.jinja",
        title=f"Judge {called(desk.one, desk.batch)}",
        address=desk.address(),
        progress=progress,
        last=len(desk.own),
        final=desk.tasks[-1].row,
    )


PAGES = (
    Page("/batch/{place:path}/answer", again, JUDGES),
    Page("/batch/{place:path}/answer", answer, JUDGES - {"owner"}, "POST"),
    Page("/batch/{place:path}/undo", undo, JUDGES - {"owner"}, "POST"),
    Page("/batch/{place:path}", queue, ALL),
)
