"""Proposals: accept, reject or reword them, and write the file for a build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from constraintsuite.app.web.annotator_session import UNDO_MESSAGES, undo_last
from constraintsuite.app.web.artifact_index import BATCH, PROPOSALS, ArtifactIndex, NotServedError, ServedArtifact
from constraintsuite.app.web.commands import UNKNOWN, corpus_of, shell_path
from constraintsuite.app.web.forms import first_value, read_number
from constraintsuite.app.web.pages import page_of
from constraintsuite.app.web.proposal_review import (
    FACETS,
    find_batch,
    find_or_make_batch,
    find_proposals,
    mark_query,
    mark_snippet,
    read_judged,
    suite_of,
)
from constraintsuite.app.web.renderer import render
from constraintsuite.app.web.suites.details import describe_type_fields
from constraintsuite.app.web.suites.search import SEARCH, ExampleFilter, paginate, read_choice
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.suites.annotation.answers import StaleError
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.kinds.approval import (
    STATES,
    JudgedProposal,
    approvals_of,
    keep_verdict,
    read_verdict,
    write_approval,
)
from constraintsuite.suites.annotation.kinds.proposals import LONGEST, WORDS, words_of
from constraintsuite.suites.queries.records import Proposal

PAGE = 20
"""How many proposals one page of the list shows."""
UNCHANGED = "Nothing was changed."
MESSAGES = {**UNDO_MESSAGES, "undone": "Undone."}


@dataclass(frozen=True)
class UnsavedRewording:
    """A rewording that could not be saved, so that the form can show it again."""

    proposal: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""
    seen: int | None = None
    """The last event that the person knew of; None if the page now shows what they had missed."""


def show(
    request: Request,
    artifacts: ArtifactIndex,
    artifact: ServedArtifact,
    tried: UnsavedRewording | None = None,
    status: int = 200,
) -> Response:
    """Show a page of the filtered proposals, and how many examples the accepted ones would give."""
    batch, tried = find_batch(artifacts, artifact), tried or UnsavedRewording()
    judged = [each.shown_to(request.state.person.name) for each in read_judged(artifacts, artifact, batch)]
    choice = _choice(request)
    offered = find_proposals(judged, choice)
    found = [judged[place] for place in offered.members]
    shown = paginate(found, min(choice.page, max(1, -(-len(found) // PAGE))), PAGE)
    following = {each.mined.id: after.mined.id for each, after in pairwise(found)}
    return render(
        request,
        "proposals.html.jinja",
        status=status,
        title=artifact.name,
        address=artifact.address,
        following=following,
        mark_query=mark_query,
        mark_snippet=mark_snippet,
        words_of=words_of,
        describe_type_fields=describe_type_fields,
        choice=choice,
        offers=[offer for offer in offered.offers if offer.useful],
        pagination=shown,
        link=lambda number: artifact.address + choice.at(number).query(),
        query=choice.at(shown.number).query(),
        tally=[(state, *_give(judged, state)) for state in STATES],
        last=_last(batch, request.state.person.name),
        message=MESSAGES.get(request.query_params.get("told", ""), ""),
        words=WORDS,
        longest=LONGEST,
        tried=tried,
        lost=bool(tried.fault) and tried.proposal not in {each.mined.id for each in shown.items if each.drawn},
        judging=f"/{BATCH}/{quote(batch.path.relative_to(artifacts.root).as_posix())}" if batch is not None else "",
    )


def answer(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Save a verdict and go to the next proposal; a rewording that cannot be saved stays in the form, with the reason."""
    form = request.state.form
    by, verdict, seen = request.state.person.name, first_value(form, "verdict"), read_number(first_value(form, "seen"))
    judged = read_judged(artifacts, artifact, find_batch(artifacts, artifact))
    chosen = _proposal(judged, first_value(form, "proposal")).shown_to(by)
    words = {name: form[name][0] for name in WORDS if name in form and verdict != "reject"}
    proposal = chosen.mined.id
    try:
        answers = read_verdict(chosen, verdict, words)
        keep_verdict(find_or_make_batch(artifacts, artifact), proposal, by, answers, seen, datetime.now(UTC))
    except StaleError as error:
        now = words_of(chosen.now)
        sent = words if any(now[name] != text for name, text in words.items()) else {}
        fault = f"{error} {'The form below has the words that you sent. ' if sent else ''}{UNCHANGED}"
        return show(request, artifacts, artifact, UnsavedRewording(proposal, sent, fault), 409)
    except UserError as error:
        return show(request, artifacts, artifact, UnsavedRewording(proposal, words, f"{error} {UNCHANGED}", seen), 422)
    return _redirect_to(request, artifacts, artifact, first_value(form, "next") or proposal)


def redirect_after_reload(request: Request, _artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Go back to the proposals when the page of a refused answer is reloaded."""
    return RedirectResponse(artifact.address + _choice(request).query(), 303)


def undo(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Undo what was saved last, and show that proposal."""
    batch, known = find_batch(artifacts, artifact), read_number(first_value(request.state.form, "last"))
    found, told = undo_last(batch, request.state.person.name, known) if batch else (None, "nothing")
    if found is not None:
        return _redirect_to(request, artifacts, artifact, found[0], told="undone")
    return RedirectResponse(artifact.address + _choice(request).at(1).query(told=told), 303)


def show_approved(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Show what would be written now, and the files written before, each with the command that reads it."""
    judged = read_judged(artifacts, artifact, find_batch(artifacts, artifact))
    suite = suite_of(artifacts, judged[0].mined)
    corpus = corpus_of(suite) if suite is not None else UNKNOWN
    made = []
    for path in filter(artifacts.is_inside, approvals_of(artifact.path)):
        command = f"csuite build --corpus {corpus} --approved {shell_path(path)} --out suites/ours"
        made.append((path.name, *_accepted_in(artifacts, path), command))
    return render(
        request,
        "proposals_approved.html.jinja",
        title=f"Approved of {artifact.name}",
        address=artifact.address,
        tally=[(state, *_give(judged, state)) for state in STATES],
        accepted=[each for each in judged if each.state == "accepted"],
        made=made,
        unknown=UNKNOWN if corpus == UNKNOWN else "",
    )


def make_approved(request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact) -> Response:
    """Write the file for a build."""
    batch = find_batch(artifacts, artifact)
    if batch is None:
        raise UserError("No proposal is accepted or rejected yet, so there is nothing to write.")
    write_approval(batch, artifact.path)
    return RedirectResponse(f"{artifact.address}/approved", 303)


def _proposal(judged: list[JudgedProposal], proposal: str) -> JudgedProposal:
    found = next((each for each in judged if each.mined.id == proposal), None)
    if found is None:
        raise NotServedError(f"This file has no such proposal. {UNCHANGED}")
    return found


def _redirect_to(
    request: Request, artifacts: ArtifactIndex, artifact: ServedArtifact, proposal: str, **more: str
) -> Response:
    """Redirect to the page that now lists a proposal; if the filter no longer finds it, to the page of the request.

    The address names the proposal twice, since the script does not see the part after the #.
    """
    choice, judged = _choice(request), read_judged(artifacts, artifact, find_batch(artifacts, artifact))
    found = [judged[place].mined.id for place in find_proposals(judged, choice).members]
    if proposal not in found:
        return RedirectResponse(artifact.address + choice.query(**more), 303)
    there = choice.at(found.index(proposal) // PAGE + 1).query(at=proposal, **more)
    return RedirectResponse(f"{artifact.address}{there}#{quote(proposal)}", 303)


def _choice(request: Request) -> ExampleFilter:
    """The filter in the address; a page number that cannot be read means the first page."""
    given = request.query_params
    page = given.get("page", "")
    asked = [item for item in given.multi_items() if item[0] in (*FACETS, SEARCH)]
    number = max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 9 else 1
    return read_choice(asked, FACETS).at(number)


def _give(judged: list[JudgedProposal], state: str) -> tuple[int, int, int]:
    """The number of proposals in a state, of the examples they would give, and of proposals for which that is not known."""
    found = [each.outlook.examples for each in judged if each.state == state]
    return len(found), sum(filter(None, found)), found.count(None)


def _last(batch: AnnotationBatch | None, name: str) -> int:
    own = batch.store.events(name) if batch is not None else []
    return own[-1].number if own else 0


def _accepted_in(artifacts: ArtifactIndex, file: Path) -> tuple[int, str]:
    """The number of accepted proposals in a file, or why it cannot be read."""
    try:
        return sum(each.status == "accepted" for each in read_jsonl(file, Proposal)), ""
    except UserError as error:
        return 0, artifacts.describe_error(error)


PAGES = (
    page_of(PROPOSALS, redirect_after_reload, "/answer"),
    page_of(PROPOSALS, answer, "/answer", method="POST"),
    page_of(PROPOSALS, undo, "/undo", method="POST"),
    page_of(PROPOSALS, show_approved, "/approved"),
    page_of(PROPOSALS, make_approved, "/approved", method="POST"),
    page_of(PROPOSALS, show),
)
