"""Proposals as people judge them: what each would give, which are left, the verdicts as events, and the file that a build takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from constraintsuite.core.errors import UserError
from constraintsuite.suites.annotation.answers import StaleError
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
from constraintsuite.suites.annotation.kinds.proposals import (
    approve,
    read_verdict,
    reword,
    settle_words,
    words_by_person,
    words_in_words,
    words_of,
    write_approved,
)
from constraintsuite.suites.annotation.labels import Label, label_all
from constraintsuite.suites.annotation.records import AnnotationEvent, EventDraft
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
STATES: tuple[ProposalState, ...] = ("undecided", "accepted", "rejected", "differ")
"""Nobody has judged it, all who did say the same, people differ: in their verdicts, or in the words that they accept."""
_VERDICTS: Mapping[str, ProposalState] = {"accept": "accepted", "reject": "rejected"}


@dataclass(frozen=True)
class JudgedProposal:
    """One proposal and what people made of it."""

    rank: int
    mined: Proposal
    """As it was proposed."""
    now: Proposal
    """In the words that it would be built in."""
    outlook: ProposalOutlook
    """What it would give in these words."""
    state: ProposalState = "undecided"
    said: Mapping[str, str] = field(default_factory=dict)
    """Verdicts by person, and their words where people differ in them."""
    drawn: bool = True
    """Whether it is in the batch, and can be judged."""
    seen: int = 0
    """The last event on it, whoever's."""
    own: Mapping[str, tuple[Proposal, ProposalOutlook]] = field(default_factory=dict)
    """Where people differ: the proposal in the words of each who has any, and what it would give in them."""

    def shown_to(self, name: str) -> JudgedProposal:
        """As a person sees it: where people differ in their own words, so that none of these is lost."""
        now, outlook = self.own.get(name, (self.now, self.outlook))
        return replace(self, now=now, outlook=outlook)

    @property
    def reworded(self) -> bool:
        """Whether anyone found better words."""
        return words_of(self.mined) != words_of(self.now)


Find = Callable[[Proposal], Documents | None]
"""Where the documents of a proposal are looked up; None if they are not at hand."""


def judge_all(proposals: Sequence[Proposal], batch: AnnotationBatch | None, find: Find) -> list[JudgedProposal]:
    """All proposals of a file, in the order in which they were ranked; without a batch nobody has judged any."""
    if batch is None:
        ranked = enumerate(proposals, 1)
        return [JudgedProposal(rank, mined, mined, ProposalOutlook(mined.examples_expected)) for rank, mined in ranked]
    events = batch.store.events()
    said, last = current_answers(events), {event.item: event.number for event in events}
    labelled = label_all(batch, said)
    states = {found.item: _state(found.labels["verdict"], found.item, said) for found in labelled}
    approved = approve(proposals, labelled, said)
    alone = without_counterpart(one for one in approved if states.get(one.id) == "accepted")
    return [
        JudgedProposal(
            rank,
            mined,
            now,
            _outlook(mined, now, find, now.id in alone),
            states.get(mined.id, "undecided"),
            _verdicts(said, mined.id),
            mined.id in batch.items,
            last.get(mined.id, 0),
            _own(mined, said, find) if states.get(mined.id) == "differ" else {},
        )
        for rank, (mined, now) in enumerate(zip(proposals, approved, strict=True), 1)
    ]


def _own(mined: Proposal, said: CurrentAnswers, find: Find) -> dict[str, tuple[Proposal, ProposalOutlook]]:
    worded = {who: reword(mined, words) for who, words in words_by_person(said, mined.id).items()}
    return {who: (one, _outlook(mined, one, find, alone=False)) for who, one in worded.items()}


def _outlook(mined: Proposal, now: Proposal, find: Find, alone: bool) -> ProposalOutlook:
    same = (mined.topic, mined.constraint.forms) == (now.topic, now.constraint.forms)
    found = look_up(mined, now, None if same else find(mined))
    return ProposalOutlook(0, (*found.notes, explain_missing(now))) if alone else found


def answers_of(one: JudgedProposal, verdict: str, words: Mapping[str, str]) -> dict[str, str]:
    """What a verdict and, with an acceptance, the words come to as answers; what cannot be kept is a UserError."""
    return read_verdict(words_of(one.mined), words_of(one.now), verdict, words)


def keep_verdict(
    batch: AnnotationBatch, proposal: str, by: str, answers: Mapping[str, str], seen: int, now: datetime
) -> None:
    """Write what is new in the answers.

    `seen` is the last event on the proposal that the person knew of, whoever's: unlike gold, proposals are no blind work.
    Other answers after another one are a StaleError.
    """
    if proposal not in batch.items:
        raise UserError(f"{proposal!r} is not among the proposals of {batch.path.name}.")
    with batch.store.turn(now) as turn:
        events = turn.events(item=proposal)
        said = current_answers(event for event in events if event.annotator == by)
        drafts = [
            EventDraft(by, proposal, question, value)
            for question, value in answers.items()
            if _is_news(said.of(proposal, question).get(by), value)
        ]
        if drafts and (events[-1].number if events else 0) != seen:
            raise StaleError(
                "This proposal was answered meanwhile, perhaps in another window, and that stands. Accept or reject once more "
                "to put that in its place."
            )
        turn.append(drafts)


def write_approval(batch: AnnotationBatch, file: Path) -> tuple[Path, dict[str, int]]:
    """Write the file that `csuite build --approved` takes under a new name beside `file`; gives it and the counts by status."""
    number = 1 + max((_number(path) for path in approvals_of(file)), default=0)
    while True:
        out = file.with_name(f"{file.stem}.approved-{number}.jsonl")
        try:
            out.touch(exist_ok=False)
            break
        except FileExistsError:
            number += 1
    try:
        counts = write_approved(batch, file, out)
        check_approval(out)
    except BaseException:
        out.unlink()
        raise
    return out, counts


def approvals_of(file: Path) -> list[Path]:
    """What was written so, the newest first."""
    pattern = re.compile(rf"{re.escape(file.stem)}\.approved-\d+\.jsonl")
    return sorted((path for path in file.parent.iterdir() if pattern.fullmatch(path.name)), key=_number, reverse=True)


def _state(label: Label, proposal: str, said: CurrentAnswers) -> ProposalState:
    if label.how == "unanswered":
        return "undecided"
    if label.value is None or (label.value == "accept" and settle_words(said, proposal) is None):
        return "differ"
    return _VERDICTS[str(label.value)]


def _verdicts(said: CurrentAnswers, proposal: str) -> dict[str, str]:
    """By person; with their words where those are not settled."""
    words = words_by_person(said, proposal) if settle_words(said, proposal) is None else {}
    return {
        name: f"{event.value} ({words_in_words(words[name])})" if name in words else str(event.value)
        for name, event in sorted(said.of(proposal, "verdict").items())
    }


def _is_news(before: AnnotationEvent | None, value: str) -> bool:
    return bool(value) if before is None else before.value != value


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])
