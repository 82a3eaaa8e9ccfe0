"""The time and the peak memory of this process, without the time that other processes took from it."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_SCHEDULED = Path("/proc/self/schedstat")  # nanoseconds on a processor, then nanoseconds waiting for one
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_CLEAR_PEAK = "5"


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds between two calls of `now`."""

    wall: float
    own: float
    """Without the time in which this process waited for a processor."""

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.wall - other.wall, self.own - other.own)


def now() -> Spent:
    """The current time; subtract an earlier one from it."""
    wall = time.monotonic()
    return Spent(wall, wall - _waited())


def reset_peak() -> None:
    """Start a new peak of memory. Only on Linux; elsewhere `peak_bytes` is the peak since the process started."""
    try:
        _CLEAR.write_text(_CLEAR_PEAK)
    except OSError:
        return


def peak_bytes() -> int:
    """Peak memory of this process since `reset_peak`."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _waited() -> float:
    """Seconds in which this process waited for a processor; 0 if the system does not say."""
    try:
        return int(_SCHEDULED.read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
