"""A record that kills the process that works on it does not kill its shard for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.execution.record_isolation import KILLED, RecordIsolation
from constraintsuite.core.execution.shard_runs import Shard, WorkCounts, run_shard, spread

TESTS = str(Path(__file__).parents[2])
SHARDS = {"part-0": (1, 2, 3), "part-1": (4, 666, 5), "part-2": (6, 7)}


@dataclass(frozen=True)
class Task:
    numbers: tuple[int, ...]
    target: Path


def double(numbers: Sequence[int]) -> Iterator[int]:
    for number in numbers:
        if number == 666:
            os.kill(os.getpid(), signal.SIGKILL)
        yield 2 * number


def work(task: Task, isolation: RecordIsolation) -> WorkCounts:
    made = [result for _, result in isolation.map_blocks(task.numbers, str, double)]
    task.target.write_text(" ".join(map(str, made)))
    return WorkCounts({"made": len(made)})


def die_before_any_record(task: Task, isolation: RecordIsolation) -> WorkCounts:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def wait_for_leave(task: Task, isolation: RecordIsolation) -> WorkCounts:
    """Ends once it may, and tells how it would have gone through its records."""
    while not (task.target.parent / "leave").exists():
        time.sleep(0.02)
    task.target.write_text("singly" if isolation.one_by_one else "together")
    return WorkCounts()


@dataclass
class Heard(Silent):
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)


def tasks(folder: Path) -> dict[str, Task]:
    return {name: Task(numbers, folder / f"{name}.txt") for name, numbers in SHARDS.items()}


def texts(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text() for path in folder.glob("*.txt")}


def test_the_record_is_found_named_and_counted_and_the_rest_is_done(tmp_path: Path) -> None:
    heard = Heard()
    outcome = spread("numbers", work, tasks(tmp_path), tmp_path, LocalEngine(2), heard)
    assert outcome == WorkCounts({"made": 7}, {"unworkable": 1})
    assert texts(tmp_path) == {"part-0": "2 4 6", "part-1": "8 10", "part-2": "12 14"}
    assert heard.notes[-1] == f"numbers: left out 666: {KILLED}"
    halves = set(tmp_path.glob(".*.tmp-*"))  # of processes that were killed as they wrote; `finish` removes them
    assert not set(tmp_path.glob(".*")) - halves


def test_with_one_process_the_command_dies_until_it_knows_the_record(tmp_path: Path) -> None:
    code = f"from pathlib import Path; from core.execution.test_poison import run; run(Path({str(tmp_path)!r}))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [TESTS, os.environ.get("PYTHONPATH")]))}
    ends: list[int] = []
    while not ends or (ends[-1] == -signal.SIGKILL and len(ends) < 9):
        ends.append(subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode)
    assert ends == [*[-signal.SIGKILL] * 5, 0]
    assert texts(tmp_path) == {"part-0": "2 4 6", "part-1": "8 10", "part-2": "12 14"}


def run(folder: Path) -> None:
    spread("numbers", work, tasks(folder), folder, LocalEngine(), Silent())


def test_a_shard_that_dies_of_no_record_is_given_up_by_name(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"part-0: 9 worker processes died in this shard, and no single record is the cause"
    ):
        only = {"part-0": tasks(tmp_path)["part-0"]}
        spread("numbers", die_before_any_record, only, tmp_path, LocalEngine(2), Silent())


def test_the_end_of_a_command_is_no_death_of_the_shards_it_had_sent_out(tmp_path: Path) -> None:
    code = f"from pathlib import Path; from core.execution.test_poison import wait; wait(Path({str(tmp_path)!r}))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [TESTS, os.environ.get("PYTHONPATH")]))}
    begun = set[str]()
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", code], env=environment) as command:
            while (now := {file.read_text() for file in tmp_path.glob(".part-*.deaths")}) <= begun:
                time.sleep(0.02)
            begun |= now
            command.kill()
    (tmp_path / "leave").touch()
    wait(tmp_path)
    assert {*texts(tmp_path).values()} == {"together"}


def wait(folder: Path) -> None:
    spread("numbers", wait_for_leave, tasks(folder), folder, LocalEngine(2), Silent())


def test_a_shard_that_another_worker_has_done_meanwhile_is_not_done_again(tmp_path: Path) -> None:
    first, *_ = (Shard(work, task, tmp_path, name) for name, task in tasks(tmp_path).items())
    run_shard(first)
    (tmp_path / "part-0.txt").write_text("as it was")
    run_shard(first)
    assert texts(tmp_path) == {"part-0": "as it was"}
