"""The queue of an annotator: one item at a time, without labels, scores and the answers of others."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.web import forms
from constraintsuite.app.web.annotator_session import UNDO_MESSAGES, AnnotatorSession, batch_title
from constraintsuite.app.web.artifact_index import BATCH, ArtifactIndex, ServedArtifact
from constraintsuite.app.web.forms import UnsavedForm
from constraintsuite.app.web.origins import own_page, served_batch
from constraintsuite.app.web.pages import ALL, JUDGES, page_of
from constraintsuite.app.web.pages.batches import show_state
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

MESSAGES = {
    **UNDO_MESSAGES,
    "undone": "Undone. Your answer no longer counts. It is still filled in, and counts again once you save it.",
    "before": "Undone. Your earlier answer counts again.",
}
"""Messages about the previous step, by the name in the address."""


def queue(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show an item of the queue to an annotator, the state of the batch to an owner, and the rulings to an adjudicator."""
    if elsewhere := own_page(artifacts, artifact, request.state.person.role):
        return RedirectResponse(elsewhere, 303)
    if request.state.person.role == "owner":
        return show_state(request, artifacts, artifact)
    if request.state.person.role == "adjudicator":
        return RedirectResponse(f"{artifact.address}/rulings", 303)
    session = _session(request, artifacts, artifact)
    if row := request.query_params.get("row"):
        return _show(session, session.task(row), message=request.query_params.get("told", ""))
    left = session.left(request.query_params.get("after", ""))
    if left:
        return RedirectResponse(session.address(row=left[0].row), 303)
    return session.render("annotate_done.html.jinja")


def answer(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Save the answers to an item and go to the next; if they cannot be saved, show the form again with the reason."""
    session, form = _session(request, artifacts, artifact), request.state.form
    task, given = session.task(forms.first_value(form, "row")), forms.given_in(form)
    note = forms.first_value(form, "note").strip()
    answers = TaskAnswers(forms.as_text(given), note, forms.read_place(forms.first_value(form, "seen"), session.own))
    try:
        keep_answers(session.batch, session.name, task, answers, datetime.now(UTC))
    except StaleError as error:
        return _show(session.reload(), task, UnsavedForm(given, note, str(error)), status=409)
    except UserError as error:  # a faulty answer; or the file is locked, or the disk is full
        unsaved = UnsavedForm(given, note, artifacts.describe_error(error), answers.seen)
        return _show(session, task, unsaved, status=422 if isinstance(error, FaultyError) else 503)
    left = session.reload().left(task.row)
    return RedirectResponse(session.address(row=left[0].row) if left else session.address(), 303)


def redirect_after_reload(_request: Request, _artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Go back to the queue when the page of a refused answer is reloaded."""
    return RedirectResponse(artifact.address, 303)


def undo(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Undo what was saved last, and show that item again."""
    session = _session(request, artifacts, artifact)
    return session.undo(lambda task: "before" if answers_to(task, session.reload().own) else "undone")


def _session(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> AnnotatorSession:
    batch = served_batch(artifacts, artifact)
    return AnnotatorSession(request, artifact.address, f"Judge {batch_title(artifact, batch)}", batch)


def _show(
    session: AnnotatorSession,
    task: AnnotationTask,
    tried: UnsavedForm | None = None,
    message: str = "",
    status: int = 200,
) -> Response:
    """Show an item. The form holds what was just sent, else the saved answers, else the answers that were just undone."""
    current = _asked(session, answers_to(task, session.own))
    undone = _asked(session, undone_answers(task, session.own)) if message == "undone" and not current else {}
    filled = tried or _filled(session, task, current or undone)
    missed = tried is not None and tried.seen is None
    place = session.tasks.index(task)
    return session.render(
        "annotate.html.jinja",
        status,
        row=task.row,
        seen=forms.place_of(last_event_on(task, session.own) if filled.seen is None else filled.seen, session.own),
        shown=task.shown(),
        filled=filled,
        number=place + 1,
        before=session.tasks[place - 1].row if place else "",
        answered=bool(current),
        current=_in_words(session, task, current) if missed else [],
        message="" if message == "undone" and not undone else MESSAGES.get(message, ""),  # saved again since
    )


def _asked(session: AnnotatorSession, answers: Mapping[str, AnnotationEvent]) -> Mapping[str, AnnotationEvent]:
    """The answers to questions of this batch, without others that a program may have written."""
    return {name: event for name, event in answers.items() if name in session.batch.questions}


def _filled(session: AnnotatorSession, task: AnnotationTask, answers: Mapping[str, AnnotationEvent]) -> UnsavedForm:
    """A form that holds these answers, with the sides in the order in which they are shown."""
    values = {name: task.as_meant(event.value) for name, event in answers.items()}
    given = {name: forms.given_of(session.batch.questions[name], value) for name, value in values.items()}
    return UnsavedForm(given, next((event.note for event in answers.values()), ""), "")


def _in_words(
    session: AnnotatorSession, task: AnnotationTask, answers: Mapping[str, AnnotationEvent]
) -> list[tuple[str, str]]:
    return [
        (name, forms.answer_text(session.batch.questions[name], task.as_meant(event.value)))
        for name, event in answers.items()
    ]


PAGES = (
    page_of(BATCH, redirect_after_reload, "/answer", JUDGES),
    page_of(BATCH, answer, "/answer", JUDGES - {"owner"}, "POST"),
    page_of(BATCH, undo, "/undo", JUDGES - {"owner"}, "POST"),
    page_of(BATCH, queue, "", ALL),
)
