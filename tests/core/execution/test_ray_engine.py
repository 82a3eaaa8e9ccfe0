"""Tasks on a real cluster of two nodes: the results of one process, whatever dies on the way."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.cores import THREADS
from constraintsuite.core.execution.engine import Crash
from constraintsuite.core.execution.ray_cluster import find_cluster
from constraintsuite.core.execution.ray_engine import RayEngine, WorkerResources
from core.execution.two_nodes import TwoNodes, start_two_nodes

TASKS = [5, 1, 4, 2, 3]


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    pytest.importorskip("ray", reason="needs the extra [ray]")
    with start_two_nodes() as nodes:
        yield nodes


def square(number: int) -> int:
    return number * number


def fail_on_four(number: int) -> int:
    if number == 4:
        raise UserError("four")
    return number


def die_on_four(number: int) -> int:
    if number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_once(task: tuple[int, Path]) -> int:
    number, died = task
    if number == 4 and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def node_of(task: tuple[int, Path]) -> str:
    """Says where it runs, and stays there until it may go."""
    number, folder = task
    node = str(import_module("ray").get_runtime_context().get_node_id())
    (folder / f"begun-{number}-{node}").write_text(str(os.getpid()))
    while not (folder / "go").exists():
        time.sleep(0.02)
    return node


def threads(_: int) -> str | None:
    return os.environ.get(THREADS)


def test_results_stand_in_the_order_of_the_tasks_and_an_error_in_one_ends_the_map_alone(nodes: TwoNodes) -> None:
    engine = RayEngine(nodes.address)
    ended: list[int] = []
    assert engine.map(square, TASKS, ended.append) == [25, 1, 16, 4, 9]
    assert sorted(ended) == [0, 1, 2, 3, 4]
    with pytest.raises(UserError, match=r"^four$"):
        engine.map(fail_on_four, TASKS)
    assert engine.map(square, [3]) == [9]


def test_a_task_whose_worker_was_killed_is_done_by_another(nodes: TwoNodes, tmp_path: Path) -> None:
    assert RayEngine(nodes.address).map(die_once, [(number, tmp_path / "died") for number in TASKS]) == TASKS


def test_a_task_that_kills_every_worker_ends_as_a_crash_and_the_others_as_ever(nodes: TwoNodes) -> None:
    ends = RayEngine(nodes.address).map(die_on_four, TASKS)
    assert [end if isinstance(end, int) else type(end) for end in ends] == [5, 1, Crash, 2, 3]


def test_workers_calculate_with_as_many_threads_as_the_command_would(
    nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(THREADS, "3")
    assert RayEngine(nodes.address, workers=1).map(threads, [1]) == ["3"]


def test_a_node_with_another_version_is_refused(nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraintsuite.core.execution.ray_engine.package_hash", lambda: "another")
    with pytest.raises(UserError, match="has another version of constraintsuite"):
        RayEngine(nodes.address).map(square, [1])


def test_what_ran_on_a_lost_node_is_done_on_the_other(nodes: TwoNodes, tmp_path: Path) -> None:
    def lose_one_while_both_work() -> None:
        while len(begun := list(tmp_path.glob("begun-*"))) < 2:
            time.sleep(0.02)
        nodes.lose_second()
        while all(Path("/proc", file.read_text()).exists() for file in begun):
            time.sleep(0.02)
        (tmp_path / "go").touch()

    fate = threading.Thread(target=lose_one_while_both_work)
    fate.start()
    places = RayEngine(nodes.address).map(node_of, [(number, tmp_path) for number in TASKS])
    fate.join()
    nodes.join_again()
    assert len({file.name.rsplit("-", 1)[1] for file in tmp_path.glob("begun-*")}) == 2
    assert len(set(places)) == 1


def test_workers_that_were_lost_while_they_had_nothing_to_do_cost_no_attempt(nodes: TwoNodes, tmp_path: Path) -> None:
    engine = RayEngine(nodes.address)
    (tmp_path / "go").touch()
    engine.map(node_of, [(number, tmp_path) for number in TASKS])
    for file in tmp_path.glob("begun-*"):
        with suppress(ProcessLookupError):
            os.kill(int(file.read_text()), signal.SIGKILL)
    assert engine.map(die_once, [(4, tmp_path / "died")]) == [4]


def test_nodes_that_join_later_get_work(nodes: TwoNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in ("_COUNT_SECONDS", "_NEWS_SECONDS"):
        monkeypatch.setattr(f"constraintsuite.core.execution.ray_engine.{setting}", 0.1)
    nodes.lose_second()
    with ThreadPoolExecutor(1) as other:
        places = other.submit(RayEngine(nodes.address).map, node_of, [(number, tmp_path) for number in TASKS])
        while not any(tmp_path.glob("begun-*")):
            time.sleep(0.02)
        nodes.join_again()
        while len(list(tmp_path.glob("begun-*"))) < 2:
            time.sleep(0.02)
        (tmp_path / "go").touch()
    assert len({*places.result()}) == 2


@pytest.mark.parametrize(
    ("share", "has", "places"),
    [
        (WorkerResources(), {"CPU": 16.0}, 16),
        (WorkerResources(6), {"CPU": 16.0}, 2),
        (WorkerResources(1, 0.5), {"CPU": 16.0, "GPU": 2.0}, 4),
        (WorkerResources(8, 1), {"CPU": 16.0, "GPU": 4.0}, 2),
        (WorkerResources(1, 1), {"CPU": 16.0}, 0),
        (WorkerResources(), {}, 0),
    ],
)
def test_a_node_has_room_for_as_many_workers_as_get_their_share(
    share: WorkerResources, has: dict[str, float], places: int
) -> None:
    assert share.places({"Alive": True, "Resources": has}) == places
    assert share.places({"Alive": False, "Resources": has}) == 0


@pytest.mark.parametrize("address", ["127.0.0.1:1", "no.such.host.invalid:6379", "ray://127.0.0.1:1"])
def test_no_cluster_is_a_user_error_that_says_how_to_start_one(address: str) -> None:
    with pytest.raises(UserError, match=rf"{address}: .*ray start --head"):
        find_cluster(address)


def test_an_address_without_a_port_is_refused() -> None:
    with pytest.raises(UserError, match="HOST:PORT"):
        find_cluster("node7")


def test_a_cluster_of_this_machine_that_is_gone_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(UserError, match=r"No Ray cluster at auto: .* does not exist"):
        find_cluster("auto")
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:1")
    with pytest.raises(UserError, match=r"No Ray cluster at 127\.0\.0\.1:1: Connection refused"):
        find_cluster("auto")


def test_auto_is_first_of_all_what_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:1")
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{somebody.getsockname()[1]}")
        assert find_cluster("auto") == "auto"
