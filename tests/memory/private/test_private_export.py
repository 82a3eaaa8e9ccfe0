"""A private benchmark from labels to export."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.cases.files import ground
from constraintsuite.memory.cases.files import read_cases as read_benchmark
from constraintsuite.memory.private.acceptance import evidence_agreement
from constraintsuite.memory.private.cases import open_labels
from constraintsuite.memory.private.versions import freeze
from constraintsuite.suites.annotation.adjudication import rule
from constraintsuite.suites.annotation.current_answers import current_answers
from memory.private.small_pilot import (
    CASES,
    GOLD,
    NOW,
    begun,
    export_pilot,
    label,
    labelled,
    write_cases,
)


@pytest.mark.parametrize(
    ("cases", "changed"),
    [
        ([*CASES[:2], {**CASES[2], "query": "Who owns the garage roof?"}, *CASES[3:]], "fuel"),
        ([{**CASES[0], "answer": "Nothing."}, *CASES[1:]], "late-rent"),
        ([*CASES, {**CASES[2], "case": "petrol"}], "petrol"),
        (CASES[1:], "late-rent"),
    ],
)
def test_labels_of_one_question_are_not_exported_with_another(
    tmp_path: Path, cases: Sequence[Mapping[str, str]], changed: str
) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, cases)
    with pytest.raises(UserError, match=f"1 cases are not as they were when sheets were first written: {changed}"):
        export_pilot(pilot, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_annotators_were_not_shown_may_be_mended_until_the_export(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, [{**CASES[0], "hard_negatives": "candle_supply:2.1"}, *CASES[1:]])
    export_pilot(pilot, tmp_path / "out")
    cases = json.loads((tmp_path / "out" / "golden.json").read_text())["cases"]
    assert cases[0]["hard_negatives"] == ["candle_supply:2.1"]


def test_agreement_on_evidence_by_hand(tmp_path: Path) -> None:
    pilot = labelled(tmp_path, differing={"first-month": ("garage_lease:1.3",), "fuel": ("garage_lease:2.1",)})
    batch, _ = open_labels(pilot)
    found = evidence_agreement(batch, current_answers(batch.store.events()))
    assert found.jaccard.value == pytest.approx((1 + 1 + 1 + 1 / 2 + 0) / 5)
    assert found.f1.value == pytest.approx((1 + 1 + 1 + 2 / 3 + 0) / 5)
    assert found.exact.value == pytest.approx(3 / 5)
    assert [case.case for case in found.cases][:2] == ["fuel", "first-month"]
    assert not found.passed


def test_full_agreement_is_no_certainty(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    batch, _ = open_labels(pilot)
    found = evidence_agreement(batch, current_answers(batch.store.events()))
    bounds = (0.3424, 1.0)  # Wilson's of 2 of 2 documents
    for figure in (found.jaccard, found.f1, found.exact):
        assert (figure.low, figure.high) == pytest.approx(bounds, abs=1e-4)


def test_full_agreement_on_few_documents_does_not_pass(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    batch, _ = open_labels(pilot)
    found = evidence_agreement(batch, current_answers(batch.store.events()))
    assert found.jaccard.value == 1
    assert found.alpha_jaccard.value == 1
    assert not found.passed  # two documents are no ground for a lower bound of .85


def test_only_approved_cases_are_exported_and_the_benchmark_reads_them(tmp_path: Path) -> None:
    pilot = labelled(tmp_path, differing={"fuel": ("garage_lease:2.1",)})
    found = export_pilot(pilot, tmp_path / "out")
    assert (found.golden, found.shadow, found.left_out) == (4, 1, {"evidence: annotators differ": 1})
    grounded = ground(read_benchmark(tmp_path / "out" / "golden.json"))
    cases = {case.case_id: case for case in grounded.dataset.cases}
    assert cases.keys() == GOLD.keys() - {"fuel"}
    assert cases["late-rent"].hard_negatives == ("candle_supply:2.3",)
    assert cases["late-rent"].paraphrases == ("Price of delay?", "What if rent lags?")
    wanted = cases["first-month"].expectation
    assert (wanted.evidence_node_ids, wanted.minimum_evidence_matches) == (GOLD["first-month"], 2)
    assert wanted.path is not None
    assert [step.node_id for step in wanted.path.steps] == ["garage_lease:1.3", "garage_lease:1.2"]
    assert wanted.required_semantic_roles == ("exception",)


def test_a_ruling_approves_a_case(tmp_path: Path) -> None:
    pilot = labelled(tmp_path, differing={"fuel": ("garage_lease:2.1",)})
    batch, _ = open_labels(pilot)
    said = current_answers(batch.store.events())
    batch.store.append(
        [rule(batch, said, "cy", ("fuel", "evidence", "garage_lease:2.2"), "2.1 is about notice only.")], NOW
    )
    assert export_pilot(pilot, tmp_path / "out").left_out == {}


def test_the_acceptance_list_says_what_is_met(tmp_path: Path) -> None:
    found = export_pilot(labelled(tmp_path), tmp_path / "out")
    met = {one.name: one.met for one in found.criteria if one.binding}
    assert met == {
        "approved cases": False,
        "lower bound of agreement on evidence": False,
        "share that is medium or hard": False,
        "hard-negative pairs": False,
    }
    assert not found.accepted


def test_a_set_that_must_be_accepted_is_not_written_otherwise(tmp_path: Path) -> None:
    assert not export_pilot(labelled(tmp_path), tmp_path / "out", require=True).accepted
    assert not (tmp_path / "out").exists()


def test_evidence_that_is_a_hard_negative_is_told_by_its_case(tmp_path: Path) -> None:
    pilot = begun(tmp_path, [{**CASES[0], "hard_negatives": "garage_lease:1.2"}, *CASES[1:]])
    freeze(pilot)
    batch, _ = open_labels(pilot, draw=True)
    for name in ("ann", "bob"):
        label(batch, name, {})
    with pytest.raises(UserError, match="the case 'late-rent' cannot be exported"):
        export_pilot(pilot, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_labels_and_events_lie_beside_the_benchmark(tmp_path: Path) -> None:
    export_pilot(labelled(tmp_path), tmp_path / "out")
    labels = [json.loads(line) for line in (tmp_path / "out" / "labels.jsonl").read_text().splitlines()]
    assert [row["item"] for row in labels] == list(GOLD)
    assert (tmp_path / "out" / "events.jsonl").is_file()
