"""What an owner does with a batch: make it, see how far people are, take out what they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.annotate.adjudication import disagreements
from constraintsuite.annotate.agreeing import attention
from constraintsuite.annotate.attention import ADVICE, RULE, Concern, concerns, too_few
from constraintsuite.annotate.batch import AnnotationBatch, open_batch, write_batch
from constraintsuite.annotate.kinds.gold import (
    GoldSummary,
    JudgedExample,
    judge_all,
    read_suite,
    summarise,
    write_verdicts,
)
from constraintsuite.annotate.kinds.proposals import write_approved
from constraintsuite.annotate.labels import label_all, write_labels
from constraintsuite.annotate.records import AnnotationEvent
from constraintsuite.annotate.standing import leave_out, progress_of, standing
from constraintsuite.errors import UserError
from constraintsuite.store.artifact import read_manifest
from constraintsuite.web.artifact_index import BATCH, Shelved, WebShelf
from constraintsuite.web.beside import all_beside, check_beside, fault_beside, new_beside
from constraintsuite.web.commands import rebuild_command, serve_command
from constraintsuite.web.desk import called
from constraintsuite.web.faults import fault_of
from constraintsuite.web.forms import read_whole
from constraintsuite.web.origins import batches_on, judged_batch, proposals_of, suite_of
from constraintsuite.web.pages import OWNER, Page
from constraintsuite.web.rendering import render

ENDING, EXPORT = "gold", "export"
"""Of the folders that are made beside a suite and beside a batch."""
DEFAULT_SIZE, MOST = 200, 5_000


def show_state(request: Request, shelf: WebShelf, one: Shelved) -> Response:
    """How far everyone is, what waits, and where to go on."""
    batch = shelf.load(one, open_batch)
    events = batch.store.events()
    said = standing(events)
    own: dict[str, list[AnnotationEvent]] = {}
    for event in events:
        own.setdefault(event.annotator, []).append(event)
    return render(
        request,
        "annotate_state.html.jinja",
        title=called(one, batch),
        address=f"/{BATCH}/{quote(one.place)}",
        head=batch.head,
        items=len(batch.judged),
        decoys=len(batch.items) - len(batch.judged),
        people=[progress_of(batch, name, own.get(name, [])) for name in said.annotators],
        waiting=len(disagreements(batch, said)),
        suite=suite_of(shelf, batch.head, one),
        command=serve_command(shelf, "annotator"),
    )


def offer_sample(request: Request, shelf: WebShelf) -> Response:
    """What a batch of a suite would be, and those that there are already."""
    suite = shelf.get(request.path_params["place"], "suite")
    return _offer(request, shelf, suite, {"size": str(DEFAULT_SIZE), "seed": "0"})


def make_sample(request: Request, shelf: WebShelf) -> Response:
    """Draw a batch from a suite, beside it."""
    suite = shelf.get(request.path_params["place"], "suite")
    check_beside(shelf, suite)
    given = {name: next(iter(request.state.form.get(name, ())), "") for name in ("size", "seed")}
    try:
        size, seed = read_whole(given["size"], "size", 1, MOST), read_whole(given["seed"], "seed", 0, 2**31)
        kind, origin = read_suite(suite.path, size, seed)
        with new_beside(shelf, suite, ENDING) as folder:
            write_batch(folder, kind, origin, seed=seed)
    except UserError as error:
        return _offer(request, shelf, suite, given, shelf.told(error), 422)
    return RedirectResponse(f"/{BATCH}/{quote(folder.relative_to(shelf.root).as_posix())}", 303)


def _offer(
    request: Request, shelf: WebShelf, suite: Shelved, given: Mapping[str, str], fault: str = "", status: int = 200
) -> Response:
    manifest = read_manifest(suite.path)
    content = manifest.content if manifest is not None else ""
    of_this = [one for one, head in batches_on(shelf, "gold") if head.source.endswith(f" {content}")]
    return render(
        request,
        "annotate_new.html.jinja",
        status=status,
        title=f"Judge {suite.label}",
        suite=suite,
        drawn=[] if fault_of(shelf, suite) else of_this,
        given=given,
        fault=fault,
        nowhere=fault_beside(shelf, suite),
        most=MOST,
    )


@dataclass(frozen=True)
class ExportOutlook:
    """What an export would write now, of examples of a suite."""

    summary: GoldSummary
    drop: list[JudgedExample]
    repair: list[JudgedExample]
    people: tuple[str, ...]
    """All who judged, also those who are left out."""
    concerns: list[Concern]
    too_few: str


def show_export(request: Request, shelf: WebShelf) -> Response:
    """What would be written, what to drop and repair, and what was written before."""
    one, batch = judged_batch(shelf, request.path_params["place"])
    made = all_beside(shelf, one, EXPORT)
    suite, new = suite_of(shelf, batch.head, one), request.query_params.get("made")
    without = request.query_params.getlist("without")
    return render(
        request,
        "annotate_export.html.jinja",
        title=f"Export of {called(one, batch)}",
        address=f"/{BATCH}/{quote(one.place)}",
        name=one.label,
        head=batch.head,
        outlook=_outlook(batch, without) if batch.head.kind == "gold" else None,
        without=without,
        rule=RULE,
        advice=ADVICE,
        suite=suite,
        made=[path.name for path in made],
        new=[path.name for path in made if path.name == new],
        commands=[rebuild_command(suite, path / "drop.jsonl") for path in made if suite and path.name == new],
        nowhere=fault_beside(shelf, one),
    )


def make_export(request: Request, shelf: WebShelf) -> Response:
    """Write what `csuite gold export` writes, into a new folder beside the batch."""
    one, batch = judged_batch(shelf, request.path_params["place"])
    check_beside(shelf, one)
    if batch.head.kind not in ("gold", "proposals"):
        raise UserError(
            f"A batch of the kind {batch.head.kind!r} has an export of its own: `csuite memory private export`."
        )
    proposals = _proposals_file(shelf, batch, one) if batch.head.kind == "proposals" else None
    without = request.state.form.get("without", ())
    if proposals is not None and without:
        raise UserError("People are left out of examples; proposals are decided by one person. Nothing was written.")
    leave_out(batch.store.events(), without)  # a name of nobody is told before there is a folder
    with new_beside(shelf, one, EXPORT) as folder:
        if proposals is not None:
            write_approved(batch, proposals, folder / "approved.jsonl")
            write_labels(batch, folder)
        else:
            write_verdicts(batch, write_labels(batch, folder, without), folder)
    made = urlencode({"made": folder.name, "without": without}, doseq=True)
    return RedirectResponse(f"/{BATCH}/{quote(one.place)}/export?{made}", 303)


def _outlook(batch: AnnotationBatch, without: Sequence[str]) -> ExportOutlook:
    events = batch.store.events()
    said = standing(leave_out(events, without))
    judged, people = judge_all(batch, label_all(batch, said)), attention(batch, said)
    of = {verdict: [one for one in judged if one.verdict == verdict] for verdict in ("drop", "repair")}
    names = standing(events).annotators
    return ExportOutlook(summarise(batch, judged), of["drop"], of["repair"], names, concerns(people), too_few(people))


def _proposals_file(shelf: WebShelf, batch: AnnotationBatch, one: Shelved) -> Path:
    found = proposals_of(shelf, batch.head, one)
    if found is None:
        raise UserError(
            "The file of proposals that this batch was drawn from does not lie here, or was changed since. "
            "Bring it back, or use `csuite gold export --proposals FILE`."
        )
    return found.path


PAGES = (
    Page("/sample/{place:path}", offer_sample, OWNER),
    Page("/sample/{place:path}", make_sample, OWNER, "POST"),
    Page("/batch/{place:path}/export", show_export, OWNER),
    Page("/batch/{place:path}/export", make_export, OWNER, "POST"),
)
