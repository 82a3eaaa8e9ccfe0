"""A record that breaks the work is left out and named; the others come as ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.record_isolation import BLOCK_RECORDS, KILLED, PoisonRecord, RecordIsolation


def double(numbers: Sequence[int]) -> Iterator[int]:
    for number in numbers:
        if number < 0:
            raise ValueError(f"{number} is negative")
        yield 2 * number


@pytest.mark.parametrize("one_by_one", [False, True])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(-3, 100), max_size=30, unique=True))
def test_all_but_the_broken_records_come_in_order(tmp_path: Path, one_by_one: bool, numbers: list[int]) -> None:
    isolation = RecordIsolation(tmp_path, "part", one_by_one)
    isolation.listing.unlink(missing_ok=True)
    isolation.poison.clear()
    good = [number for number in numbers if number >= 0]
    assert list(isolation.map_blocks(numbers, str, double)) == [(number, 2 * number) for number in good]
    assert [poison.record for poison in isolation.poison] == [str(number) for number in numbers if number < 0]


def test_the_reason_says_what_was_raised_and_where(tmp_path: Path) -> None:
    isolation = RecordIsolation(tmp_path, "part")
    list(isolation.map_blocks([1, -1], str, double))
    (poison,) = isolation.poison
    assert poison.record == "-1"
    assert poison.reason.startswith("ValueError (test_record_isolation.py:")


def test_many_records_are_gone_through_in_portions(tmp_path: Path) -> None:
    sizes = []

    def note_size(numbers: Sequence[int]) -> Sequence[int]:
        sizes.append(len(numbers))
        return numbers

    list(RecordIsolation(tmp_path, "part").map_blocks(range(BLOCK_RECORDS + 1), str, note_size))
    assert sizes == [BLOCK_RECORDS, 1]


def die_at_two(folder: Path) -> RecordIsolation:
    """The isolation of a process that does not come back from 2."""
    isolation = RecordIsolation(folder, "part", one_by_one=True)
    work = isolation.map_blocks([1, 2, 3], str, double)
    next(work)
    next(work)
    return isolation


def test_the_record_that_three_processes_did_not_come_back_from_is_poison(tmp_path: Path) -> None:
    for _ in range(3):
        die_at_two(tmp_path)
    after = RecordIsolation(tmp_path, "part", one_by_one=True)
    assert after.poison == [PoisonRecord("2", KILLED)]
    assert list(after.map_blocks([1, 2, 3], str, double)) == [(1, 2), (3, 6)]
    assert not after.trail.exists()


def test_one_process_may_have_died_of_something_else(tmp_path: Path) -> None:
    die_at_two(tmp_path)
    after = RecordIsolation(tmp_path, "part", one_by_one=True)
    assert (after.poison, after.suspect) == ([], "2")
    assert list(after.map_blocks([1, 2, 3], str, double)) == [(1, 2), (2, 4), (3, 6)]


def test_what_was_found_before_is_left_out_without_trying(tmp_path: Path) -> None:
    list(RecordIsolation(tmp_path, "part").map_blocks([-1, 1], str, double))
    again = RecordIsolation(tmp_path, "part")
    assert list(again.map_blocks([-1, 1], str, lambda numbers: numbers)) == [(1, 1)]


@pytest.mark.parametrize(
    "error",
    [UserError("no such model"), OSError(28, "No space left on device"), ImportError("no such library"), MemoryError()],
)
def test_errors_that_are_no_fault_of_a_record_go_on(tmp_path: Path, error: Exception) -> None:
    def fail(numbers: Sequence[int]) -> Sequence[int]:
        raise error

    with pytest.raises(type(error)):
        list(RecordIsolation(tmp_path, "part").map_blocks([1], str, fail))


def test_where_many_break_it_is_not_the_records_and_nothing_is_held_against_them(tmp_path: Path) -> None:
    numbers = range(-1, -30, -1)
    with pytest.raises(UserError, match=r"part: 29 of the first 29 records cannot be worked on, among them '-1'"):
        list(RecordIsolation(tmp_path, "part").map_blocks(numbers, str, double))
    assert list(RecordIsolation(tmp_path, "part").map_blocks(numbers, str, lambda some: some)) == [
        (each, each) for each in numbers
    ]


@pytest.mark.parametrize("text", ["", '["2", '])
def test_a_trail_that_was_cut_short_blames_nobody(tmp_path: Path, text: str) -> None:
    RecordIsolation(tmp_path, "part").trail.write_text(text)
    assert list(RecordIsolation(tmp_path, "part", one_by_one=True).map_blocks([1, 2], str, double)) == [(1, 2), (2, 4)]


def test_clean_work_leaves_nothing_behind(tmp_path: Path) -> None:
    list(RecordIsolation(tmp_path, "part", one_by_one=True).map_blocks([1, 2], str, double))
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_not_blamed_for_the_end_of_the_command(tmp_path: Path) -> None:
    for _ in range(3):
        isolation = RecordIsolation(tmp_path, "part", one_by_one=True, excused=True)
        next(isolation.map_blocks(["slow"], str, list))  # and the command is killed
    assert RecordIsolation(tmp_path, "part", excused=True).poison == []
