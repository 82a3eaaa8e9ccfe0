from __future__ import annotations

from collections.abc import Iterator

import pytest

from constraintsuite.models.http import retrying_client
from models.retrieval.opensearch_server import TEXTS, SearchState, serving


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying_client, "FIRST_WAIT", 0.001)


@pytest.fixture
def server() -> Iterator[SearchState]:
    with serving(SearchState(TEXTS)) as state:
        yield state
