"""The machines that a plan is for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.forecast.amounts import counted

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
    """Graphics cards of all nodes together."""
    memory: float | None = None
    """GiB of a node, where that is known."""
    memory_given: bool = True
    """Whether somebody said it; else it is this machine's."""

    def __post_init__(self) -> None:
        if self.workers > self.cores:
            raise UserError(
                f"--workers {self.workers} is more than the {self.cores} cores of a node: they would wait for each other, and "
                "nothing measured here says how long. Give --cores-per-node, or fewer workers."
            )

    def in_words(self) -> str:
        """`4 nodes of 16 cores, 16 workers each`."""
        cards = f", {counted(self.gpus, 'GPU')} in all" if self.gpus else ""
        each = " each" if self.nodes > 1 else ""
        return f"{counted(self.nodes, 'node')} of {counted(self.cores, 'core')}, {counted(self.workers, 'worker')}{each}{cards}"

    @property
    def all_workers(self) -> int:
        """The number of workers on all nodes together."""
        return self.nodes * self.workers


def memory_here() -> float | None:
    """GiB that this machine has, or that its container may use; None where the system does not say."""
    sizes = []
    try:
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        sizes.append(int(_LIMIT.read_text()))
    except (AttributeError, OSError, ValueError):  # no such system, no container, or no limit ("max")
        pass
    return min(sizes) / (1 << 30) if sizes else None


@dataclass(frozen=True)
class Prices:
    """What somebody said things cost; nothing is assumed."""

    node_hour: float | None = None
    gb_month: float | None = None
