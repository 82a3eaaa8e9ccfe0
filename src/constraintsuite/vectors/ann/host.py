"""The machine that measures: what it is, what a process takes of it, and whose turn it is."""

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
"""Whether the clock is governed may change from hour to hour, and is only told."""


def describe_host() -> dict[str, str | int | None]:
    """Processor, how many of them, and how their clock is governed; None where the system does not tell."""
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "governor": _GOVERNOR.read_text(encoding="ascii").strip() if _GOVERNOR.is_file() else None,
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def machine_of(host: Host) -> str:
    """What of a machine decides a figure of speed: a cell of another one is another cell."""
    return ", ".join(f"{name} {host.get(name)}" for name in _DECIDING)


def current_load() -> str | None:
    """Processes that wanted a processor in the last minute; this one is among them."""
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else None


def note_load(reporter: Reporter) -> None:
    """Before anything is measured: what others do now is part of every figure of speed."""
    load = current_load()
    if load is not None and float(load) > (os.cpu_count() or 1) / 2:
        reporter.note(
            f"the load of this machine is {load} with {os.cpu_count()} processors: speeds measured now say little"
        )


@contextmanager
def machine_lock(reporter: Reporter) -> Iterator[None]:
    """Runs of one user take turns on a machine: each build is pinned to the first processors, where two would share them."""
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
    """Bytes; None where the system does not tell."""

    anonymous: int | None
    """Without pages mapped from files."""
    peak: int | None
    """The most at any time, mapped pages included."""


def memory_use() -> MemoryUse:
    """What this process holds in memory now, as Linux tells it; elsewhere nothing is known."""
    if not _STATUS.is_file():
        return MemoryUse(None, None)
    lines = (line.partition(":") for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines())
    values = {name: int(rest.split()[0]) * 1024 for name, _, rest in lines if rest.strip().endswith("kB")}
    return MemoryUse(values.get("RssAnon"), values.get("VmHWM"))


@contextmanager
def blas_threads(number: int) -> Iterator[None]:
    """Inside the block, a product of matrices in NumPy takes so many threads, whichever thread of the process asks for it."""
    with require_threadpoolctl().threadpool_limits(number, user_api="blas"):
        yield


def require_threadpoolctl() -> Any:  # noqa: ANN401 - it has no types
    """The library that limits the threads of NumPy, which asks another library for its products of matrices."""
    return import_extra("threadpoolctl", "ann", "Limiting the threads of an engine")
