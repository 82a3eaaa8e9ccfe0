"""A product of matrices takes the threads it is given, in each mode of a measurement; runs take turns, and leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.vectors.ann import worker
from constraintsuite.vectors.ann.data import SearchFunction, Vectors
from constraintsuite.vectors.ann.host import blas_threads, machine_lock
from constraintsuite.vectors.ann.plan import plan
from constraintsuite.vectors.ann.settings import AnnBenchmark, MeasuringProtocol, QueryMode
from constraintsuite.vectors.ann.staged_data import stage
from constraintsuite.vectors.ann.timing import ClientGroup, Measured, measure
from constraintsuite.vectors.ann.worker import WorkerJob, work

threadpoolctl = pytest.importorskip("threadpoolctl", reason="threadpoolctl is not installed")
T = TypeVar("T")
DATA = {"name": "set", "format": "synthetic", "rows": 50, "queries": 4, "dimensions": 3}


def threads_now() -> set[int]:
    """Of NumPy's own library; those of others may be loaded in this process, too."""
    pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    found = {pool["num_threads"] for pool in pools if "numpy" in pool["filepath"]}
    return found or pytest.skip("NumPy brings no library whose threads can be limited here")


def test_the_limit_holds_inside_the_block_and_in_every_thread() -> None:
    before, seen = threads_now(), []
    with blas_threads(1):
        other = threading.Thread(target=lambda: seen.append(threads_now()))
        other.start()
        other.join()
        assert [threads_now(), *seen] == [{1}, {1}]
    assert threads_now() == before


def test_a_call_has_one_thread_where_clients_ask_and_all_of_them_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    seen: dict[str, set[int]] = {}

    def watched(
        search: SearchFunction,
        queries: Vectors,
        k: int,
        mode: QueryMode,
        clients: int,
        protocol: MeasuringProtocol,
        crowd: ClientGroup | None,
    ) -> Measured:
        seen[mode] = threads_now()
        return measure(search, queries, k, mode, clients, protocol, crowd)

    monkeypatch.setattr(worker, "measure", watched)
    monkeypatch.setattr(worker, "pin", lambda threads: [0])  # this process goes on after the test
    protocol = {"modes": ["serial", "batch", "concurrent"], "threads": 2, "repeats": 1, "min_seconds": 0}
    bench = AnnBenchmark.model_validate(
        {"data": [DATA], "k": [2], "protocol": protocol, "engines": [{"engine": "exact"}]}
    )
    staged = stage(bench.data[0], tmp_path, 2, tmp_path / "stages")
    (build,) = plan(bench, {"set": staged.facts.content}, "here")
    work(WorkerJob(build, staged, bench.protocol, bench.ties, {}, tmp_path))
    assert len(list((tmp_path / "cells").iterdir())) == 3
    assert seen["concurrent"] == {1}
    assert seen["serial"] == seen["batch"] == {2}


class Noting(Silent):
    def __init__(self) -> None:
        self.noted = threading.Event()

    def note(self, text: str) -> None:
        self.noted.set()


def test_runs_of_one_machine_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    reporter, order = Noting(), []

    def second() -> None:
        with machine_lock(reporter):
            order.append("second")

    with machine_lock(Silent()):
        waiting = threading.Thread(target=second)
        waiting.start()
        assert reporter.noted.wait(20)
        order.append("first")
    waiting.join(20)
    assert order == ["first", "second"]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds the worker through Linux's /proc")
def test_a_worker_ends_with_the_run_that_is_killed(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    long = {"repeats": 1, "min_seconds": 600}
    bench = {"data": [DATA], "k": [1], "protocol": long, "engines": [{"engine": "exact"}]}
    (tmp_path / "bench.yaml").write_text(json.dumps(bench))
    command = [sys.executable, "-m", "constraintsuite", "ann", "run", "bench.yaml", "--out", "run"]
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as run:
        found = until(lambda: workers_of(run.pid))
        run.send_signal(signal.SIGKILL)
    assert found
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() and not is_dead(pid) for pid in found))


def workers_of(pid: int) -> Sequence[int]:
    children = [each for file in Path(f"/proc/{pid}/task").glob("*/children") for each in file.read_text().split()]
    return [int(each) for each in children if b"vectors.ann.worker" in Path(f"/proc/{each}/cmdline").read_bytes()]


def is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def until(condition: Callable[[], T]) -> T | None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    return None
