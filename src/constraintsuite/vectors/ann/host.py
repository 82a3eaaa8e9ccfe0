"""The machine that measured: a figure of speed means nothing without it."""

from __future__ import annotations

import os
import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def describe_host() -> dict[str, str | int | None]:
    """Processor, how many of them, and how their clock is governed; None where the system does not tell."""
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "governor": _GOVERNOR.read_text(encoding="ascii").strip() if _GOVERNOR.is_file() else None,
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _processor() -> str | None:
    if _CPUINFO.is_file():
        for line in _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or None
