"""Writing queries: for two passages, one query that only the first answers and one that only the second answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from threading import BoundedSemaphore, Lock

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from constraintsuite.app.pages.marks import Segment, TextMark, cut
from constraintsuite.app.web.annotator_session import UNDO_MESSAGES, AnnotatorSession
from constraintsuite.app.web.artifact_index import BATCH, ArtifactIndex, ServedArtifact
from constraintsuite.app.web.forms import first_value, place_of, read_place
from constraintsuite.app.web.origins import served_batch, writing_address
from constraintsuite.app.web.pages import JUDGES, page_of
from constraintsuite.experiments.scoring import score_pairs
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.suites.annotation.answers import StaleError, answers_to, last_event_on
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask
from constraintsuite.suites.annotation.kinds.query_rules import LONGEST, RULES, QueryFault, find_faults, own_words, tidy
from constraintsuite.suites.annotation.kinds.written_queries import (
    NAME,
    QUESTIONS,
    BrokenRulesError,
    keep_queries,
    keep_scores,
    pairs_to_score,
    passages_of,
    read_scores,
    score_draft,
)
from constraintsuite.suites.annotation.records import AnnotationItem, EventDraft
from constraintsuite.suites.importers.base import find_changes

MODELS = ("bm25", "tfidf", "cross:tiny")
"""Models that need no download."""
WAITING = 4
"""People who may wait for scores at once. Each occupies a worker thread, and other pages need some too."""
PLACES = BoundedSemaphore(WAITING)
_scoring = Lock()  # one at a time, so that the other pages stay fast


def score_drafts(
    batch: AnnotationBatch, item: AnnotationItem, by: str, queries: tuple[str, str], models: tuple[str, ...]
) -> list[EventDraft] | None:
    """The scores of some models as events; None if too many people already wait for scores."""
    if not PLACES.acquire(blocking=False):
        return None
    try:
        pairs, drafts = pairs_to_score(item, queries), []
        passages = tuple(sorted({text for one in batch.judged for text in passages_of(one)}))
        for model in models:
            with _scoring:
                scores = score_pairs(_scorer(model, passages), pairs)
            drafts.append(score_draft(by, item, model, queries, [scores[pair] for pair in pairs]))
        return drafts
    finally:
        PLACES.release()


@lru_cache(maxsize=8)
def _scorer(model: str, documents: tuple[str, ...]) -> Scorer:
    """A model whose word statistics come from all passages of a batch."""
    return load_scorer(model, Workbench(documents))


MESSAGES = {
    **UNDO_MESSAGES,
    "undone": "Undone. Your queries for this pair no longer count.",
    "before": "Undone. Your earlier queries for this pair count again.",
    "scores": "The scores were undone. Your queries still count; undo once more to remove them.",
    "kept": "Saved.",
    "busy": "Saved, but without scores, since the models are busy. Ask again in a moment.",
}
STALE = (
    "You have written other queries for this pair in the meantime, perhaps in another window, and those count. The form below has "
    "what you just sent: save it again to replace them."
)
_FIELDS = tuple(question.id for question in QUESTIONS)


def write(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show the pair in the address, else the next open pair, else everything that the person wrote."""
    session = _session(request, artifacts, artifact)
    if row := request.query_params.get("row"):
        return _show(session, session.task(row), message=MESSAGES.get(request.query_params.get("told", ""), ""))
    left = session.left(request.query_params.get("after", ""))
    if left:
        return RedirectResponse(session.address(row=left[0].row), 303)
    written = [(task.row, _queries(session, task)) for task in session.tasks]
    return session.render("writing_done.html.jinja", written=written)


def keep(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Save two queries, and scores if requested; queries that break a rule are shown again with the reason."""
    session, form = _session(request, artifacts, artifact), request.state.form
    task, queries, now = session.task(first_value(form, "row")), _given(form), datetime.now(UTC)
    seen = read_place(first_value(form, "seen"), session.own)
    try:
        keep_queries(session.batch, session.name, task, queries, seen, now)
    except BrokenRulesError as error:
        return _show(session, task, queries, faults=error.faults, seen=seen, status=422)
    except StaleError:
        return _show(session.reload(), task, queries, message=STALE, status=409)
    if first_value(form, "then") != "scores":
        return RedirectResponse(session.address(after=task.row), 303)
    models = tuple(name for name in models_for(request, task) if name in form.get("model", ()))
    drafts = score_drafts(session.batch, task.item, session.name, queries, models)
    if drafts is not None:
        keep_scores(session.batch, task, drafts, now)
    return RedirectResponse(session.address(row=task.row, told="busy" if drafts is None else "kept"), 303)


def check(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """The faults of two queries, for the script that checks while a person types; nothing is saved."""
    session, form = _session(request, artifacts, artifact), request.state.form
    found = find_faults(passages_of(session.task(first_value(form, "row")).item), _given(form))
    return JSONResponse({name: _reasons(found, place) for place, name in enumerate(_FIELDS)})


def undo(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Undo what was saved last, and show that pair again."""
    session = _session(request, artifacts, artifact)

    def message(task: AnnotationTask) -> str:
        before, after = _queries(session, task), _queries(session.reload(), task)
        return "scores" if before == after else "before" if any(after) else "undone"

    return session.undo(message)


def models_for(request: Request, task: AnnotationTask) -> tuple[str, ...]:
    """The models whose scores a person may see: all for an owner, those chosen for the batch for annotators."""
    chosen = task.item.hidden["models"].split()
    return tuple(name for name in MODELS if request.state.person.role == "owner" or name in chosen)


def _queries(session: AnnotatorSession, task: AnnotationTask) -> tuple[str, str]:
    """The saved queries of a pair; empty if there are none."""
    answers = answers_to(task, session.own)
    first, second = (str(answers[name].value) if name in answers else "" for name in _FIELDS)
    return first, second


def _session(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> AnnotatorSession:
    batch = served_batch(artifacts, artifact, writing=True)
    return AnnotatorSession(request, writing_address(artifact), artifact.name, batch)


def _show(
    session: AnnotatorSession,
    task: AnnotationTask,
    queries: tuple[str, str] | None = None,
    *,
    faults: Sequence[QueryFault] = (),
    seen: int | None = None,
    message: str = "",
    status: int = 200,
) -> Response:
    """Show a pair. The form holds what was just sent, else the saved queries; `seen` is the last event the person knew of."""
    saved, passages = _queries(session, task), passages_of(task.item)
    shown = queries or saved
    return session.render(
        "writing.html.jinja",
        status,
        row=task.row,
        seen=place_of(last_event_on(task, session.own) if seen is None else seen, session.own),
        passages=_marked(*passages),
        fields=[(name, shown[place], _reasons(faults, place)) for place, name in enumerate(_FIELDS)],
        written=all(saved),
        missed=saved if status == 409 else (),
        rules=RULES,
        longest=LONGEST,
        models=models_for(session.request, task),
        verdicts=read_scores(task, session.own, saved) if shown == saved else {},
        same_words=not own_words(passages),
        skip=next((other.row for other in session.left(task.row) if other.row != task.row), ""),
        message=message,
    )


def _marked(first: str, second: str) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Both passages with their differing words marked."""
    marks = [[TextMark(start, end, "edit") for start, end in spans] for spans in find_changes(first, second)]
    return cut(first, marks[0]), cut(second, marks[1])


def _given(form: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    first, second = (tidy(first_value(form, name)) for name in _FIELDS)
    return first, second


def _reasons(faults: Sequence[QueryFault], place: int) -> list[str]:
    return [fault.reason for fault in faults if fault.query == place]


PAGES = (
    page_of(BATCH, check, "/check", JUDGES, "POST", NAME),
    page_of(BATCH, undo, "/undo", JUDGES, "POST", NAME),
    page_of(BATCH, keep, "", JUDGES, "POST", NAME),
    page_of(BATCH, write, "", JUDGES, at=NAME),
)
