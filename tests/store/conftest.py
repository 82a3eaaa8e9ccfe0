"""An S3 server for the tests of object stores, and a cache folder of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from s3fs import S3FileSystem

from constraintsuite.store import objects
from store.s3_server import Server, lead_to, s3_server


@pytest.fixture(scope="session")
def running() -> Iterator[Server]:
    with s3_server() as server:
        yield server


@pytest.fixture
def s3(running: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(objects, "WAITS", (0.01,) * 12)
    monkeypatch.setattr(S3FileSystem, "retries", 1)  # the driver's own: each waits, and ours are what is tested
    running.empty()
    lead_to(running.url, monkeypatch)
    return running
