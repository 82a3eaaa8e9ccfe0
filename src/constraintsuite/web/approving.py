"""Proposals as an owner judges them: what each would give, which are left, and the answers as events beside the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Literal

from constraintsuite.annotate.answering import StaleError
from constraintsuite.annotate.batch import Batch, open_batch, write_batch
from constraintsuite.annotate.kinds.proposals import WORDS, ProposalItems, approve, write_approved
from constraintsuite.annotate.labels import Label, label_all
from constraintsuite.annotate.records import Draft, Event
from constraintsuite.annotate.standing import Standing, standing
from constraintsuite.build.queries.approval import check_approval
from constraintsuite.build.queries.records import Proposal
from constraintsuite.errors import UserError
from constraintsuite.reports.marks import Mark, Segment, cut
from constraintsuite.store.files import sha256_of
from constraintsuite.store.jsonl import read_jsonl
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_mention
from constraintsuite.web.beside import new_beside
from constraintsuite.web.drawn import batches_on
from constraintsuite.web.shelf import Shelf, Shelved

State = Literal["undecided", "accepted", "rejected", "differ"]
STATES: tuple[State, ...] = ("undecided", "accepted", "rejected", "differ")
"""Nobody has judged it, all who did say the same, people differ."""
ENDING = "gold"
"""Of the batch beside the file, as `csuite gold sample` names it."""
LONGEST = 300
"""Characters of a topic, a Y or a query."""
_VERDICTS: Mapping[str, State] = {"accept": "accepted", "reject": "rejected"}
_MARKS = {"affirms": "affirmed", "denies": "negated"}
_making = Lock()  # of batches, so that two first answers do not make two


@dataclass(frozen=True)
class Judged:
    """One proposal and what people made of it."""

    rank: int
    mined: Proposal
    """As it was proposed."""
    now: Proposal
    """In the words that it would be built in."""
    state: State
    said: Mapping[str, str]
    """Verdicts by person."""
    drawn: bool
    """Whether it is in the batch, and can be judged."""
    seen: int = 0
    """The last event on it, whoever's."""

    @property
    def reworded(self) -> bool:
        """Whether anyone found better words."""
        return any(getattr(self.mined, name) != getattr(self.now, name) for name in WORDS)


@dataclass(frozen=True)
class Wanted:
    """Which proposals are looked at; an empty value is all."""

    state: str = ""
    status: str = ""
    relation: str = ""
    domain: str = ""
    split: str = ""
    text: str = ""

    def parameters(self) -> dict[str, str]:
        """As they stand in an address."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}

    def takes(self, one: Judged, leaving: str = "") -> bool:
        """Whether a proposal is among them; `leaving` names a choice that does not count."""
        sought = self.text.casefold()
        said = (one.now.topic, one.now.y, one.now.base, one.now.neg, *(snippet.text for snippet in one.now.evidence))
        return all(value in ("", has) for name, value, has in self._choices(one) if name != leaving) and (
            not sought or any(sought in text.casefold() for text in said)
        )

    def counts(self, judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
        """How many there would be under each value of each choice, the others staying as they are."""
        found: dict[str, Counter[str]] = {}
        for one in judged:
            for name, _, has in self._choices(one):
                found.setdefault(name, Counter())[has] += self.takes(one, leaving=name)
        return {name: dict(sorted(counter.items())) for name, counter in found.items()}

    def _choices(self, one: Judged) -> tuple[tuple[str, str, str], ...]:
        mined = one.mined
        return (
            ("state", self.state, one.state),
            ("status", self.status, mined.status),
            ("relation", self.relation, mined.relation),
            ("domain", self.domain, mined.domain),
            ("split", self.split, mined.split),
        )


def read_judged(shelf: Shelf, one: Shelved, batch: Batch | None) -> list[Judged]:
    """All proposals of a file, in the order in which they were ranked."""
    proposals = shelf.load(one, read_all)
    if batch is None:
        return [Judged(rank, mined, mined, "undecided", {}, True) for rank, mined in enumerate(proposals, 1)]
    events = batch.store.events()
    said, last = standing(events), {event.item: event.number for event in events}
    labelled = label_all(batch, said)
    labels = {found.item: found.labels["verdict"] for found in labelled}
    return [
        Judged(
            rank,
            mined,
            now,
            _state(labels.get(mined.id)),
            _verdicts(said, mined.id),
            mined.id in batch.items,
            last.get(mined.id, 0),
        )
        for rank, (mined, now) in enumerate(zip(proposals, approve(proposals, labelled), strict=True), 1)
    ]


def read_all(file: Path) -> tuple[Proposal, ...]:
    """The proposals of a file; none is a UserError."""
    found = tuple(read_jsonl(file, Proposal))
    if not found:
        raise UserError(f"{file.name}: there are no proposals in it.")
    return found


def find_batch(shelf: Shelf, one: Shelved) -> Batch | None:
    """The batch that was drawn from a file as it is now, whoever drew it; None before the first answer."""
    drawn_from = f" {shelf.load(one, sha256_of)}"
    found = (shelved for shelved, head in batches_on(shelf, "proposals") if head.source.endswith(drawn_from))
    return next((shelf.load(shelved, open_batch) for shelved in found), None)


def find_or_make_batch(shelf: Shelf, one: Shelved) -> Batch:
    """The same; made of all proposals where there is none."""
    with _making:
        found = find_batch(shelf, one)
        if found is None:
            kind, source = ProposalItems(shelf.load(one, read_all)), f"{one.path.name} {sha256_of(one.path)}"
            with new_beside(shelf, one, ENDING) as folder:
                found = write_batch(folder, kind, source, repeats=0.0)
        return found


def read_verdict(one: Judged, verdict: str, words: Mapping[str, str]) -> dict[str, str]:
    """The answers that a verdict and, with an acceptance, the words come to; what cannot be kept is a UserError."""
    if verdict not in _VERDICTS:
        raise UserError(f"{verdict!r}: a verdict is accept or reject. Nothing was changed.")
    return {"verdict": verdict} | (_rewordings(one, words) if verdict == "accept" else {})


def keep_verdict(batch: Batch, proposal: str, by: str, answers: Mapping[str, str], seen: int, now: datetime) -> None:
    """Write what is new in the answers.

    `seen` is the last event on the proposal that the person knew of; other answers after another one are a StaleError.
    """
    if proposal not in batch.items:
        raise UserError(f"{proposal!r} is not among the proposals of {batch.path.name}. Nothing was changed.")
    with batch.store.turn(now) as turn:
        events = [event for event in turn.events() if event.item == proposal]
        said = standing(event for event in events if event.annotator == by)
        drafts = [
            Draft(by, proposal, question, value)
            for question, value in answers.items()
            if _is_news(said.of(proposal, question).get(by), value)
        ]
        if drafts and (events[-1].number if events else 0) != seen:
            raise StaleError(
                "This proposal was answered meanwhile, perhaps in another window, and that stands. Nothing was changed. "
                "Below are the words that you sent: accept or reject once more to put that in its place."
            )
        turn.append(drafts)


def write_approval(batch: Batch, file: Path) -> tuple[Path, dict[str, int]]:
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


@lru_cache(maxsize=4_096)
def mark_snippet(text: str, verdict: str, forms: tuple[str, ...]) -> tuple[Segment, ...]:
    """A sentence of a document with the mentions of Y and the words that negate them."""
    (read,) = get_analyser("rules").analyse([text])
    marks = []
    for span in find_forms(text, forms):
        marks.append(Mark(span.start, span.end, _MARKS.get(verdict, "uncertain")))
        cue = judge_mention(span, read.scopes).cue
        if cue is not None:
            marks.append(Mark(cue.start, cue.end, "cue"))
    return cut(text, marks)


def mark_query(proposal: Proposal) -> tuple[Segment, ...]:
    """The negated query with Y and the word that negates it."""
    places = [(span, "y") for span in find_forms(proposal.neg, (proposal.y, *proposal.forms))]
    places += [(span, "cue") for span in find_forms(proposal.neg, [proposal.marker])] if proposal.marker else []
    return cut(proposal.neg, [Mark(span.start, span.end, kind) for span, kind in places])


def _state(label: Label | None) -> State:
    if label is None or label.how == "unanswered":
        return "undecided"
    return _VERDICTS[str(label.value)] if label.value is not None else "differ"


def _verdicts(said: Standing, proposal: str) -> dict[str, str]:
    return {name: str(event.value) for name, event in sorted(said.of(proposal, "verdict").items())}


def _rewordings(one: Judged, words: Mapping[str, str]) -> dict[str, str]:
    """What was put into other words; what stays as it was proposed is an empty answer.

    Where a topic or a Y is reworded and a query is not, the query follows.
    """
    before = {name: str(getattr(one.now, name)) for name in WORDS}
    given = {name: " ".join(words.get(name, before[name]).split()) for name in WORDS}
    for query in ("base", "neg"):
        if given[query] == before[query]:
            given[query] = _follow(given[query], {before[name]: given[name] for name in ("topic", "y")})
    empty = [name for name, text in given.items() if not text]
    if empty:
        raise UserError(f"{', '.join(empty)} must hold a word. Nothing was changed.")
    long = [name for name, text in given.items() if len(text) > LONGEST]
    if long:
        raise UserError(f"{', '.join(long)}: at most {LONGEST} characters. Nothing was changed.")
    if given["base"].casefold() == given["neg"].casefold():
        raise UserError(
            f"Both queries are the same; the negated one must leave {given['y']!r} out. Nothing was changed."
        )
    return {f"{name}_reworded": "" if text == getattr(one.mined, name) else text for name, text in given.items()}


def _follow(query: str, words: Mapping[str, str]) -> str:
    """A query with some whole words exchanged, all at once."""
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.sub(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", lambda found: words[found[0]], query)


def _is_news(before: Event | None, value: str) -> bool:
    return bool(value) if before is None else before.value != value


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])
