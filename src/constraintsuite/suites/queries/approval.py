"""Applies a person's decisions to proposals: accepted ones are built too, rejected ones are not, in the words that were left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.core.errors import UserError, refuse_faults
from constraintsuite.core.store.jsonl import read_lines
from constraintsuite.suites.queries.records import Proposal, Status

EXCLUDE = "exclude"
_DECISIONS: tuple[Status, ...] = ("accepted", "rejected")
LineFault = tuple[int, str]
"""The number of a line, and what is wrong there."""


def check_approval(path: Path) -> None:
    """Refuse a file of approved proposals that has faults, and name all that can be found without the corpus."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such file of approved proposals. `csuite propose` writes one.")
    lines = list(read_lines(path, Proposal))
    broken = [(line.number, line.fault) for line in lines if line.record is None]
    read = [(line.number, line.record) for line in lines if line.record is not None]
    _refuse(path, [*broken, *_repeated_ids(read), *_empty_words(read)])
    if not any(proposal.status in _DECISIONS for _, proposal in read):
        raise UserError(
            f'{path}: no proposal has "status": "accepted" or "rejected", so the file changes nothing. Set it on those that you '
            "want built, or left out."
        )


def apply_approval(path: Path, proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals of a corpus with the person's status and words; what the file does not decide stays as it is.

    Raises UserError if an accepted proposal is about another corpus.
    """
    check_approval(path)
    known = {proposal.id: proposal for proposal in proposals}
    edited = [(line.number, line.record) for line in read_lines(path, Proposal) if line.record]
    unknown = [
        (
            number,
            f"no proposal {one.id!r} in this corpus. Was the file made from another one, or with other "
            "settings, such as other --constraints?",
        )
        for number, one in edited
        if one.status == "accepted" and one.id not in known
    ]
    changed = [
        (
            number,
            f"its constraint asks for {one.constraint.value!r}, but the texts were read for {known[one.id].constraint.value!r}.",
        )
        for number, one in edited
        if one.status == "accepted" and one.id in known and not _decides_the_same(known[one.id], one)
    ]
    _refuse(path, [*unknown, *changed])
    decided = {one.id: one for _, one in edited}
    return [_apply_edits(own, decided[own.id]) if own.id in decided else own for own in proposals]


def _apply_edits(own: Proposal, edited: Proposal) -> Proposal:
    """The mined proposal with the fields that a person may change; a query that was reworded is the only one asked."""
    return replace(
        own,
        status=edited.status if edited.status in _DECISIONS else own.status,
        topic=edited.topic,
        constraint=edited.constraint,
        query=edited.query,
        opposite=edited.opposite,
        other_wordings=edited.other_wordings if _asks_the_same(own, edited) else (),
        on_topic=tuple(d for d in own.on_topic if d in edited.on_topic),
        satisfying=tuple(d for d in own.satisfying if d in edited.satisfying),
        violating=tuple(d for d in own.violating if d in edited.violating),
        reason=edited.reason,
    )


def _decides_the_same(own: Proposal, edited: Proposal) -> bool:
    """Whether the documents still stand where the build put them; another Y is looked up again, another limit is not."""
    if own.constraint.type == edited.constraint.type == EXCLUDE:
        return True
    return replace(own.constraint, cue="") == replace(edited.constraint, cue="")


def _asks_the_same(own: Proposal, edited: Proposal) -> bool:
    return (own.topic, own.constraint, own.query, own.opposite) == (
        edited.topic,
        edited.constraint,
        edited.query,
        edited.opposite,
    )


def _repeated_ids(lines: Iterable[tuple[int, Proposal]]) -> Iterator[LineFault]:
    first: dict[str, int] = {}
    for number, proposal in lines:
        if first.setdefault(proposal.id, number) != number:
            yield number, f"the id {proposal.id!r} is already in line {first[proposal.id]}; keep one."


def _empty_words(lines: Iterable[tuple[int, Proposal]]) -> Iterator[LineFault]:
    """Accepted proposals with an empty field, or with a query that equals its opposite."""
    for number, one in lines:
        if one.status != "accepted":
            continue
        asked = one.constraint
        needed: dict[str, tuple[str, ...]] = {"topic": (one.topic,), "query": (one.query,), "opposite": (one.opposite,)}
        forms = asked.forms or ("",) if asked.type == EXCLUDE else asked.forms  # a limit has no words that texts share
        needed |= {"value": (asked.value,), "forms": forms, "kinds": asked.kinds}
        empty = [name for name, texts in needed.items() if not all(text.strip() for text in texts)]
        if empty:
            yield number, f"proposal {one.id!r}: {', '.join(empty)} must hold a word."
        elif one.opposite.split() == one.query.split():
            fault = "query and opposite are the same words; the opposite must ask for what the query rejects."
            yield number, f"proposal {one.id!r}: {fault}"


def _refuse(path: Path, faults: Sequence[LineFault]) -> None:
    refuse_faults([f"{path}:{number}: {fault}" for number, fault in sorted(faults)])
