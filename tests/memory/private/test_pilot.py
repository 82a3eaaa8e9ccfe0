"""A private benchmark from inventory to sheets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.memory.private.cases import read_cases
from constraintsuite.memory.private.inventory import INVENTORY, Quota, quotas, read_inventory, write_inventory
from constraintsuite.memory.private.labels import write_sheets
from constraintsuite.memory.private.versions import freeze, open_version, require_version
from memory.private.small_pilot import (
    CASES,
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
    reading = written.files[0][0].with_name("documents.md").read_text()
    assert "`garage_lease:1.2` If the rent is more" in reading


def test_a_sheet_that_is_there_stops_all_of_them(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    write_sheets(pilot, ("ann", "bob"))
    with pytest.raises(UserError, match=r"bob\.csv: is there already\. Import it"):
        write_sheets(pilot, ("cy", "bob"))
    assert not (pilot / "sheets" / "1" / "cy").exists()


def test_each_person_has_a_folder_without_the_sheets_of_others(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    write_sheets(pilot, ("ann", "bob"))
    found = sorted(str(file.relative_to(pilot / "sheets" / "1")) for file in (pilot / "sheets" / "1").rglob("*.*"))
    assert found == [
        f"{name}/{file}" for name in ("ann", "bob") for file in (f"{name}.csv", "documents.md", "guide.md")
    ]


def test_who_is_done_gets_no_sheet_and_keeps_nobody_from_the_rest(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    batch = write_sheets(pilot, ("ann", "bob")).batch
    (pilot / "sheets").rename(tmp_path / "handed-out")
    label(batch, "ann", {})
    written = write_sheets(pilot, ("ann", "bob"))
    assert ([file.name for file, _ in written.files], written.done) == (["bob.csv"], ("ann",))
    label(batch, "bob", {})
    (pilot / "sheets").rename(tmp_path / "handed-out-again")
    with pytest.raises(UserError, match="ann and bob have answered everything"):
        write_sheets(pilot, ("ann", "bob"))
    assert not (pilot / "sheets").exists()


def test_a_name_that_is_none_stops_all_sheets(tmp_path: Path) -> None:
    pilot = begun(tmp_path)
    freeze(pilot)
    with pytest.raises(UserError, match="not a valid name of a person"):
        write_sheets(pilot, ("ann", "../bob"))
    assert not (pilot / "sheets").exists()
    assert not (pilot / "batches").exists()


def test_one_annotator_is_not_enough(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="two people or more"):
        write_sheets(begun(tmp_path), ("ann", "ann"))


def test_cases_stay_as_they_are_once_sheets_were_written(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    with pytest.raises(UserError, match="1 cases are not as they were when sheets were first written: late-rent"):
        write_sheets(pilot, ("ann", "bob"))


def test_changed_cases_of_unchanged_documents_begin_a_new_version(tmp_path: Path) -> None:
    pilot = labelled(tmp_path)
    write_cases(pilot, [{**CASES[0], "query": "Another question?"}, *CASES[1:]])
    assert freeze(pilot, new_version=True).number == 2
    assert write_sheets(pilot, ("ann", "bob")).batch.items["late-rent"].fields["query"] == "Another question?"
