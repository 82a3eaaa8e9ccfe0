"""The page of proposals: verdicts so far, what each proposal would give, and the file that a build takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, get_args

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.answers import StaleError
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
from constraintsuite.suites.annotation.kinds.proposals import (
    VERDICTS,
    approve,
    check_rewordings,
    reword,
    settle_words,
    spell_words,
    words_by_person,
    words_of,
    write_approved,
)
from constraintsuite.suites.annotation.labels import Label, label_all
from constraintsuite.suites.annotation.records import EventDraft
from constraintsuite.suites.queries.approval import check_approval
from constraintsuite.suites.queries.outlook import (
    Documents,
    ProposalOutlook,
    explain_missing,
    look_up,
    without_counterpart,
)
from constraintsuite.suites.queries.records import Proposal

ProposalState = Literal["undecided", "accepted", "rejected", "differ"]
STATES: tuple[ProposalState, ...] = get_args(ProposalState)
"""Nobody has judged it, all judges agree, or people differ: in their verdicts, or in the words that they accept."""


@dataclass(frozen=True)
class JudgedProposal:
    """One proposal with what people decided about it."""

    rank: int
    mined: Proposal
    """As it was proposed."""
    now: Proposal
    """In the words in which it would be built."""
    outlook: ProposalOutlook
    """What a build would make of it in these words."""
    state: ProposalState = "undecided"
    said: Mapping[str, str] = field(default_factory=dict)
    """Verdicts by person, with their words if people differ in them."""
    drawn: bool = True
    """Whether it is in the batch, and can be judged."""
    seen: int = 0
    """Number of the last event on it, whoever's."""
    own: Mapping[str, tuple[Proposal, ProposalOutlook]] = field(default_factory=dict)
    """If people differ: the proposal in the words of each person, and what a build would make of it."""

    def shown_to(self, name: str) -> JudgedProposal:
        """As a person sees it: if people differ, in the person's own words, so that these are not lost."""
        now, outlook = self.own.get(name, (self.now, self.outlook))
        return replace(self, now=now, outlook=outlook)

    @property
    def reworded(self) -> bool:
        """Whether it would be built in other words than proposed."""
        return words_of(self.mined) != words_of(self.now)


FindDocuments = Callable[[Proposal], Documents | None]
"""Looks up the documents of a proposal; None if they are not available."""


def judge_proposals(
    proposals: Sequence[Proposal], batch: AnnotationBatch | None, find: FindDocuments
) -> list[JudgedProposal]:
    """All proposals of a file with people's verdicts, in the order of their ranks; without a batch there are none yet."""
    events = batch.store.events() if batch is not None else []
    current, last = current_answers(events), {event.item: event.number for event in events}
    labelled = label_all(batch, current) if batch is not None else []
    states = {found.item: _state(found.labels["verdict"], found.item, current) for found in labelled}
    approved = approve(proposals, labelled, current)
    alone = without_counterpart(approved)
    judged = []
    for rank, (mined, now) in enumerate(zip(proposals, approved, strict=True), 1):
        state = states.get(mined.id, "undecided")
        words = words_by_person(current, mined.id)
        shown = words if settle_words(current, mined.id) is None else {}
        verdicts = {who: str(event.value) for who, event in sorted(current.of(mined.id, "verdict").items())}
        own = {who: reword(mined, given) for who, given in words.items()} if state == "differ" else {}
        judged.append(
            JudgedProposal(
                rank,
                mined,
                now,
                _outlook(mined, now, find, now.id in alone),
                state,
                verdicts | {who: f"{verdicts[who]} ({spell_words(given)})" for who, given in shown.items()},
                batch is None or mined.id in batch.items,
                last.get(mined.id, 0),
                {who: (one, _outlook(mined, one, find, alone=False)) for who, one in own.items()},
            )
        )
    return judged


def _outlook(mined: Proposal, now: Proposal, find: FindDocuments, alone: bool) -> ProposalOutlook:
    same = (mined.topic, mined.constraint.forms) == (now.topic, now.constraint.forms)
    found = look_up(mined, now, None if same else find(mined))
    return ProposalOutlook(0, (*found.notes, explain_missing(now))) if alone else found


def read_verdict(one: JudgedProposal, verdict: str, words: Mapping[str, str]) -> dict[str, str]:
    """Turn a verdict and, for an acceptance, new words into answers by question.

    Raises UserError if words break a rule.
    """
    if verdict not in VERDICTS:
        raise UserError(f"{verdict!r}: a verdict is accept or reject.")
    if verdict != "accept":
        return {"verdict": verdict}
    kind = one.mined.constraint.type
    return {"verdict": verdict, **check_rewordings(kind, words_of(one.mined), words_of(one.now), words)}


def keep_verdict(
    batch: AnnotationBatch, proposal: str, by: str, answers: Mapping[str, str], seen: int, now: datetime
) -> None:
    """Store the answers to a proposal that are new or changed.

    `seen` is the last event on the proposal that the person knew of, whoever's: unlike gold, proposals are not judged blind.
    If there is a later one, other answers are a StaleError.
    """
    if proposal not in batch.items:
        raise UserError(f"{proposal!r} is not among the proposals of {batch.path.name}.")
    with batch.store.transaction(now) as transaction:
        events = transaction.events(item=proposal)
        current = current_answers(event for event in events if event.annotator == by)
        before = {name: event.value for name in answers for event in current.of(proposal, name).values()}
        changed = {name: value for name, value in answers.items() if value != before.get(name, "")}
        if changed and (events[-1].number if events else 0) != seen:
            raise StaleError(
                "This proposal was answered in the meantime, perhaps in another window. To replace that answer, accept or "
                "reject again."
            )
        transaction.append([EventDraft(by, proposal, name, value) for name, value in changed.items()])


def write_approval(batch: AnnotationBatch, file: Path) -> None:
    """Write the file that `csuite build --approved` takes, under a new name next to `file`."""
    number = 1 + max(map(_number, approvals_of(file)), default=0)
    out = file.with_name(f"{file.stem}.approved-{number}.jsonl")
    try:
        out.touch(exist_ok=False)
    except FileExistsError:  # another request was faster
        write_approval(batch, file)
        return
    try:
        write_approved(batch, file, out)
        check_approval(out)
    except BaseException:
        out.unlink()
        raise


def approvals_of(file: Path) -> list[Path]:
    """The files that `write_approval` wrote next to `file`, the newest first."""
    pattern = re.compile(rf"{re.escape(file.stem)}\.approved-\d+\.jsonl")
    return sorted((path for path in file.parent.iterdir() if pattern.fullmatch(path.name)), key=_number, reverse=True)


def _state(label: Label, proposal: str, current: CurrentAnswers) -> ProposalState:
    if label.how == "unanswered":
        return "undecided"
    if label.value == "reject":
        return "rejected"
    return "accepted" if label.value == "accept" and settle_words(current, proposal) is not None else "differ"


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])
