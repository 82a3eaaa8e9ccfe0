"""A queue: one item at a time, blind to labels, scores and other people; an answer is on disk before the page says so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.web.annotator_session import AnnotatorSession, batch_title
from constraintsuite.app.web.artifact_index import BATCH, ArtifactIndex, ServedArtifact
from constraintsuite.app.web.forms import UnsavedForm, given_in, given_of, only, place_of, read_place, say, spelt
from constraintsuite.app.web.origins import judged_batch, own_page
from constraintsuite.app.web.pages import ALL, JUDGES, page_of
from constraintsuite.app.web.pages.batches import show_state
from constraintsuite.app.web.renderer import render
from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.answers import (
    FaultyError,
    StaleError,
    TaskAnswers,
    answers_to,
    keep_answers,
    last_event_on,
    undone_answers,
)
from constraintsuite.suites.annotation.batch import AnnotationTask
from constraintsuite.suites.annotation.records import AnnotationEvent

TOLD = {
    "stale": "You have answered something meanwhile, perhaps in another window. Nothing was taken back.",
    "undone": "Taken back. What you had answered here no longer counts; it is still filled in, and counts once you keep it.",
    "before": "Taken back. What you had answered here before that counts again.",
    "nothing": "There is nothing left to take back.",
}
"""What a page says of the step before it."""


def queue(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """The item that is named, or the next one; for an owner the state of the batch, for an adjudicator the rulings."""
    if elsewhere := own_page(artifacts, one, request.state.person.role):
        return RedirectResponse(elsewhere, 303)
    if request.state.person.role == "owner":
        return show_state(request, artifacts, one)
    if request.state.person.role == "adjudicator":
        return RedirectResponse(f"{one.address}/rulings", 303)
    session = _session(request, artifacts, one)
    if row := request.query_params.get("row"):
        return _show(request, session, session.task(row), told=request.query_params.get("told", ""))
    left = session.left(request.query_params.get("after", ""))
    if left:
        return RedirectResponse(session.address(row=left[0].row), 303)
    return _render(request, session, "annotate_done.html.jinja")


def answer(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """Keep what was said of an item, and go on to the next; what cannot be kept is told, with all that was filled in."""
    session, form = _session(request, artifacts, one), request.state.form
    task, given = session.task(only(form, "row")), given_in(form)
    note = only(form, "note").strip()
    spoken = TaskAnswers(spelt(given), note, read_place(only(form, "seen"), session.own))
    try:
        keep_answers(session.batch, session.name, task, spoken, datetime.now(UTC))
    except FaultyError as error:
        return _show(request, session, task, UnsavedForm(given, note, str(error), spoken.seen), status=422)
    except StaleError as error:
        return _show(request, session.again(), task, UnsavedForm(given, note, str(error)), status=409)
    except UserError as error:  # the file is held by another program, or the disk is full
        told = artifacts.describe_error(error)
        return _show(request, session, task, UnsavedForm(given, note, told, spoken.seen), status=503)
    left = session.again().left(task.row)
    return RedirectResponse(session.address(row=left[0].row) if left else session.address(), 303)


def again(_request: Request, _artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """Of a page that told a fault and is loaded anew: to the queue."""
    return RedirectResponse(one.address, 303)


def undo(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """Take back what was kept last, and show that item again."""
    session = _session(request, artifacts, one)
    return session.undo(request, lambda task: "before" if answers_to(task, session.again().own) else "undone")


def _session(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> AnnotatorSession:
    return AnnotatorSession(one, one.address, judged_batch(artifacts, one), request.state.person.name)


def _show(
    request: Request,
    session: AnnotatorSession,
    task: AnnotationTask,
    tried: UnsavedForm | None = None,
    told: str = "",
    status: int = 200,
) -> Response:
    """An item with its questions, filled in with what was just given, with what stands, or with what was just taken back."""
    stands = _asked(session, answers_to(task, session.own))
    undone = _asked(session, undone_answers(task, session.own)) if told == "undone" and not stands else {}
    filled = tried or _filled(session, task, stands or undone)
    missed = tried is not None and tried.seen is None
    place = session.tasks.index(task)
    return _render(
        request,
        session,
        "annotate.html.jinja",
        status,
        row=task.row,
        seen=place_of(last_event_on(task, session.own) if filled.seen is None else filled.seen, session.own),
        shown=task.shown(),
        filled=filled,
        number=place + 1,
        before=session.tasks[place - 1].row if place else "",
        answered=bool(stands),
        stands=_in_words(session, task, stands) if missed else [],
        told="" if told == "undone" and not undone else TOLD.get(told, ""),  # an old address, kept again since
    )


def _render(
    request: Request, session: AnnotatorSession, template: str, status: int = 200, **values: object
) -> Response:
    title = f"Judge {batch_title(session.one, session.batch)}"
    return render(request, template, status=status, title=title, session=session, address=session.home, **values)


def _asked(session: AnnotatorSession, said: Mapping[str, AnnotationEvent]) -> Mapping[str, AnnotationEvent]:
    """Without answers to what is not asked here, as another program may have written."""
    return {name: event for name, event in said.items() if name in session.batch.questions}


def _filled(session: AnnotatorSession, task: AnnotationTask, said: Mapping[str, AnnotationEvent]) -> UnsavedForm:
    """A form with what was said, in the order of the sides as they are shown."""
    values = {name: task.as_meant(event.value) for name, event in said.items()}
    given = {name: given_of(session.batch.questions[name], value) for name, value in values.items()}
    return UnsavedForm(given, next((event.note for event in said.values()), ""), "")


def _in_words(
    session: AnnotatorSession, task: AnnotationTask, said: Mapping[str, AnnotationEvent]
) -> list[tuple[str, str]]:
    return [(name, say(session.batch.questions[name], task.as_meant(event.value))) for name, event in said.items()]


PAGES = (
    page_of(BATCH, again, "/answer", JUDGES),
    page_of(BATCH, answer, "/answer", JUDGES - {"owner"}, "POST"),
    page_of(BATCH, undo, "/undo", JUDGES - {"owner"}, "POST"),
    page_of(BATCH, queue, "", ALL),
)
