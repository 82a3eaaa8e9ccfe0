"""What this process holds in memory, as Linux tells it; elsewhere nothing is known."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_STATUS = Path("/proc/self/status")


class MemoryUse(NamedTuple):
    """Bytes; None where the system does not tell."""

    anonymous: int | None
    """Without pages mapped from files."""
    peak: int | None
    """The most at any time, mapped pages included."""


def memory_now() -> MemoryUse:
    """Read at this moment."""
    if not _STATUS.is_file():
        return MemoryUse(None, None)
    lines = (line.partition(":") for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines())
    values = {name: int(rest.split()[0]) * 1024 for name, _, rest in lines if rest.strip().endswith("kB")}
    return MemoryUse(values.get("RssAnon"), values.get("VmHWM"))
