"""How many processor cores a process computes with, and environment variables for a block of code."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from constraintsuite.core.errors import UserError

THREADS = "CSUITE_THREADS"
"""An engine sets this for its workers, so that they compute with as many threads as the process that sent them the work."""


def cores() -> int:
    """The number in CSUITE_THREADS if it is set, else the cores that this process may use."""
    value = os.environ.get(THREADS, "")
    if value:
        if not (value.isascii() and value.isdigit() and int(value)):
            raise UserError(f"{THREADS}={value}: expected a number of threads, 1 or more.")
        return int(value)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def environment_variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables while the block runs, also for the processes that it starts."""
    before = {name: os.environ[name] for name in values if name in os.environ}
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            os.environ.pop(name, None)
        os.environ.update(before)
