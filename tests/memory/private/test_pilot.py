"""A private benchmark from inventory to export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from constraintsuite.annotate.adjudication import rule
from constraintsuite.annotate.standing import standing
from constraintsuite.errors import UserError
from constraintsuite.memory.cases.grounding import ground
from constraintsuite.memory.cases.reading import read_cases as read_benchmark
from constraintsuite.memory.private.cases import read_cases
from constraintsuite.memory.private.export import export
from constraintsuite.memory.private.inventory import INVENTORY, Quota, quotas, read_inventory, write_inventory
from constraintsuite.memory.private.labelling import evidence_agreement, pilot_batch, write_sheets
from constraintsuite.memory.private.versions import freeze, open_version, require_version
from memory.private.small_pilot import (
    CASES,
    GOLD,
    NOW,
    begun,
    label,
    labelled,
    read_rows,
    select,
    write_cases,
    write_documents,
    write_rows,
)


def test_the_inventory_says_what_can_be_measured_and_leaves_the_rest_open(tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents")
    (documents / "copy.md").write_bytes((documents / "garage_lease.md").read_bytes())
    write_inventory(documents, tmp_path / "pilot")
    rows = {row["document"]: row for row in read_rows(tmp_path / "pilot" / INVENTORY)}
    lease = rows["garage_lease"]
    assert (lease["units"], lease["selected"], lease["type"]) == ("5", "no", "")
    assert lease["path"] == "../documents/garage_lease.md"
    assert lease["doubts"] == "same bytes as copy"
    assert rows["candle_supply"]["doubts"] == ""


def test_an_inventory_is_not_overwritten(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    with pytest.raises(UserError, match="may hold somebody's work"):
        write_inventory(tmp_path / "documents", pilot)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"why": ""}, "in the column why the reason"),
        ({"type": "novel"}, ":2: type: "),
        ({"signed": "yesterday"}, ":2: signed: "),
        ({"document": "garage_lease"}, "stands in line"),
    ],
)
def test_a_row_of_the_inventory_that_does_not_fit_is_told_with_its_line(
    tmp_path: Path, changes: Mapping[str, str], said: str
) -> None:
    pilot = begun(tmp_path)
    select(pilot, **changes)
    with pytest.raises(UserError) as error:
        read_inventory(pilot)
    assert said in str(error.value)


def test_the_choice_stands_beside_what_a_pilot_wants(tmp_path: Path) -> None:
    assert quotas(read_inventory(begun(tmp_path)))[:2] == [Quota("services", 2, 8, 10), Quota("supply", 0, 5, 6)]


def test_a_version_holds_documents_units_and_hashes(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    version = freeze(pilot)
    assert (version.number, version.artifact.manifest.counts) == (1, {"documents": 2, "units": 10})
    assert set(version.artifact.manifest.inputs) == {"garage_lease", "candle_supply"}
    assert (version.documents / "garage_lease.md").read_bytes() == (
        tmp_path / "documents" / "garage_lease.md"
    ).read_bytes()
    assert open_version(pilot, 1) == version


def test_freezing_again_changes_nothing(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    assert freeze(pilot) == freeze(pilot)


def test_a_changed_document_is_named_and_needs_a_new_version(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    first = freeze(pilot)
    lease = tmp_path / "documents" / "garage_lease.md"
    lease.write_text(lease.read_text().replace("90 euros", "95 euros"))
    with pytest.raises(UserError, match="garage_lease: its text was changed"):
        freeze(pilot)
    assert freeze(pilot, new_version=True).number == 2
    assert open_version(pilot, 1) == first


def test_a_document_that_is_no_longer_selected_is_named(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    rows = read_rows(pilot / INVENTORY)
    write_rows(
        pilot / INVENTORY, [{**row, "selected": "no"} if row["document"] == "garage_lease" else row for row in rows]
    )
    with pytest.raises(UserError, match="garage_lease: is no longer selected"):
        freeze(pilot)


def test_a_frozen_version_must_not_change(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    copy = freeze(pilot).documents / "candle_supply.md"
    copy.write_text(copy.read_text() + "\n2.4 And more.\n")
    with pytest.raises(UserError, match=r"documents/candle_supply\.md: changed since it was written"):
        require_version(pilot)


def test_a_freeze_that_was_stopped_is_done_again(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    version = freeze(pilot)
    (version.artifact.path / "manifest.json").unlink()
    assert freeze(pilot).artifact.manifest == version.artifact.manifest


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"documents": "garage_leese"}, ":2: no document 'garage_leese'"),
        ({"hard_negatives": "garage_lease:9.9"}, ":2: hard_negatives: no unit 'garage_lease:9.9'"),
        ({"evidence": "garage_lease:1.2"}, ":2: evidence of a golden case is what two annotators say"),
        ({"family": "riddle"}, ":2: family: "),
        ({"query": ""}, ":2: query: "),
        ({"case": "fuel"}, "the case 'fuel' stands in line 2 already"),
    ],
)
def test_a_case_that_does_not_fit_is_told_with_its_line(tmp_path: Path, changes: Mapping[str, str], said: str) -> None:
    pilot = begun(tmp_path, [{**CASES[0], **changes}, *CASES[1:]])
    version = freeze(pilot)
    with pytest.raises(UserError) as error:
        read_cases(pilot, version)
    assert said in str(error.value)


def test_sheets_are_blind_and_have_something_to_read_beside_them(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    written = write_sheets(pilot, ("ann", "bob"))
    rows = read_rows(written.files[0][0])
    assert list(rows[0])[:4] == ["row", "documents", "query", "answer"]
    assert "candle_supply:2.3" not in written.files[0][0].read_text()  # the hard negative
    assert "shadow-notice" not in str(written.batch.items)
    assert "`garage_lease:1.2` If the rent is more" in written.reading.read_text()


def test_a_sheet_that_is_there_stops_all_of_them(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    write_sheets(pilot, ("ann", "bob"))
    with pytest.raises(UserError, match=r"bob\.csv: is there already\. Import it"):
        write_sheets(pilot, ("cy", "bob"))
    assert not (pilot / "sheets" / "1" / "cy.csv").exists()


def test_one_annotator_is_not_enough(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="two people or more"):
        write_sheets(begun(tmp_path), ("ann", "ann"))


def test_cases_stay_as_they_are_once_sheets_were_written(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    with pytest.raises(UserError, match="1 cases are not as they were when sheets were first written: late-rent"):
        write_sheets(pilot, ("ann", "bob"))


def test_agreement_on_evidence_by_hand(tmp_path: Path) -> None:
    pilot = labelled(tmp_path, differing={"first-month": ("garage_lease:1.3",), "fuel": ("garage_lease:2.1",)})
    batch = pilot_batch(pilot, require_version(pilot))
    found = evidence_agreement(batch, standing(batch.store.events()))
    assert found.jaccard.value == pytest.approx((1 + 1 + 1 + 1 / 2 + 0) / 5)
    assert found.f1.value == pytest.approx((1 + 1 + 1 + 2 / 3 + 0) / 5)
    assert found.exact.value == pytest.approx(3 / 5)
    assert [case.case for case in found.cases][:2] == ["fuel", "first-month"]
    assert not found.passed


def test_full_agreement_on_few_documents_does_not_pass(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    batch = pilot_batch(pilot, require_version(pilot))
    found = evidence_agreement(batch, standing(batch.store.events()))
    assert found.jaccard.value == 1
    assert found.alpha_jaccard.value == 1
    assert not found.passed  # two documents are no ground for a lower bound of .85


def test_only_approved_cases_are_exported_and_the_benchmark_reads_them(tmp_path: Path) -> None:
    pilot = labelled(tmp_path, differing={"fuel": ("garage_lease:2.1",)})
    found = export(pilot, tmp_path / "out")
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
    batch = pilot_batch(pilot, require_version(pilot))
    said = standing(batch.store.events())
    batch.store.append(
        [rule(batch, said, "cy", ("fuel", "evidence", "garage_lease:2.2"), "2.1 is about notice only.")], NOW
    )
    assert export(pilot, tmp_path / "out").left_out == {}


def test_the_acceptance_list_says_what_is_met(tmp_path: Path) -> None:
    found = export(labelled(tmp_path), tmp_path / "out")
    met = {one.name: one.met for one in found.criteria if one.binding}
    assert met == {
        "approved cases": False,
        "lower bound of agreement on evidence": False,
        "ids that do not resolve": True,
        "share that is medium or hard": False,
        "hard-negative pairs": False,
    }
    assert not found.accepted


def test_a_set_that_must_be_accepted_is_not_written_otherwise(tmp_path: Path) -> None:
    assert not export(labelled(tmp_path), tmp_path / "out", require=True).accepted
    assert not (tmp_path / "out").exists()


def test_evidence_that_is_a_hard_negative_is_told_by_its_case(tmp_path: Path) -> None:
    pilot = begun(tmp_path, [{**CASES[0], "hard_negatives": "garage_lease:1.2"}, *CASES[1:]])
    freeze(pilot)
    batch = write_sheets(pilot, ("ann", "bob")).batch
    for name in ("ann", "bob"):
        label(batch, name, {})
    with pytest.raises(UserError, match="the case 'late-rent' cannot be exported"):
        export(pilot, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_labels_and_events_lie_beside_the_benchmark(tmp_path: Path) -> None:
    export(labelled(tmp_path), tmp_path / "out")
    labels = [json.loads(line) for line in (tmp_path / "out" / "labels.jsonl").read_text().splitlines()]
    assert [row["item"] for row in labels] == list(GOLD)
    assert (tmp_path / "out" / "events.jsonl").is_file()
