"""Writing queries: two passages, a query that only the first answers, and one that only the second does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from constraintsuite.annotate.answering import StaleError, answers_to, last_of, take_back_last
from constraintsuite.annotate.batch import open_batch
from constraintsuite.annotate.kinds.query_rules import LONGEST, RULES, QueryFault, find_faults, own_words, tidy
from constraintsuite.annotate.kinds.scores import keep_scores, read_verdicts
from constraintsuite.annotate.kinds.writing import NAME, QUESTIONS, BrokenRulesError, keep_queries, passages_of
from constraintsuite.annotate.queue import AnnotationTask, tasks_of
from constraintsuite.annotate.standing import progress_of
from constraintsuite.reports.marks import Segment, TextMark, cut
from constraintsuite.suites.importers.pairs import find_changes
from constraintsuite.web.artifact_index import BATCH, NotOnShelfError, Shelved, WebShelf
from constraintsuite.web.desk import Desk
from constraintsuite.web.forms import only, place_of, read_place
from constraintsuite.web.pages import JUDGES, Page
from constraintsuite.web.rendering import render
from constraintsuite.web.scoring import MODELS, BusyError, score_drafts

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


def address_of(one: Shelved) -> str:
    """Where a batch of passages is written for."""
    return f"/{NAME}/{quote(one.place)}"


def write(request: Request, shelf: WebShelf) -> Response:
    """The pair that is named, or the next one that nothing is written for; if there is none, all that was written."""
    desk = _desk(request, shelf)
    if row := request.query_params.get("row"):
        return _show(request, desk, desk.task(row), told=TOLD.get(request.query_params.get("told", ""), ""))
    left = desk.left(request.query_params.get("after", ""))
    return RedirectResponse(desk.address(row=left[0].row), 303) if left else _done(request, desk)


def keep(request: Request, shelf: WebShelf) -> Response:
    """Keep two queries, with the scores of models if they were asked for; what breaks a rule is told and not kept."""
    desk, form = _desk(request, shelf), request.state.form
    task, queries, now = desk.task(only(form, "row")), _given(form), datetime.now(UTC)
    seen = read_place(only(form, "seen"), desk.own)
    try:
        keep_queries(desk.batch, desk.name, task, queries, seen, now)
    except BrokenRulesError as error:
        return _show(request, desk, task, queries=queries, faults=error.faults, seen=seen, status=422)
    except StaleError:
        return _show(request, _desk(request, shelf), task, queries=queries, told=STALE, status=409)
    if only(form, "then") != "scores":
        return RedirectResponse(desk.address(after=task.row), 303)
    models = tuple(name for name in models_for(request, task) if name in form.get("model", ()))
    try:
        keep_scores(desk.batch, task, score_drafts(desk.batch, task.item, desk.name, queries, models), now)
    except BusyError:
        return RedirectResponse(desk.address(row=task.row, told="busy"), 303)
    return RedirectResponse(desk.address(row=task.row, told="kept"), 303)


def check(request: Request, shelf: WebShelf) -> Response:
    """What is wrong with two queries so far, for a page that asks while one types; nothing is kept."""
    desk, form = _desk(request, shelf), request.state.form
    found = find_faults(passages_of(desk.task(only(form, "row")).item), _given(form))
    return JSONResponse({name: _reasons(found, place) for place, name in enumerate(_FIELDS)})


def undo(request: Request, shelf: WebShelf) -> Response:
    """Take back what was kept last, and show that pair again."""
    desk, form = _desk(request, shelf), request.state.form
    try:
        found = take_back_last(desk.batch, desk.name, read_place(only(form, "last"), desk.own), datetime.now(UTC))
    except StaleError:
        return _back(desk, only(form, "row"), "stale")
    if found is None:
        return _back(desk, only(form, "row"), "nothing")
    task = next(task for task in desk.tasks if task.item.id == found[0])
    before, after = _queries(desk, task), _queries(_desk(request, shelf), task)
    return _back(desk, task.row, "scores" if before == after else "before" if any(after) else "undone")


def _back(desk: Desk, row: str, told: str) -> Response:
    """To a pair; without one to the queue."""
    return RedirectResponse(desk.address(row=desk.task(row).row, told=told) if row else desk.address(), 303)


def models_for(request: Request, task: AnnotationTask) -> tuple[str, ...]:
    """Whose scores a person may ask for: an owner all, annotators those that the owner chose for the batch."""
    chosen = task.item.hidden["models"].split()
    return tuple(name for name in MODELS if request.state.person.role == "owner" or name in chosen)


def _queries(desk: Desk, task: AnnotationTask) -> tuple[str, str]:
    """What stands for a pair; empty where nothing does."""
    said = answers_to(task, desk.own)
    first, second = (str(said[name].value) if name in said else "" for name in _FIELDS)
    return first, second


def _desk(request: Request, shelf: WebShelf) -> Desk:
    one, name = shelf.get(request.path_params["place"], BATCH), request.state.person.name
    batch = shelf.load(one, open_batch)
    if batch.head.kind != NAME:
        raise NotOnShelfError(f"There is nothing to write for at {one.place!r}.")
    return Desk(one, address_of(one), batch, name, tasks_of(batch, name), batch.store.events(name))


def _show(
    request: Request,
    desk: Desk,
    task: AnnotationTask,
    *,
    queries: tuple[str, str] | None = None,
    faults: Sequence[QueryFault] = (),
    seen: int | None = None,
    told: str = "",
    status: int = 200,
) -> Response:
    """A pair with what was just sent, or with what stands; `seen` is what the person knew of, if not all of that."""
    stands = _queries(desk, task)
    shown = queries or stands
    others = [other.row for other in desk.left(task.row) if other.row != task.row]
    return render(
        request,
        "writing.html.jinja",
        status=status,
        title=desk.one.name,
        address=desk.address(),
        row=task.row,
        seen=place_of(last_of(task, desk.own) if seen is None else seen, desk.own),
        last=len(desk.own),
        passages=_marked(*passages_of(task.item)),
        fields=[(name, shown[place], _reasons(faults, place)) for place, name in enumerate(_FIELDS)],
        written=all(stands),
        missed=stands if status == 409 else (),
        rules=RULES,
        longest=LONGEST,
        models=models_for(request, task),
        verdicts=read_verdicts(task, desk.own, stands) if shown == stands else {},
        same_words=not own_words(passages_of(task.item)),
        progress=progress_of(desk.batch, desk.name, desk.own),
        skip=others[0] if others else "",
        told=told,
    )


def _done(request: Request, desk: Desk) -> Response:
    return render(
        request,
        "writing_done.html.jinja",
        title=desk.one.name,
        address=desk.address(),
        last=len(desk.own),
        progress=progress_of(desk.batch, desk.name, desk.own),
        written=[(task.row, _queries(desk, task)) for task in desk.tasks],
    )


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
    Page("/writing/{place:path}/check", check, JUDGES, "POST"),
    Page("/writing/{place:path}/undo", undo, JUDGES, "POST"),
    Page("/writing/{place:path}", keep, JUDGES, "POST"),
    Page("/writing/{place:path}", write, JUDGES),
)
