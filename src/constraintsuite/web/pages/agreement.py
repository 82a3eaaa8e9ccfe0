"""How far people agree, live: the table is asked for again while people judge."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.annotate.agreeing import ALL, agree, attention
from constraintsuite.annotate.attention import ADVICE, RULE, concerns, too_few
from constraintsuite.annotate.standing import leave_out, standing
from constraintsuite.annotate.stopping import CLAIM
from constraintsuite.errors import UserError
from constraintsuite.reports.agreement import agreement_table, attention_table
from constraintsuite.web.annotator_session import batch_title
from constraintsuite.web.artifact_index import BATCH, ArtifactIndex, ServedArtifact
from constraintsuite.web.origins import judged_batch
from constraintsuite.web.pages import page_of
from constraintsuite.web.rendering import render

CLAIMS = (0.8, 0.85, CLAIM, 0.95)
"""Lower bounds that a page offers."""
_LEAST, _MOST = 0.5, 0.999


def agreement(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """The figures by question, and by group if asked; who was attentive; how many more items it takes."""
    return _answer(request, artifacts, one, "agreement.html.jinja")


def figures(request: Request, artifacts: ArtifactIndex, one: ServedArtifact) -> Response:
    """The same without the page around it, for the script; nothing if nobody has said anything since."""
    return _answer(request, artifacts, one, "agreement_figures.html.jinja", seen=request.query_params.get("seen", ""))


def _answer(request: Request, artifacts: ArtifactIndex, one: ServedArtifact, template: str, seen: str = "") -> Response:
    batch = judged_batch(artifacts, one)
    events = batch.store.events()
    last = str(events[-1].number if events else 0)
    if last == seen:
        return Response(status_code=204)
    by, claim = request.query_params.get("by", ""), _claim(request.query_params.get("claim", str(CLAIM)))
    without = request.query_params.getlist("without")
    said = standing(leave_out(events, without))
    # Several windows ask for the same again and again, and of thousands of items it takes seconds.
    key = ("agreement", tuple(events[-1:]), by, claim, tuple(without))
    people, rows = artifacts.keep(key, [one], lambda: (attention(batch, said), agree(batch, said, by=by, claim=claim)))
    told = [row for row in rows if row.figures.raw.n]
    return render(
        request,
        template,
        title=f"Agreement on {batch_title(one, batch)}",
        address=one.address,
        name=one.label,
        query=urlencode({"by": by, "claim": claim, "without": without}, doseq=True),
        names=standing(events).annotators if without else said.annotators,
        without=without,
        concerns=concerns(people),
        rule=RULE,
        advice=ADVICE,
        too_few=too_few(people),
        seen=last,
        by=by,
        claim=claim,
        claims=sorted({*CLAIMS, claim}),
        groupings=sorted({name for item in batch.judged for name in item.groups}),
        table=agreement_table(told) if told else None,
        scales=sorted({f"{row.question}: {row.scale}" for row in told}),
        needed=[(row.question, str(row.needed)) for row in told if row.group == ALL],
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


PAGES = (
    page_of(BATCH, figures, "/agreement/figures"),
    page_of(BATCH, agreement, "/agreement"),
)
