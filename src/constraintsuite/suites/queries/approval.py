"""A person's word on proposals: only what was accepted is built, with the words and documents that the person left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.core.errors import UserError, refuse_faults
from constraintsuite.core.store.jsonl import read_lines
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.queries.records import Proposal


def check_approval(path: Path) -> None:
    """Refuse a file of approved proposals with all its faults at once, as far as they can be told without the corpus."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such file of approved proposals. `csuite propose` writes one.")
    lines = list(read_lines(path, Proposal))
    misfits = [(line.number, line.fault) for line in lines if line.record is None]
    read = [(line.number, line.record) for line in lines if line.record is not None]
    _refuse(path, [*misfits, *_repeated(read), *_wordless(read)])
    if not any(proposal.status == "accepted" for _, proposal in read):
        raise UserError(f'{path}: no proposal has "status": "accepted". Set it on those you want built.')


def apply_approval(path: Path, proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals of this corpus with the person's status and words; accepted ids that it lacks are a UserError."""
    check_approval(path)
    known = {proposal.id: proposal for proposal in proposals}
    edited = [(line.number, line.record) for line in read_lines(path, Proposal) if line.record]
    unknown = [
        (number, f"no proposal {one.id!r} in this corpus. Was the file made from another one, or with other settings?")
        for number, one in edited
        if one.status == "accepted" and one.id not in known
    ]
    _refuse(path, unknown)
    return [_settled(known[one.id], one) for _, one in edited if one.id in known]


def doubt_all(proposals: Iterable[Proposal], coverage: CorpusCoverage) -> list[Proposal]:
    """All proposals, none of them built unasked."""
    return [replace(p, status="doubtful", reason=p.reason or coverage.verdict) for p in proposals]


def _settled(own: Proposal, edited: Proposal) -> Proposal:
    """What a person may change is the person's; the rest stays as it was mined."""
    return replace(
        own,
        status="accepted" if edited.status == "accepted" else "rejected",
        topic=edited.topic,
        constraint=edited.constraint,
        query=edited.query,
        opposite=edited.opposite,
        on_topic=tuple(d for d in own.on_topic if d in edited.on_topic),
        satisfying=tuple(d for d in own.satisfying if d in edited.satisfying),
        violating=tuple(d for d in own.violating if d in edited.violating),
        reason=edited.reason,
    )


LineFault = tuple[int, str]
"""A line's number, and what is wrong there."""


def _repeated(lines: Iterable[tuple[int, Proposal]]) -> Iterator[LineFault]:
    first: dict[str, int] = {}
    for number, proposal in lines:
        if first.setdefault(proposal.id, number) != number:
            yield number, f"the id {proposal.id!r} stands in line {first[proposal.id]} already; keep one."


def _wordless(lines: Iterable[tuple[int, Proposal]]) -> Iterator[LineFault]:
    """Accepted proposals that ask for nothing; those that are not built may hold anything."""
    for number, one in lines:
        if one.status != "accepted":
            continue
        asked = one.constraint
        needed: dict[str, tuple[str, ...]] = {"topic": (one.topic,), "query": (one.query,), "opposite": (one.opposite,)}
        needed |= {"value": (asked.value,), "forms": asked.forms or ("",), "kinds": asked.kinds}
        empty = [name for name, texts in needed.items() if not all(text.strip() for text in texts)]
        if empty:
            yield number, f"proposal {one.id!r}: {', '.join(empty)} must hold a word."
        elif one.opposite.split() == one.query.split():
            what = f"query and opposite are the same words; the query must leave {asked.value!r} out."
            yield number, f"proposal {one.id!r}: {what}"


def _refuse(path: Path, faults: Sequence[LineFault]) -> None:
    refuse_faults([f"{path}:{number}: {fault}" for number, fault in sorted(faults)])
