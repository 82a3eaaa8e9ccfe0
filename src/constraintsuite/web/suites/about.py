"""A suite as a whole: the sections of its report that need no run, how it was made, and what its build left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.experiments.load import load_suite
from constraintsuite.records.sections import Section, VerbatimText
from constraintsuite.reports.marks import Segment, TextMark, cut, excerpt
from constraintsuite.reports.sections.suite import audit, dataset
from constraintsuite.reports.view import ReportView
from constraintsuite.store.artifact import STAGES, Artifact, Manifest
from constraintsuite.store.jsonl import read_jsonl
from constraintsuite.suites.pairs.records import PairDraft, RejectedPair
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.web.artifact_index import ServedArtifact

_CARD = "README.md"


def has_pairs(one: ServedArtifact) -> bool:
    """Whether a suite has examples, not only a collection to search in."""
    counts = dict(one.counts)
    return "examples" in counts or "qrels" not in counts


def read_about(path: Path) -> tuple[Section, ...]:
    """The sections of a report that need no run, and the recipe."""
    view = ReportView(load_suite(path), {})
    sections = (dataset(view), audit(view), _made(view.suite.artifact.manifest))
    return tuple(section for section in sections if section is not None)


def read_collection(path: Path) -> tuple[Section, ...]:
    """The same of a suite without pairs."""
    card, manifest = path / _CARD, Artifact.open(path, "suite").manifest
    text = card.read_text(encoding="utf-8", errors="replace") if card.is_file() else "There is no card."
    about = "Documents, queries and judgments to rank by, without pairs: there are no examples to look at."
    return Section("suite", "The collection", about, (VerbatimText(text, "Card"),)), _made(manifest)


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
