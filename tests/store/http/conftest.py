from __future__ import annotations

from collections.abc import Iterator

import pytest

from models.http.servers import Server, running


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as started:
        yield started
