"""How many processors a process computes with."""

from __future__ import annotations

import os

from constraintsuite.core.errors import UserError

THREADS = "CSUITE_THREADS"
"""Set by an engine for its workers, so that all compute with as many threads as the process that sent them the work."""


def cores() -> int:
    """What CSUITE_THREADS says, else the processors that this process may use, where the system tells."""
    said = os.environ.get(THREADS, "")
    if said:
        if not (said.isascii() and said.isdigit() and int(said)):
            raise UserError(f"{THREADS}={said}: expected a number of threads, 1 or more.")
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
