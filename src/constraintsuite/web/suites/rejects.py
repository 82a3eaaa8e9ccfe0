"""What a build left out: how much for which reason, and where its stages were kept, the pairs themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.reports.marks import Segment, TextMark, cut, excerpt
from constraintsuite.store.artifact import STAGES, Artifact
from constraintsuite.store.jsonl import read_jsonl
from constraintsuite.suites.pairs.records import PairDraft, RejectedPair
from constraintsuite.suites.queries.records import Proposal

MOST = 500
"""Pairs of one reason that are kept in memory."""
_STAGE = "kept"
"""The one stage that keeps what it rejects; the others only count."""
_FILE = Path(STAGES) / _STAGE / "rejected.jsonl"
_PROPOSALS = "proposals.jsonl"


@dataclass(frozen=True)
class Rejects:
    """Rejects of a suite by reason, as its manifest names them."""

    counts: Mapping[str, int]
    drafts: Mapping[str, tuple[PairDraft, ...]]
    """At most MOST of a reason; empty where the stages are gone."""
    proposals: Mapping[str, Proposal]


@dataclass(frozen=True)
class ShownReject:
    """A pair that did not pass."""

    draft: PairDraft
    query: str
    satisfying: tuple[Segment, ...]
    violating: tuple[Segment, ...]


def read_rejects(path: Path) -> Rejects:
    """What the manifest counts and the stages kept."""
    counts = Artifact.open(path, "suite").manifest.rejects
    found: dict[str, list[PairDraft]] = {}
    if (path / _FILE).is_file():
        Artifact.open_unverified(path / _FILE.parent, "stage").refuse_changed([_FILE.name])
        for rejected in read_jsonl(path / _FILE, RejectedPair):
            kept = found.setdefault(f"{_STAGE}: {rejected.reason}", [])
            if len(kept) < MOST:
                kept.append(rejected.draft)
    named = {draft.proposal for drafts in found.values() for draft in drafts}
    proposals = read_jsonl(path / _PROPOSALS, Proposal) if named and (path / _PROPOSALS).is_file() else ()
    ranked = sorted(Counter(counts).items(), key=lambda item: (-item[1], item[0]))
    return Rejects(
        {reason: count for reason, count in ranked if count},
        {reason: tuple(drafts) for reason, drafts in found.items()},
        {one.id: one for one in proposals if one.id in named},
    )


def show_reject(rejects: Rejects, draft: PairDraft) -> ShownReject:
    """A pair with its query and the words that were edited."""
    proposal = rejects.proposals.get(draft.proposal)
    satisfying, violating = (
        excerpt(cut(document.text, [TextMark(start, end, "edit") for start, end in document.changed]))
        for document in (draft.satisfying, draft.violating)
    )
    return ShownReject(draft, proposal.query if proposal else "", satisfying, violating)
