"""An S3 server for the tests of object stores, and a cache folder of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from constraintsuite.core.store import mirror_pull
from core.store.s3_server import Server, lead_to, s3_server


@pytest.fixture(scope="session")
def running() -> Iterator[Server]:
    with s3_server() as server:
        yield server


@pytest.fixture
def s3(running: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(mirror_pull, "WAITS", (0.01,) * 6)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")  # of botocore: the driver s3fs retries too, and waits less
    running.empty()
    lead_to(running.url, monkeypatch)
    return running
