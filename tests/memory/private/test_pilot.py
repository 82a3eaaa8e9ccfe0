"""A private benchmark from inventory to sheets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.private.cases import open_labels, read_cases, reading_copy
from constraintsuite.memory.private.inventory import INVENTORY, Quota, quotas, read_inventory, write_inventory
from constraintsuite.memory.private.versions import freeze, open_version, require_version
from memory.private.small_pilot import (
    CASES,
    begun,
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
        ({"document": "garage_lease"}, "is already in line"),
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
    assert open_version(pilot / "versions" / "1") == version


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
    assert open_version(pilot / "versions" / "1") == first


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
    with pytest.raises(UserError, match=r"documents/candle_supply\.md: changed since the snapshot was made"):
        require_version(pilot)


def test_a_freeze_that_was_stopped_is_done_again(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    version = freeze(pilot)
    (version.artifact.path / "manifest.json").unlink()
    (version.artifact.path / ".working").write_text(version.artifact.manifest.fingerprint)
    assert freeze(pilot).artifact.manifest == version.artifact.manifest


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"documents": "garage_leese"}, ":2: no document 'garage_leese'"),
        ({"hard_negatives": "garage_lease:9.9"}, ":2: hard_negatives: no unit 'garage_lease:9.9'"),
        ({"evidence": "garage_lease:1.2"}, ":2: evidence of a golden case is what two annotators say"),
        ({"family": "riddle"}, ":2: family: "),
        ({"query": ""}, ":2: query: "),
        ({"case": "fuel"}, "the case 'fuel' is already in line 2"),
    ],
)
def test_a_case_that_does_not_fit_is_told_with_its_line(tmp_path: Path, changes: Mapping[str, str], said: str) -> None:
    pilot = begun(tmp_path, [{**CASES[0], **changes}, *CASES[1:]])
    version = freeze(pilot)
    with pytest.raises(UserError) as error:
        read_cases(version)
    assert said in str(error.value)


def test_a_batch_is_blind_and_has_something_to_read(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    batch, version = open_labels(pilot, draw=True)
    assert {name for item in batch.items.values() for name in item.fields} == {"documents", "query", "answer"}
    assert "candle_supply:2.3" not in str([item.fields for item in batch.items.values()])  # the hard negative
    assert "shadow-notice" not in str(batch.items)
    assert version is not None
    assert "`garage_lease:1.2` If the rent is more" in reading_copy(version, batch.items.values())


def test_a_batch_of_a_pilot_is_also_known_by_its_own_folder(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    batch, version = open_labels(pilot)
    assert (batch.path, version) == (pilot / "batches" / "1", require_version(pilot))
    own, same = open_labels(pilot / "batches" / "1")
    assert (own, same and same.number) == (batch, 1)


def test_a_pilot_without_a_batch_is_told_how_to_make_one(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    with pytest.raises(UserError, match=r"version 1 has no sheets yet\. Write them: csuite gold sheet"):
        open_labels(pilot)


def test_cases_stay_as_they_are_once_sheets_were_written(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    with pytest.raises(UserError, match="1 cases are not as they were when sheets were first written: late-rent"):
        open_labels(pilot, draw=True)


def test_changed_cases_of_unchanged_documents_begin_a_new_version(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    assert freeze(pilot, new_version=True).number == 2
    batch, _ = open_labels(pilot, draw=True)
    assert batch.items["late-rent"].fields["query"] == "Another question?"
