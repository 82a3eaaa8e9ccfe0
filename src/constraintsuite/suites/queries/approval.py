"""A person's word on proposals: only what was accepted is built, with the words and documents that the person left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import JsonLine, read_lines
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.queries.records import Proposal

SHOWN_FAULTS = 20


def check_approval(path: Path) -> None:
    """Refuse a file of approved proposals with all its faults at once, as far as they can be told without the corpus."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such file of approved proposals. `csuite propose` writes one.")
    lines = list(read_lines(path, Proposal))
    _refuse(path, [*_misfits(lines), *_repeated(lines), *_wordless(lines)])
    if not any(line.record and line.record.status == "accepted" for line in lines):
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


def _misfits(lines: Iterable[JsonLine[Proposal]]) -> Iterator[LineFault]:
    yield from ((line.number, line.fault) for line in lines if line.record is None)


def _repeated(lines: Iterable[JsonLine[Proposal]]) -> Iterator[LineFault]:
    first: dict[str, int] = {}
    for line in lines:
        if line.record is None:
            continue
        if line.record.id in first:
            yield line.number, f"the id {line.record.id!r} stands in line {first[line.record.id]} already; keep one."
        first.setdefault(line.record.id, line.number)


def _wordless(lines: Iterable[JsonLine[Proposal]]) -> Iterator[LineFault]:
    """Accepted proposals that ask for nothing; those that are not built may hold anything."""
    for line in lines:
        one = line.record
        if one is None or one.status != "accepted":
            continue
        asked = one.constraint
        needed: dict[str, tuple[str, ...]] = {"topic": (one.topic,), "query": (one.query,), "opposite": (one.opposite,)}
        needed |= {"value": (asked.value,), "forms": asked.forms or ("",), "kinds": asked.kinds}
        empty = [name for name, texts in needed.items() if not all(text.strip() for text in texts)]
        if empty:
            yield line.number, f"proposal {one.id!r}: {', '.join(empty)} must hold a word."
        elif one.opposite.split() == one.query.split():
            yield (
                line.number,
                f"proposal {one.id!r}: query and opposite are the same words; the query must leave {asked.value!r} out.",
            )


def _refuse(path: Path, faults: Sequence[LineFault]) -> None:
    if faults:
        shown = [f"{path}:{number}: {fault}" for number, fault in sorted(faults)[:SHOWN_FAULTS]]
        more = [f"and {len(faults) - SHOWN_FAULTS} more"] if len(faults) > SHOWN_FAULTS else []
        raise UserError("\n".join([*shown, *more]))
