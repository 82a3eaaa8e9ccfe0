"""The machines that a plan is for, and their prices."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.forecast.amounts import with_noun

_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True)
class Cluster:
    """Equal nodes; the first one also runs the driver."""

    nodes: int
    cores: int
    """Cores of one node."""
    workers: int
    """Worker processes on one node."""
    gpus: int = 0
    """GPUs of all nodes together."""
    memory: float | None = None
    """GiB per node; None if not known."""
    memory_given: bool = True
    """Whether the user gave it; otherwise it was read from this machine."""

    def __post_init__(self) -> None:
        if self.workers > self.cores:
            raise UserError(
                f"--workers {self.workers} is more than the {self.cores} cores of a node. Give --cores-per-node, or fewer workers."
            )

    def in_words(self) -> str:
        """`4 nodes of 16 cores, 16 workers each`."""
        cards = f", {with_noun(self.gpus, 'GPU')} in all" if self.gpus else ""
        each = " each" if self.nodes > 1 else ""
        return f"{with_noun(self.nodes, 'node')} of {with_noun(self.cores, 'core')}, {with_noun(self.workers, 'worker')}{each}{cards}"

    @property
    def all_workers(self) -> int:
        """The number of workers on all nodes together."""
        return self.nodes * self.workers


def memory_here() -> float | None:
    """GiB of this machine, or of its container; None if the system does not say."""
    sizes = []
    try:
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        sizes.append(int(_LIMIT.read_text()))
    except (AttributeError, OSError, ValueError):  # no such system, no container, or no limit ("max")
        pass
    return min(sizes) / (1 << 30) if sizes else None


@dataclass(frozen=True)
class Prices:
    """Prices given by the user; None if not given."""

    node_hour: float | None = None
    gb_month: float | None = None
