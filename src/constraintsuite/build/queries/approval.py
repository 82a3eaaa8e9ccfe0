"""A person's word on proposals: only what was accepted is built, with the words and documents that the person left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.build.queries.coverage import Coverage
from constraintsuite.build.queries.records import Proposal
from constraintsuite.errors import UserError
from constraintsuite.store.jsonl import read_jsonl


def apply_approval(path: Path, proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals of this corpus with the person's status and words; an unknown id is a UserError."""
    known = {proposal.id: proposal for proposal in proposals}
    settled = []
    accepted = 0
    for line, edited in enumerate(read_jsonl(path, Proposal), 1):
        if edited.id not in known and edited.status != "accepted":
            continue
        if edited.id not in known:
            raise UserError(
                f"{path}:{line}: no proposal {edited.id!r} in this corpus. Was the file made from another one, or with other settings?"
            )
        own = known[edited.id]
        if edited.status == "accepted" and not all(
            form.strip() for form in (*edited.forms, edited.topic, edited.y, edited.base, edited.neg)
        ):
            raise UserError(f"{path}: proposal {edited.id}: topic, y, base, neg and every form must hold a word.")
        accepted += edited.status == "accepted"
        settled.append(
            replace(
                own,
                status="accepted" if edited.status == "accepted" else "rejected",
                topic=edited.topic,
                y=edited.y,
                base=edited.base,
                neg=edited.neg,
                forms=edited.forms,
                blocked=edited.blocked,
                marker=edited.marker,
                on_topic=tuple(d for d in own.on_topic if d in edited.on_topic),
                affirming=tuple(d for d in own.affirming if d in edited.affirming),
                denying=tuple(d for d in own.denying if d in edited.denying),
                reason=edited.reason,
            )
        )
    if not accepted:
        raise UserError(f'{path}: no proposal has "status": "accepted". Set it on those you want built.')
    return settled


def doubt_all(proposals: Iterable[Proposal], coverage: Coverage) -> list[Proposal]:
    """All proposals, none of them built unasked."""
    return [replace(p, status="doubtful", reason=p.reason or coverage.verdict) for p in proposals]
