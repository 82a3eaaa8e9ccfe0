from __future__ import annotations

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.corpora.base import REASONS, BadRow, BadRows, Reason


def test_a_bad_row_is_an_error_that_names_place_fault_and_way_out() -> None:
    with pytest.raises(UserError) as error:
        BadRows().add("wiki.jsonl:7", "invalid_json", "{oops")
    assert str(error.value) == (
        "wiki.jsonl:7: this row cannot be used: it is not a JSON object. "
        "Correct it, or pass --skip-bad-rows to leave such rows out."
    )


def test_skipped_rows_are_counted_by_reason() -> None:
    bad = BadRows(skip=True)
    bad.add("a:1", "invalid_json", "{")
    bad.add("a:2", "missing_text", "{}")
    bad.add("a:3", "invalid_json", "}")
    assert bad.counts == {"invalid_json": 2, "missing_text": 1}
    assert bad.rows[1] == BadRow("a:2", "missing_text", "{}")


def test_only_a_thousand_rows_are_kept_but_all_are_counted() -> None:
    bad = BadRows(skip=True)
    for number in range(1500):
        bad.add(f"a:{number}", "missing_id", "x")
    assert (len(bad.rows), bad.counts["missing_id"]) == (1000, 1500)


@pytest.mark.parametrize(
    ("row", "kept"), [("x" * 600, "x" * 500), ("a\udcffb", "a\\udcffb"), ("\udcff" * 500, "\\udcff" * 83 + "\\u")]
)
def test_a_kept_row_is_short_and_can_be_written(row: str, kept: str) -> None:
    bad = BadRows(skip=True)
    bad.add("a:1", "invalid_utf8", row)
    assert bad.rows[0].row == kept


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_reads_as_part_of_a_sentence(reason: Reason) -> None:
    assert REASONS[reason][0].islower()
    assert not REASONS[reason].endswith(".")
