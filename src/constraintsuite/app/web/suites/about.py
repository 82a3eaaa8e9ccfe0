"""The page about a suite as a whole: its contents, its audit, how it was made, and what its build rejected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from constraintsuite.app.pages.marks import Segment, TextMark, cut, excerpt
from constraintsuite.app.pages.sections.reproduction import how_made
from constraintsuite.app.pages.sections.suite import audit, dataset
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.figures import LinkedText
from constraintsuite.core.records.sections import Section, VerbatimText
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.store.artifact import STAGES, Artifact
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.experiments.load import Suite, has_pairs, load_suite
from constraintsuite.suites.pairs.records import PairDraft, RejectedPair
from constraintsuite.suites.queries.records import Proposal


def read_about(path: Path) -> tuple[Section, ...]:
    """The sections of a report that need no run, and how the suite was made. A suite without pairs shows its card only."""
    artifact = Artifact.open(path, "suite")
    made = how_made(artifact.manifest)
    if has_pairs(artifact.manifest.counts):
        view = ReportView(load_suite(path), {})
        return tuple(one for one in (dataset(view), audit(view), made) if one is not None)
    card = ReportView(Suite(artifact, (), ()), {}).card() or "There is no card."
    about = "Documents, queries and judgments for rankings. There are no pairs, so there are no examples to show."
    return Section("suite", "The collection", about, (VerbatimText(card, "Card"),)), made


MOST = 500
"""Rejected pairs that are kept in memory for each reason."""
_STAGE = "kept"
"""The only stage that keeps the pairs it rejects; the others count them."""
_FILE = Path(STAGES) / _STAGE / "rejected.jsonl"
_PROPOSALS = "proposals.jsonl"
_KEPT = (
    "By stage and reason. Follow a link to see the pairs that failed a filter or were not needed; earlier stages only count what "
    "they leave out."
)
_NOT_KEPT = "By stage and reason. The stages of this build were not kept, so the pairs themselves cannot be shown."


@dataclass(frozen=True)
class Rejects:
    """What the build of a suite rejected, by the reasons in its manifest."""

    counts: Mapping[str, int]
    drafts: Mapping[str, tuple[PairDraft, ...]]
    """At most MOST pairs per reason; empty if the stages were deleted."""
    proposals: Mapping[str, Proposal]


@dataclass(frozen=True)
class ShownReject:
    """A rejected pair as a page shows it."""

    draft: PairDraft
    query: str
    satisfying: tuple[Segment, ...]
    violating: tuple[Segment, ...]


def read_rejects(path: Path) -> Rejects:
    """The counts in the manifest of a suite, and the rejected pairs in its stages."""
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
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return Rejects(
        {reason: count for reason, count in ranked if count},
        {reason: tuple(drafts) for reason, drafts in found.items()},
        {one.id: one for one in proposals if one.id in named},
    )


def list_rejects(address: str, rejects: Rejects) -> Section:
    """A table of rejected pairs by reason; reasons link to their pairs, below `address`, if these were kept."""
    if not rejects.counts:
        return Section("rejects", "What was left out", "Nothing was left out.", ())

    def cell(reason: str) -> str | LinkedText:
        words = reason.replace("_", " ")
        return LinkedText(words, f"{address}/rejects?reason={quote(reason)}") if reason in rejects.drafts else words

    rows = tuple((cell(reason), count) for reason, count in rejects.counts.items())
    table = Table("rejects", "", (Column("reason"), Column("rejected", "count")), rows)
    return Section("rejects", "What was left out", _KEPT if rejects.drafts else _NOT_KEPT, (table,))


def show_reject(rejects: Rejects, draft: PairDraft) -> ShownReject:
    """A rejected pair with its query and its edited words marked."""
    proposal = rejects.proposals.get(draft.proposal)
    satisfying, violating = (
        excerpt(cut(document.text, [TextMark(start, end, "edit") for start, end in document.changed]))
        for document in (draft.satisfying, draft.violating)
    )
    return ShownReject(draft, proposal.query if proposal else "", satisfying, violating)
