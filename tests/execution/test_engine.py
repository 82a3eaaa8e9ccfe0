"""Tasks run in one process or in several, with the same result."""

from __future__ import annotations

import os
import time

import pytest

from constraintsuite.errors import UserError
from constraintsuite.execution.engine import LocalEngine

TASKS = [5, 1, 4, 2, 3]


def square_late(number: int) -> int:
    """The larger the number, the later the answer: in several processes the tasks end in another order."""
    time.sleep(0.01 * number)
    return number * number


def arithmetic_threads(_: int) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def fail_on_four(number: int) -> int:
    if number == 4:
        raise ValueError("four")
    return number


def die(_: int) -> int:
    os._exit(1)


@pytest.mark.parametrize("workers", [1, 3])
def test_results_stand_in_the_order_of_the_tasks(workers: int) -> None:
    assert LocalEngine(workers).map(square_late, TASKS) == [25, 1, 16, 4, 9]


@pytest.mark.parametrize("workers", [1, 3])
def test_every_task_is_reported_once_when_it_ends(workers: int) -> None:
    ended: list[int] = []
    LocalEngine(workers).map(square_late, TASKS, ended.append)
    assert sorted(ended) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_in_a_task_is_the_error_of_the_map(workers: int) -> None:
    with pytest.raises(ValueError, match="four"):
        LocalEngine(workers).map(fail_on_four, TASKS)


def test_no_tasks_no_results() -> None:
    assert LocalEngine(3).map(square_late, []) == []


def test_worker_processes_calculate_with_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert LocalEngine(2).map(arithmetic_threads, [1, 2]) == ["1", "1"]
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_a_killed_worker_is_a_user_error_that_says_what_to_do() -> None:
    with pytest.raises(UserError, match=r"A worker process was killed .* with fewer --workers"):
        LocalEngine(2).map(die, [1, 2])
