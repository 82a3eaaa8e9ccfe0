"""Tasks run in one process or in several, with the same result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import Crash, LocalEngine, require_results

TASKS = [5, 1, 4, 2, 3]


def square_late(number: int) -> int:
    """The larger the number, the later the answer: in several processes the tasks end in another order."""
    time.sleep(0.01 * number)
    return number * number


def arithmetic_threads(_: int) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def own_process(_: int) -> int:
    return os.getpid()


def fail_on_four(number: int) -> int:
    if number == 4:
        raise ValueError("four")
    return number


def fail_first_write_late(task: tuple[int, Path]) -> None:
    number, folder = task
    (folder / f"begun-{number}").touch()
    if number == 0:
        while not (folder / "begun-1").exists():
            time.sleep(0.01)
        raise ValueError("first")
    time.sleep(0.2)
    (folder / "late").touch()


def die_on_four(number: int) -> int:
    if number == 4:
        os._exit(1)
    return number


def die_once(task: tuple[int, Path]) -> int:
    number, died = task
    if number == 4 and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("workers", [1, 3])
def test_results_stand_in_the_order_of_the_tasks_and_each_end_is_reported_once(workers: int) -> None:
    ended: list[int] = []
    assert LocalEngine(workers).map(square_late, TASKS, ended.append) == [25, 1, 16, 4, 9]
    assert sorted(ended) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_in_a_task_is_the_error_of_the_map(workers: int) -> None:
    with pytest.raises(ValueError, match="four"):
        LocalEngine(workers).map(fail_on_four, TASKS)


def test_once_an_error_is_told_nobody_works_any_more(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="first"):
        LocalEngine(2).map(fail_first_write_late, [(0, tmp_path), (1, tmp_path)])
    before = sorted(tmp_path.iterdir())
    time.sleep(0.4)
    assert sorted(tmp_path.iterdir()) == before


def test_no_tasks_no_results() -> None:
    assert LocalEngine(3).map(square_late, []) == []


def test_worker_processes_calculate_with_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert LocalEngine(2).map(arithmetic_threads, [1, 2]) == ["1", "1"]
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_a_task_that_kills_its_processes_ends_as_a_crash_and_the_others_as_ever() -> None:
    ends = LocalEngine(2).map(die_on_four, TASKS)
    assert [end if isinstance(end, int) else type(end) for end in ends] == [5, 1, Crash, 2, 3]
    with pytest.raises(UserError, match=r"Twice a worker process was killed .* with fewer --workers"):
        require_results(ends)  # where none is expected, the user is told what to do


def test_a_task_whose_process_was_killed_once_is_done_by_another(tmp_path: Path) -> None:
    assert LocalEngine(2).map(die_once, [(number, tmp_path / "died") for number in TASKS]) == TASKS


def test_processes_stay_between_two_maps() -> None:
    engine = LocalEngine(2)
    assert len({*engine.map(own_process, TASKS), *engine.map(own_process, TASKS)}) <= 2


def test_a_process_that_died_between_two_maps_is_replaced() -> None:
    engine = LocalEngine(2)
    for process in engine.map(own_process, TASKS):
        assert isinstance(process, int)
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    assert engine.map(square_late, TASKS) == [25, 1, 16, 4, 9]


def wait_long(file: Path) -> None:
    file.write_text(str(os.getpid()))
    time.sleep(600)


def test_workers_do_not_outlive_a_command_that_was_killed(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    code = (
        "from core.execution.test_engine import *; LocalEngine(2).map(wait_long, [Path(each) for each in sys.argv[1:]])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code, *map(str, files)], env=environment) as command:
        while not all(file.is_file() and file.read_text() for file in files):
            time.sleep(0.05)
        command.kill()
    workers = [Path("/proc", file.read_text()) for file in files]
    while any(worker.exists() for worker in workers):  # pytest's own patience is the limit
        time.sleep(0.05)
