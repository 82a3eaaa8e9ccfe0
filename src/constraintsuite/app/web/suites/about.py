"""A suite as a whole: the sections of its report that need no run, how it was made, and what its build left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from constraintsuite.app.pages.marks import Segment, TextMark, cut, excerpt
from constraintsuite.app.pages.sections.suite import audit, dataset
from constraintsuite.app.pages.view import ReportView
from constraintsuite.core.records.figures import LinkedText
from constraintsuite.core.records.sections import Section, TableBlock, VerbatimText
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.store.artifact import STAGES, Artifact, Manifest
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.suites.pairs.records import PairDraft, RejectedPair
from constraintsuite.suites.queries.records import Proposal


def has_pairs(counts: Mapping[str, int]) -> bool:
    """Whether a suite with these counts has examples, not only a collection to search in."""
    return "examples" in counts or "qrels" not in counts


def read_about(path: Path) -> tuple[Section, ...]:
    """What a report shows of a suite without any run; of one without pairs its card alone. Then how it was made."""
    artifact = Artifact.open(path, "suite")
    made = _made(artifact.manifest)
    if has_pairs(artifact.manifest.counts):
        view = ReportView(load_suite(path), {})
        return tuple(one for one in (dataset(view), audit(view), made) if one is not None)
    card = ReportView(Suite(artifact, (), ()), {}).card() or "There is no card."
    about = "Documents, queries and judgments to rank by, without pairs: there are no examples to look at."
    return Section("suite", "The collection", about, (VerbatimText(card, "Card"),)), made


def _made(manifest: Manifest) -> Section:
    about = f"Content {manifest.content[:12]}, seed {manifest.seed}. The same inputs and settings give the same bytes."
    settings = {"inputs": manifest.inputs, "settings": manifest.settings, "counts": manifest.counts}
    text = json.dumps(settings, indent=2, ensure_ascii=False)
    return Section("made", "How it was made", about, (VerbatimText(text, "Inputs and settings"),))


MOST = 500
"""Pairs of one reason that are kept in memory."""
_STAGE = "kept"
"""The one stage that keeps what it rejects; the others only count."""
_FILE = Path(STAGES) / _STAGE / "rejected.jsonl"
_PROPOSALS = "proposals.jsonl"
_KEPT = (
    "By stage and reason. Pairs that failed a filter or were not needed were kept, and can be looked at; earlier stages only "
    "count what they leave out."
)
_NOT_KEPT = "By stage and reason. The stages of this build were not kept, so that the pairs themselves cannot be shown."


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


def list_rejects(address: str, rejects: Rejects) -> Section:
    """How many pairs were left out for which reason; a reason whose pairs were kept leads to them, below an address."""
    if not rejects.counts:
        return Section("rejects", "What was left out", "Nothing was left out.", ())
    rows = tuple(
        (LinkedText(_words(reason), f"{address}/rejects?reason={quote(reason)}"), count)
        if reason in rejects.drafts
        else (_words(reason), count)
        for reason, count in rejects.counts.items()
    )
    columns = (Column("reason"), Column("rejected", "count"))
    table = Table("rejects", "", columns, rows)
    return Section("rejects", "What was left out", _KEPT if rejects.drafts else _NOT_KEPT, (TableBlock(table),))


def _words(reason: str) -> str:
    return reason.replace("_", " ")


def show_reject(rejects: Rejects, draft: PairDraft) -> ShownReject:
    """A pair with its query and the words that were edited."""
    proposal = rejects.proposals.get(draft.proposal)
    satisfying, violating = (
        excerpt(cut(document.text, [TextMark(start, end, "edit") for start, end in document.changed]))
        for document in (draft.satisfying, draft.violating)
    )
    return ShownReject(draft, proposal.query if proposal else "", satisfying, violating)
