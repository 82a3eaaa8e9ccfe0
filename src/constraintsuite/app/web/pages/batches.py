"""The owner's pages of a batch: draw it, follow progress and agreement, and export the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.pages.agreement import agreement_table, attention_table
from constraintsuite.app.web.annotator_session import batch_title, progress_of_all
from constraintsuite.app.web.artifact_index import BATCH, ArtifactIndex, ServedArtifact
from constraintsuite.app.web.commands import rebuild_command, serve_command
from constraintsuite.app.web.forms import first_value, read_whole
from constraintsuite.app.web.new_folders import create_sibling, list_siblings, require_sibling_allowed, sibling_fault
from constraintsuite.app.web.origins import batches_on, fault_of, proposals_of, served_batch, suite_of
from constraintsuite.app.web.pages import page_of
from constraintsuite.app.web.renderer import render
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.tables import ItemColumns, tabulate
from constraintsuite.suites.annotation.adjudication import open_disagreements
from constraintsuite.suites.annotation.agreement import ALL, measure_agreement, measure_attention
from constraintsuite.suites.annotation.batch import AnnotationBatch, open_batch, write_batch
from constraintsuite.suites.annotation.current_answers import AnnotatorProgress, current_answers, leave_out
from constraintsuite.suites.annotation.kinds.gold import judge_examples, sample_suite, summarise, write_verdicts
from constraintsuite.suites.annotation.kinds.proposals import write_approved
from constraintsuite.suites.annotation.labels import label_all, write_labels
from constraintsuite.suites.annotation.sample_size import CLAIM

CLAIMS = (0.8, 0.85, CLAIM, 0.95)
"""Lower bounds that the page offers."""
_LEAST, _MOST = 0.5, 0.999


def agreement(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show agreement by question and group, who was attentive, and how many more items a claim needs."""
    return _answer(request, artifacts, artifact, "agreement.html.jinja")


def figures(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """The figures without the page around them, for the script; empty if nothing was answered since."""
    seen = request.query_params.get("seen", "")
    return _answer(request, artifacts, artifact, "agreement_figures.html.jinja", seen)


def _answer(
    request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact, template: str, seen: str = ""
) -> Response:
    batch = served_batch(artifacts, artifact)
    events = batch.store.events()
    last = str(events[-1].number if events else 0)
    if last == seen:
        return Response(status_code=204)
    by, claim = request.query_params.get("by", ""), _claim(request.query_params.get("claim", str(CLAIM)))
    without = request.query_params.getlist("without")
    answers = current_answers(leave_out(events, without))
    # Open windows ask for this every few seconds, and with thousands of items it takes seconds.
    key = ("agreement", tuple(events[-1:]), by, claim, tuple(without))
    people, rows = artifacts.compute_once(
        key,
        [artifact],
        lambda: (measure_attention(batch, answers), measure_agreement(batch, answers, by=by, claim=claim)),
    )
    known = [row for row in rows if row.figures.raw.n]
    return render(
        request,
        template,
        title=f"Agreement on {batch_title(artifact, batch)}",
        address=artifact.address,
        name=artifact.label,
        query=urlencode({"by": by, "claim": claim, "without": without}, doseq=True),
        names=current_answers(events).annotators if without else answers.annotators,
        without=without,
        judges=people,
        seen=last,
        by=by,
        claim=claim,
        claims=sorted({*CLAIMS, claim}),
        groupings=sorted({name for item in batch.judged for name in item.groups}),
        table=agreement_table(known) if known else None,
        scales=sorted({f"{row.question}: {row.scale}" for row in known}),
        needed=[(row.question, str(row.needed)) for row in known if row.group == ALL],
        unasked=sorted({row.question for row in rows if row.group == ALL and not row.figures.raw.n}),
        people=attention_table(people),
    )


def _claim(text: str) -> float:
    try:
        claim = float(text)
    except ValueError:
        claim = 0.0
    if not _LEAST <= claim <= _MOST:
        raise UserError(f"claim: {text!r} is not a share from {_LEAST} to {_MOST}.")
    return claim


ENDING, EXPORT = "gold", "export"
"""How the names of new folders next to a suite and next to a batch end."""
_PROGRESS: ItemColumns[AnnotatorProgress] = {
    "annotator": ("text", lambda one: one.annotator),
    "done": ("count", lambda one: one.done),
    "of": ("count", lambda one: one.total),
    "minutes left": ("count", lambda one: None if one.seconds_left is None else one.seconds_left / 60),
}
DEFAULT_SIZE, MOST = 200, 5_000


def show_state(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show the progress of everyone, and links to agreement, rulings and export."""
    batch = artifacts.load(artifact, open_batch)
    answers = current_answers(batch.store.events())
    people = progress_of_all(batch)
    return render(
        request,
        "annotate_state.html.jinja",
        title=batch_title(artifact, batch),
        address=artifact.address,
        batch=batch,
        people=tabulate("people", "", people, _PROGRESS) if people else None,
        waiting=len(open_disagreements(batch, answers)),
        suite=suite_of(artifacts, batch.head, artifact),
        command=serve_command(artifacts, "annotator"),
    )


def offer_sample(request: Request, artifacts: ArtifactIndex, suite: ServedArtifact) -> Response:
    """Show the form for a new batch of a suite, and the batches that were drawn before."""
    return _render_form(request, artifacts, suite, {"size": str(DEFAULT_SIZE), "seed": "0"})


def make_sample(request: Request, artifacts: ArtifactIndex, suite: ServedArtifact) -> Response:
    """Draw a batch from a suite into a new folder next to it."""
    require_sibling_allowed(artifacts, suite)
    given = {name: first_value(request.state.form, name) for name in ("size", "seed")}
    try:
        size, seed = read_whole(given["size"], "size", 1, MOST), read_whole(given["seed"], "seed", 0, 2**31)
        items = sample_suite(suite.path, size, seed)
        with create_sibling(artifacts, suite, ENDING) as folder:
            write_batch(folder, items, seed=seed)
    except UserError as error:
        return _render_form(request, artifacts, suite, given, artifacts.describe_error(error), 422)
    return RedirectResponse(f"/{BATCH}/{quote(folder.relative_to(artifacts.root).as_posix())}", 303)


def _render_form(
    request: Request,
    artifacts: ArtifactIndex,
    suite: ServedArtifact,
    given: Mapping[str, str],
    fault: str = "",
    status: int = 200,
) -> Response:
    of_this = [batch for batch, head in batches_on(artifacts, "gold") if head.source.endswith(f" {suite.content}")]
    return render(
        request,
        "annotate_new.html.jinja",
        status=status,
        title=f"Judge {suite.label}",
        suite=suite,
        drawn=[] if fault_of(artifacts, suite) else of_this,
        given=given,
        fault=fault,
        nowhere=sibling_fault(artifacts, suite),
        most=MOST,
    )


def show_export(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show what an export would write, which examples to drop and repair, and earlier exports."""
    batch = served_batch(artifacts, artifact)
    made = list_siblings(artifacts, artifact, EXPORT)
    suite, new = suite_of(artifacts, batch.head, artifact), request.query_params.get("made")
    without = request.query_params.getlist("without")
    return render(
        request,
        "annotate_export.html.jinja",
        title=f"Export of {batch_title(artifact, batch)}",
        address=artifact.address,
        name=artifact.label,
        head=batch.head,
        outlook=_outlook(batch, without) if batch.head.kind == "gold" else None,
        without=without,
        suite=suite,
        made=[path.name for path in made],
        new=[path.name for path in made if path.name == new],
        commands=[rebuild_command(suite, path / "drop.jsonl") for path in made if suite and path.name == new],
        nowhere=sibling_fault(artifacts, artifact),
    )


def make_export(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Write the files of `csuite gold export` into a new folder next to the batch."""
    batch = served_batch(artifacts, artifact)
    require_sibling_allowed(artifacts, artifact)
    if batch.head.kind not in ("gold", "proposals"):
        raise UserError(f"Export a batch of the kind {batch.head.kind!r} with `csuite memory private export`.")
    proposals = _proposals_file(artifacts, batch, artifact) if batch.head.kind == "proposals" else None
    without = request.state.form.get("without", ())
    if proposals is not None and without:
        raise UserError(
            "People can be left out of examples, but not of proposals, which one person decides. Nothing was written."
        )
    leave_out(batch.store.events(), without)  # refuse an unknown name before the folder is made
    with create_sibling(artifacts, artifact, EXPORT) as folder:
        if proposals is not None:
            write_approved(batch, proposals, folder / "approved.jsonl")
            write_labels(batch, folder)
        else:
            write_verdicts(batch, folder, without)
    made = urlencode({"made": folder.name, "without": without}, doseq=True)
    return RedirectResponse(f"{artifact.address}/export?{made}", 303)


def _outlook(batch: AnnotationBatch, without: Sequence[str]) -> dict[str, object]:
    """What an export of examples would write now; `people` includes those who are left out."""
    events = batch.store.events()
    answers = current_answers(leave_out(events, without))
    judged, people = judge_examples(batch, label_all(batch, answers)), measure_attention(batch, answers)
    return {
        "summary": summarise(batch, judged),
        "drop": [one for one in judged if one.verdict == "drop"],
        "repair": [one for one in judged if one.verdict == "repair"],
        "people": current_answers(events).annotators,
        "judges": people,
    }


def _proposals_file(artifacts: ArtifactIndex, batch: AnnotationBatch, artifact: ServedArtifact) -> Path:
    found = proposals_of(artifacts, batch.head, artifact)
    if found is None:
        raise UserError(
            "The file of proposals that this batch was drawn from is not in the served folder, or was changed. Restore it, or use "
            "`csuite gold export --proposals FILE`."
        )
    return found.path


PAGES = (
    page_of(BATCH, figures, "/agreement/figures"),
    page_of(BATCH, agreement, "/agreement"),
    page_of("suite", offer_sample, at="sample"),
    page_of("suite", make_sample, method="POST", at="sample"),
    page_of(BATCH, show_export, "/export"),
    page_of(BATCH, make_export, "/export", method="POST"),
)
