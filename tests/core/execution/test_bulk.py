"""Records are worked on together; one by one it is only found out which of them must be left out."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.record_isolation import KILLED, PoisonRecord, RecordIsolation, list_left_out
from constraintsuite.core.execution.shard_runs import WorkCounts, spread


def with_company(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Each number, and how many there are: as a model's result depends on the batch."""
    if any(number < 0 for number in numbers):
        raise ValueError("negative")
    return [(number, len(numbers)) for number in numbers]


def test_what_breaks_is_left_out_and_the_rest_done_together(tmp_path: Path) -> None:
    isolation = RecordIsolation(tmp_path, "part")
    assert isolation.map_shard([1, -2, 3], str, with_company, 0) == [(1, 2), None, (3, 2)]
    assert [poison.record for poison in isolation.poison] == ["-2"]
    (line,) = list_left_out(tmp_path, ["part", "other"])
    assert line.startswith("left out -2: ValueError (test_bulk.py:")


def test_the_result_is_the_same_after_processes_died(tmp_path: Path) -> None:
    assert RecordIsolation(tmp_path, "part", one_by_one=True).map_shard([1, 2, 3], str, with_company, 0) == [
        (1, 3),
        (2, 3),
        (3, 3),
    ]


def test_nothing_is_left_where_all_break(tmp_path: Path) -> None:
    assert RecordIsolation(tmp_path, "part").map_shard([-1, -2], str, with_company, 0) == [None, None]


@pytest.mark.parametrize("error", [UserError("no weights"), OSError("disk full")])
def test_errors_that_are_no_fault_of_a_record_end_the_work(tmp_path: Path, error: Exception) -> None:
    def fail(numbers: Sequence[int]) -> list[int]:
        raise error

    isolation = RecordIsolation(tmp_path, "part")
    with pytest.raises(type(error), match=str(error)):
        isolation.map_shard([1, 2], str, fail, 0)
    assert isolation.poison == []


def test_a_record_beside_which_a_process_died_twice_is_tried_again(tmp_path: Path) -> None:
    RecordIsolation(tmp_path, "part").trail.write_text('["2", "2", 1]')  # and here it was killed, by somebody else
    assert RecordIsolation(tmp_path, "part", one_by_one=True).map_shard([1, 2], str, with_company, 0) == [
        (1, 2),
        (2, 2),
    ]
    assert RecordIsolation(tmp_path, "part").poison == []


def test_a_record_that_killed_three_is_list_left_out(tmp_path: Path) -> None:
    RecordIsolation(tmp_path, "part").trail.write_text('["2", "2", 2]')
    isolation = RecordIsolation(tmp_path, "part", one_by_one=True)
    assert isolation.map_shard([1, 2, 3], str, with_company, 0) == [(1, 2), None, (3, 2)]
    assert RecordIsolation(tmp_path, "part").poison == [PoisonRecord("2", KILLED)]


@dataclass(frozen=True)
class Task:
    numbers: tuple[int, ...]
    target: Path


def deadly(numbers: Sequence[int]) -> list[tuple[int, int]]:
    if 666 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return with_company(numbers)


def work(task: Task, isolation: RecordIsolation) -> WorkCounts:
    made = isolation.map_shard(task.numbers, str, deadly, 0)
    task.target.write_text(repr(made))
    return WorkCounts({"made": sum(one is not None for one in made)})


def test_a_record_that_kills_its_processes_does_not_stop_its_shard(tmp_path: Path) -> None:
    tasks = {"a": Task((1, 666, 2), tmp_path / "a.txt"), "b": Task((3, 4), tmp_path / "b.txt")}
    outcome = spread("numbers", work, tasks, tmp_path, LocalEngine(2), Silent())
    assert (outcome.counts, outcome.rejects) == ({"made": 4}, {"unworkable": 1})
    assert (tmp_path / "a.txt").read_text() == "[(1, 2), None, (2, 2)]"
    assert (tmp_path / "b.txt").read_text() == "[(3, 2), (4, 2)]"
