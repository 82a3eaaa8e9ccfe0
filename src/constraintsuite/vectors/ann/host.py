"""The machine that measures: its description, its load, the memory of a process, and a lock for one run at a time."""

from __future__ import annotations

import fcntl
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from constraintsuite.core.errors import import_extra
from constraintsuite.core.execution.progress import Reporter

_CPUINFO = Path("/proc/cpuinfo")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
_STATUS = Path("/proc/self/status")
Host = Mapping[str, str | int | None]
_DECIDING = ("processor", "processors", "system", "python")
"""Facts that decide a speed. The governor of the clock may change at any time, and is only recorded."""


def describe_host() -> dict[str, str | int | None]:
    """Processor, number of processors, governor of their clock, system and Python; None if not known."""
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "governor": _GOVERNOR.read_text(encoding="ascii").strip() if _GOVERNOR.is_file() else None,
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def machine_of(host: Host) -> str:
    """The machine as text for the key of a cell: a cell of another machine is another cell."""
    return ", ".join(f"{name} {host.get(name)}" for name in _DECIDING)


def current_load() -> str | None:
    """The load average of the last minute, this process included."""
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else None


def note_load(reporter: Reporter) -> None:
    """Warn if the machine is busy before anything is measured."""
    load = current_load()
    if load is not None and float(load) > (os.cpu_count() or 1) / 2:
        reporter.note(
            f"the load of this machine is {load} with {os.cpu_count()} processors: speeds measured now say little"
        )


@contextmanager
def machine_lock(reporter: Reporter) -> Iterator[None]:
    """Runs of one user take turns on a machine, since each build is pinned to the first processors."""
    file = Path(tempfile.gettempdir()) / f"csuite-ann-{os.getuid()}.lock"
    handle = os.open(file, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            reporter.note("another `csuite ann run` is measuring on this machine: waiting for its build to end")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _processor() -> str | None:
    if _CPUINFO.is_file():
        for line in _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or None


class MemoryUse(NamedTuple):
    """Memory of a process in bytes; None if not known."""

    anonymous: int | None
    """Without pages mapped from files."""
    peak: int | None
    """Peak memory, mapped pages included."""


def memory_use() -> MemoryUse:
    """Memory of this process; known on Linux only."""
    if not _STATUS.is_file():
        return MemoryUse(None, None)
    lines = (line.partition(":") for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines())
    values = {name: int(rest.split()[0]) * 1024 for name, _, rest in lines if rest.strip().endswith("kB")}
    return MemoryUse(values.get("RssAnon"), values.get("VmHWM"))


@contextmanager
def blas_threads(number: int) -> Iterator[None]:
    """Inside the block, matrix products of NumPy use this number of threads, in all threads of the process."""
    with require_threadpoolctl().threadpool_limits(number, user_api="blas"):
        yield


def require_threadpoolctl() -> Any:  # noqa: ANN401 - it has no types
    """The library that limits the threads of NumPy's matrix products."""
    return import_extra("threadpoolctl", "ann", "Limiting the threads of an engine")
