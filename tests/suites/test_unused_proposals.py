"""Approved proposals of which nothing was made are named, with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.artifact import read_manifest
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.annotation.kinds.proposals import reword
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.constraints.time import Time
from constraintsuite.suites.queries.outlook import find_unused
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.recipe import AnalysisSettings, Recipe
from constraintsuite.suites.stages.queries import read_proposals
from suites.build_factory import make_proposal

SHOWERS = replace(make_proposal("showers", satisfying=["b"], violating=["a"]), status="accepted")
BORN = replace(make_proposal("Vienna", topic="actors", relation="born_in", violating=["a", "b"]), status="accepted")

OPENED = replace(
    make_proposal("1950", topic="museums", satisfying=["c"], violating=["a", "b"]),
    constraint=Time(value="1950", cue="after", forms=(), measure="opened", position="above", limit=1950),
    status="accepted",
)


@pytest.mark.parametrize(
    ("proposal", "rejected", "reason", "why"),
    [
        (SHOWERS, {"satisfying_off_topic": 3, "violating_off_topic": 1}, "off_topic", "in each of its 4 pairs"),
        (SHOWERS, {"satisfying_off_topic": 1, "length": 2}, "pairs_refused", "length 2, satisfying_off_topic 1"),
        (SHOWERS, {}, "no_pair", "they must say 'showers' or 'shower' (was Y reworded?)"),
        (
            OPENED,
            {},
            "no_pair",
            "of 1 documents that obey it and 2 that break it, no two could be set against each other",
        ),
        (BORN, {}, "alone", "no other proposal that is built asks for “actors”"),
    ],
)
def test_why_nothing_was_made(proposal: Proposal, rejected: Mapping[str, int], reason: str, why: str) -> None:
    (found,) = find_unused([proposal], {proposal.id: rejected}, set())
    assert found.reason == reason
    assert why in found.in_words()
    assert repr(proposal.topic) in found.in_words()


def test_what_was_built_or_never_approved_is_not_named() -> None:
    rejected = replace(BORN, id="other", status="rejected")
    assert find_unused([SHOWERS, rejected], {}, {SHOWERS.id}) == []


class Heard(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_a_build_says_which_reworded_topic_or_y_no_document_has_and_counts_it(tmp_path: Path) -> None:
    recipe = Recipe(
        corpus=SourceSettings(source="sample", limit=25), analysis=AnalysisSettings(analyser="rules"), seed=0
    )
    out, heard = tmp_path / "suite", Heard()
    build_suite(recipe, out, reporter=heard, until="queries")
    first, second, third = read_proposals(out / "stages" / "queries")[:3]
    moved = replace(second, topic="zzsalads", query=f"zzsalads without {second.constraint.value}", status="accepted")
    other = replace(reword(third, {"value": "zzgarlic", "query": f"{third.topic} without zzgarlic"}), status="accepted")
    write_jsonl(tmp_path / "approved.jsonl", [replace(first, status="accepted"), moved, other])
    given = recipe.model_copy(update={"approved": tmp_path / "approved.jsonl"})
    build_suite(given, out, reporter=heard)
    told = [note for note in heard.notes if note.startswith("approved, but gave no example")]
    assert any("topic 'zzsalads'" in note for note in told)
    assert any("without zzgarlic" in note and "they must say 'zzgarlic'" in note for note in told)
    manifest = read_manifest(out)
    assert manifest is not None
    counted = {reason: n for reason, n in manifest.rejects.items() if reason.startswith("approved: ")}
    assert sum(counted.values()) == len(told)
    assert "approved: " in (out / "README.md").read_text(encoding="utf-8")
    (out / "stages" / "kept" / "rejected.jsonl").write_text("")
    with pytest.raises(UserError, match=r"rejected\.jsonl: changed since the stage was made\. .* --from kept"):
        build_suite(given, out, reporter=heard, redo_from="gold")
