"""A processor for the measurements of each test process, and a real PostgreSQL with pgvector."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def processor_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Test processes do not take turns: each has its own lock, and a processor of its own to pin measurements to."""
    allowed = os.sched_getaffinity(0)
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("lock")))
        os.sched_setaffinity(0, {sorted(allowed)[number % len(allowed)]})
        yield
        os.sched_setaffinity(0, allowed)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pgserver = pytest.importorskip("pgserver", reason="pgserver is not installed")
    pytest.importorskip("psycopg")
    server = pgserver.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()
