"""Time and memory of a command in a fresh process, also by stage where it writes stage folders (Linux)."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

EVERY_SECONDS = 0.05
MIB = 1 << 20


@dataclass
class Cost:
    """What one stage took."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mib: float = 0.0
    """Largest resident memory seen while it ran, all processes together, looked at every 50 ms."""


@dataclass(frozen=True)
class Measured:
    """What a whole command took."""

    seconds: float
    cpu_seconds: float
    peak_mib: float
    """Peak resident memory as the system recorded it: the largest of the process and its children."""
    stages: dict[str, Cost] = field(default_factory=dict)


class CommandFailedError(Exception):
    """The measured command did not succeed."""


def run_measured(command: Sequence[str | Path], stages: Path | None = None, names: Sequence[str] = ()) -> Measured:
    """Run a command; a stage lasts from when its folder appears in `stages` until the next one's does.

    Call it from a small process: the peak that Linux records for a child begins with that of the process that started it.
    """
    costs = {"start": Cost()} | {name: Cost() for name in names}
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=complaints)
        begin = last = time.monotonic()
        used_before = 0.0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            now = time.monotonic()
            done = pid == process.pid
            used = usage.ru_utime + usage.ru_stime if done else _cpu_seconds(process.pid, used_before)
            cost = costs[_running(stages, names)]
            cost.seconds += now - last
            cost.cpu_seconds += used - used_before
            cost.peak_mib = max(cost.peak_mib, _resident_mib(process.pid))
            last, used_before = now, used
            if done:
                break
            time.sleep(EVERY_SECONDS)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaints.seek(0)
            said = complaints.read().decode("utf-8", "replace")[-2000:]
            raise CommandFailedError(f"{' '.join(map(str, command))}: exit {process.returncode}\n{said}")
        return Measured(last - begin, used_before, usage.ru_maxrss / 1024, costs)


def _running(stages: Path | None, names: Sequence[str]) -> str:
    """The stage under way: the last one whose folder is there."""
    if stages is None:
        return "start"
    return next((name for name in reversed(names) if (stages / name).is_dir()), "start")


def _cpu_seconds(pid: int, otherwise: float) -> float:
    """Processor time of a process and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return otherwise
    return max(otherwise, sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK"))


def _resident_mib(pid: int) -> float:
    """Resident memory of a process and all below it."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        below = [child for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB + sum(_resident_mib(int(child)) for child in below)
