"""What a process really took: its own time, and its peak of memory."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_SCHEDULED = Path("/proc/self/schedstat")  # nanoseconds on a processor, and ready to run without having one
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_CLEAR_PEAK = "5"


@dataclass(frozen=True, slots=True)
class Spent:
    """The seconds that passed between two calls of `now`."""

    wall: float
    own: float
    """Less the time in which this process was ready and another one had the processor."""

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.wall - other.wall, self.own - other.own)


def now() -> Spent:
    """The moment; subtract an earlier one from it."""
    wall = time.monotonic()
    return Spent(wall, wall - _waited())


def reset_peak() -> None:
    """Forget the most memory held so far, where the system can; else `peak_bytes` is that of the whole process."""
    try:
        _CLEAR.write_text(_CLEAR_PEAK)
    except OSError:
        return


def peak_bytes() -> int:
    """The most memory that this process held since `reset_peak`."""
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
    """Seconds in which this process waited for a processor; 0 where the system does not say."""
    try:
        return int(_SCHEDULED.read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
