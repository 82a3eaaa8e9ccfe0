"""What was left out, by reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.app.pages.marks import Segment
from constraintsuite.app.web.suites import about
from constraintsuite.app.web.suites.about import read_rejects, show_reject
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, RejectedPair
from constraintsuite.suites.queries.records import Proposal

PROPOSAL = Proposal(
    id="p1",
    status="build",
    topic="campsites",
    constraint=Exclude(value="showers", cue="without", forms=("showers",)),
    query="campsites without showers",
    opposite="campsites with showers",
    relation="travel.has",
    domain="travel",
    template="WITHOUT_Y",
    template_family="has.WITHOUT_Y",
    split="train",
    score=1.0,
    topic_documents=2,
    satisfying=("d1",),
    violating=("d2",),
    examples_expected=1,
)
DRAFT = PairDraft(
    "explicit",
    PROPOSAL.id,
    "travel.has",
    "train",
    couple="",
    satisfying=DraftDocument("d1", "No showers.", edit="insert", changed=((0, 2),)),
    violating=DraftDocument("d2", "Showers."),
    cost=0.0,
)
COUNTS = {"kept: violating_mixed_y": 2, "pairs: repeated": 0, "queries: given:no_y_named": 45}


def suite_with(folder: Path, *rejected: RejectedPair, stages: bool = True) -> Path:
    write_jsonl(folder / "proposals.jsonl", [PROPOSAL])
    if stages:
        (folder / "stages" / "kept").mkdir(parents=True)
        write_jsonl(folder / "stages" / "kept" / "rejected.jsonl", rejected)
        finish(folder / "stages" / "kept", ArtifactOrigin("stage", "kept", {}, {}, 0, Revision(1)), {}, {}, 0.0)
    return finish(folder, ArtifactOrigin("suite", "tiny", {}, {}, 0, Revision(1)), {"examples": 0}, COUNTS, 0.0).path


def test_they_are_counted_the_most_common_first_and_kept_where_stages_are(tmp_path: Path) -> None:
    found = read_rejects(suite_with(tmp_path, *[RejectedPair("violating_mixed_y", DRAFT)] * 2))
    assert list(found.counts.items()) == [("queries: given:no_y_named", 45), ("kept: violating_mixed_y", 2)]
    assert found.drafts == {"kept: violating_mixed_y": (DRAFT, DRAFT)}


def test_without_stages_there_are_only_counts(tmp_path: Path) -> None:
    found = read_rejects(suite_with(tmp_path, stages=False))
    assert (len(found.counts), found.drafts, found.proposals) == (2, {}, {})


def test_a_pair_is_shown_with_its_query(tmp_path: Path) -> None:
    found = read_rejects(suite_with(tmp_path, RejectedPair("violating_mixed_y", DRAFT)))
    shown = show_reject(found, DRAFT)
    assert shown.query == "campsites without showers"
    assert shown.satisfying == (Segment("No", ("edit",)), Segment(" showers."))
    assert shown.violating == (Segment("Showers."),)


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about, "MOST", 3)
    found = read_rejects(suite_with(tmp_path, *[RejectedPair("surplus", DRAFT)] * 5))
    assert len(found.drafts["kept: surplus"]) == 3
