from __future__ import annotations

from collections.abc import Iterator

import pytest

from constraintsuite.models.http import retrying_client
from models.http.servers import Server, running


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying_client, "FIRST_WAIT", 0.001)
