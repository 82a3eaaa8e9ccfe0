"""Clients of a server are processes of their own, connected before any clock runs; what one of them says is heard."""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.ann import ann
from constraintsuite.vectors.ann.clients import ClientError, ClientJob, client_processes
from constraintsuite.vectors.ann.results import OperatingPoint, load_ann_run, load_queries
from constraintsuite.vectors.ann.settings import DataEntry
from constraintsuite.vectors.ann.staged_data import Staged, stage

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
DATA = {"name": "points", "format": "synthetic", "rows": 200, "queries": 12, "dimensions": 4, "metric": "euclidean"}


@pytest.fixture
def staged(tmp_path: Path) -> Staged:
    return stage(DataEntry.model_validate(DATA), tmp_path, 5, tmp_path / "stages")


def job(staged: Staged, url: str, place: str) -> ClientJob:
    point = OperatingPoint("points", "pgvector", "pgvector", {"url": url}, {}, 1, 5, "concurrent", 3, 1)
    return ClientJob(point, staged, place, (0,))


def test_processes_ask_all_queries_in_every_repeat(staged: Staged, postgres: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("CREATE TABLE clients_test (id bigint, v vector(4))")
        connection.execute("INSERT INTO clients_test SELECT i, ARRAY[i, 0, 0, 1]::vector FROM generate_series(0, 99) i")
        connection.execute("CREATE INDEX ON clients_test USING hnsw (v vector_l2_ops)")
        repeats = client_processes(job(staged, postgres, "clients_test"))(3, 2, 0.0)
        assert connection.execute("SELECT count(*) FROM clients_test").fetchone() == (100,)  # a client drops nothing
        connection.execute("DROP TABLE clients_test")
    assert [len(repeat) for repeat in repeats] == [3, 3]
    for repeat in repeats:
        assert sorted(number for one in repeat for number in one.numbers) == list(range(12))
        assert all(len(one.times) == 4 and min(one.times) > 0 for one in repeat)
    first, second = repeats
    assert min(one.start for one in second) >= max(one.end for one in first)  # they begin together


def test_the_error_of_a_client_is_told(staged: Staged, postgres: str) -> None:
    with pytest.raises(ClientError, match="does not exist"):
        client_processes(job(staged, postgres, "no_such_table"))(2, 1, 0.0)


def test_a_client_that_finds_no_server_is_heard(staged: Staged) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(ClientError, match="no connection"):
        client_processes(job(staged, "postgresql://127.0.0.1:1/none", "anything"))(2, 1, 0.0)


def test_a_client_that_is_killed_ends_the_measurement(staged: Staged, postgres: str) -> None:
    killer = threading.Thread(target=kill_a_client)
    killer.start()
    with pytest.raises(ClientError, match="a client ended without a word"):
        client_processes(job(staged, postgres, "no_such_table"))(2, 1, 0.0)
    killer.join()
    assert multiprocessing.active_children() == []


def kill_a_client() -> None:
    """As soon as there is one; it is still reading its modules then."""
    end = time.monotonic() + 20
    while time.monotonic() < end and not multiprocessing.active_children():
        time.sleep(0.001)
    multiprocessing.active_children()[0].kill()


def test_a_server_is_measured_by_clients_and_its_versions_are_recorded(tmp_path: Path, postgres: str) -> None:
    bench = {
        "data": [DATA],
        "k": [5],
        "protocol": {"modes": ["serial", "concurrent"], "clients": [2], "repeats": 2, "min_seconds": 0},
        "engines": [{"engine": "pgvector", "build": {"url": postgres}, "search": {"ef": 100}}],
    }
    (tmp_path / "bench.yaml").write_text(json.dumps(bench))
    result = CliRunner().invoke(ann, ["run", str(tmp_path / "bench.yaml"), "--out", str(tmp_path / "run"), "--json"])
    assert result.exit_code == 0, result.output
    done = load_ann_run(tmp_path / "run")
    by_mode = {cell.point.mode: cell for cell in done.cells}
    serial, concurrent = by_mode["serial"], by_mode["concurrent"]
    assert [repeat.queries for repeat in concurrent.speed.repeats] == [12, 12]
    assert concurrent.speed.engine_share is not None
    assert concurrent.figures["ann.recall_tie@5"] == serial.figures["ann.recall_tie@5"]
    assert "PostgreSQL " in serial.library
    assert ", pgvector " in serial.library
    assert load_queries(done, concurrent).latency_ns is not None
