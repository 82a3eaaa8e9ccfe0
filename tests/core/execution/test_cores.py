"""A worker computes with as many threads as it is told."""

from __future__ import annotations

import os

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.cores import THREADS, cores


def test_a_process_uses_the_processors_it_may_use_or_as_many_as_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(THREADS, raising=False)
    assert cores() == len(os.sched_getaffinity(0))
    monkeypatch.setenv(THREADS, "7")
    assert cores() == 7


@pytest.mark.parametrize("said", ["0", "-1", "many", "1.5"])
def test_what_is_no_number_of_threads_is_refused(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, said)
    with pytest.raises(UserError, match="expected a number of threads"):
        cores()
