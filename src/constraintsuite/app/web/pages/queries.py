"""Writing queries: two passages, a query that only the first answers, and one that only the second does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from threading import BoundedSemaphore, Lock
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from constraintsuite.app.pages.marks import Segment, TextMark, cut
from constraintsuite.app.web.annotator_session import AnnotatorSession
from constraintsuite.app.web.artifact_index import BATCH, ArtifactIndex, NotServedError, ServedArtifact
from constraintsuite.app.web.forms import only, place_of, read_place
from constraintsuite.app.web.pages import JUDGES, page_of
from constraintsuite.app.web.renderer import render
from constraintsuite.experiments.scoring import score_pairs
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.suites.annotation.answers import StaleError, answers_to, last_event_on
from constraintsuite.suites.annotation.batch import AnnotationBatch, AnnotationTask, open_batch
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
"""Those that need no download."""
WAITING = 4
"""Who may wait for scores at once. Each holds a worker of the server, and pages need some too."""
PLACES = BoundedSemaphore(WAITING)
_scoring = Lock()  # one at a time: a page must not take the machine from everyone else's


def score_drafts(
    batch: AnnotationBatch, item: AnnotationItem, by: str, queries: tuple[str, str], models: tuple[str, ...]
) -> list[EventDraft] | None:
    """The scores of some models as events; None where too many wait for scores already."""
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
    """A model; words are counted in all passages of a batch."""
    return load_scorer(model, Workbench(documents))


TOLD = {
    "stale": "You have written something meanwhile, perhaps in another window. Nothing was taken back.",
    "undone": "Taken back. What you had written here no longer counts.",
    "before": "Taken back. What you had written here before that counts again.",
    "scores": "Taken back: the scores. Your queries still count; undo once more to take them back.",
    "nothing": "There is nothing left to take back.",
    "kept": "Kept.",
    "busy": "Kept, but without scores: models score for others just now. Ask once more in a moment.",
}
STALE = (
    "You have written for this pair meanwhile, perhaps in another window, and that stands. Below is what you just sent: keep it "
    "once more to put it in the other's place."
)
_FIELDS = tuple(question.id for question in QUESTIONS)


def address_of(one: ServedArtifact) -> str:
    """Where a batch of passages is written for."""
    return f"/{NAME}/{quote(one.place)}"


def write(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """The pair that is named, or the next one that nothing is written for; if there is none, all that was written."""
    session = _session(request, artifacts, one)
    if row := request.query_params.get("row"):
        return _show(request, session, session.task(row), told=TOLD.get(request.query_params.get("told", ""), ""))
    left = session.left(request.query_params.get("after", ""))
    if left:
        return RedirectResponse(session.address(row=left[0].row), 303)
    written = [(task.row, _queries(session, task)) for task in session.tasks]
    return _render(request, session, "writing_done.html.jinja", written=written)


def keep(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """Keep two queries, with the scores of models if they were asked for; what breaks a rule is told and not kept."""
    session, form = _session(request, artifacts, one), request.state.form
    task, queries, now = session.task(only(form, "row")), _given(form), datetime.now(UTC)
    seen = read_place(only(form, "seen"), session.own)
    try:
        keep_queries(session.batch, session.name, task, queries, seen, now)
    except BrokenRulesError as error:
        return _show(request, session, task, queries, faults=error.faults, seen=seen, status=422)
    except StaleError:
        return _show(request, session.again(), task, queries, told=STALE, status=409)
    if only(form, "then") != "scores":
        return RedirectResponse(session.address(after=task.row), 303)
    models = tuple(name for name in models_for(request, task) if name in form.get("model", ()))
    drafts = score_drafts(session.batch, task.item, session.name, queries, models)
    if drafts is not None:
        keep_scores(session.batch, task, drafts, now)
    return RedirectResponse(session.address(row=task.row, told="busy" if drafts is None else "kept"), 303)


def check(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """What is wrong with two queries so far, for a page that asks while one types; nothing is kept."""
    session, form = _session(request, artifacts, one), request.state.form
    found = find_faults(passages_of(session.task(only(form, "row")).item), _given(form))
    return JSONResponse({name: _reasons(found, place) for place, name in enumerate(_FIELDS)})


def undo(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """Take back what was kept last, and show that pair again."""
    session = _session(request, artifacts, one)

    def tell(task: AnnotationTask) -> str:
        before, after = _queries(session, task), _queries(session.again(), task)
        return "scores" if before == after else "before" if any(after) else "undone"

    return session.undo(request, tell)


def models_for(request: Request, task: AnnotationTask) -> tuple[str, ...]:
    """Whose scores a person may ask for: an owner all, annotators those that the owner chose for the batch."""
    chosen = task.item.hidden["models"].split()
    return tuple(name for name in MODELS if request.state.person.role == "owner" or name in chosen)


def _queries(session: AnnotatorSession, task: AnnotationTask) -> tuple[str, str]:
    """What stands for a pair; empty where nothing does."""
    said = answers_to(task, session.own)
    first, second = (str(said[name].value) if name in said else "" for name in _FIELDS)
    return first, second


def writing_batch(artifacts: ArtifactIndex, one: ServedArtifact) -> AnnotationBatch:
    """A batch, if queries are written for it."""
    batch = artifacts.load(one, open_batch)
    if batch.head.kind != NAME:
        raise NotServedError(f"There is nothing to write for at {one.place!r}.")
    return batch


def _session(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> AnnotatorSession:
    return AnnotatorSession(one, address_of(one), writing_batch(artifacts, one), request.state.person.name)


def _show(
    request: Request,
    session: AnnotatorSession,
    task: AnnotationTask,
    queries: tuple[str, str] | None = None,
    *,
    faults: Sequence[QueryFault] = (),
    seen: int | None = None,
    told: str = "",
    status: int = 200,
) -> Response:
    """A pair with what was just sent, or with what stands; `seen` is what the person knew of, if not all of that."""
    stands, passages = _queries(session, task), passages_of(task.item)
    shown = queries or stands
    return _render(
        request,
        session,
        "writing.html.jinja",
        status,
        row=task.row,
        seen=place_of(last_event_on(task, session.own) if seen is None else seen, session.own),
        passages=_marked(*passages),
        fields=[(name, shown[place], _reasons(faults, place)) for place, name in enumerate(_FIELDS)],
        written=all(stands),
        missed=stands if status == 409 else (),
        rules=RULES,
        longest=LONGEST,
        models=models_for(request, task),
        verdicts=read_scores(task, session.own, stands) if shown == stands else {},
        same_words=not own_words(passages),
        skip=next((other.row for other in session.left(task.row) if other.row != task.row), ""),
        told=told,
    )


def _render(
    request: Request, session: AnnotatorSession, template: str, status: int = 200, **values: object
) -> Response:
    title, address = session.one.name, session.home
    return render(request, template, status=status, title=title, session=session, address=address, **values)


def _marked(first: str, second: str) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Both passages with the words in which they differ."""
    marks = [[TextMark(start, end, "edit") for start, end in spans] for spans in find_changes(first, second)]
    return cut(first, marks[0]), cut(second, marks[1])


def _given(form: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    first, second = (tidy(only(form, name)) for name in _FIELDS)
    return first, second


def _reasons(faults: Sequence[QueryFault], place: int) -> list[str]:
    return [fault.reason for fault in faults if fault.query == place]


PAGES = (
    page_of(BATCH, check, "/check", JUDGES, "POST", NAME),
    page_of(BATCH, undo, "/undo", JUDGES, "POST", NAME),
    page_of(BATCH, keep, "", JUDGES, "POST", NAME),
    page_of(BATCH, write, "", JUDGES, at=NAME),
)
