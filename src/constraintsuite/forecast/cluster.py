"""The machines that a plan is for."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.errors import UserError


@dataclass(frozen=True)
class Cluster:
    """Equal nodes; the first one also runs the driver."""

    nodes: int
    cores: int
    """Of a node."""
    workers: int
    """On a node."""
    gpus: int = 0
    """In all."""
    memory: float | None = None
    """GiB of a node, where somebody said it."""

    def __post_init__(self) -> None:
        if self.workers > self.cores:
            raise UserError(
                f"--workers {self.workers} is more than the {self.cores} cores of a node: they would wait for each other, and "
                "nothing measured here says how long. Give --cores-per-node, or fewer workers."
            )

    @property
    def all_workers(self) -> int:
        """On all nodes together."""
        return self.nodes * self.workers


@dataclass(frozen=True)
class Prices:
    """What somebody said things cost; nothing is assumed."""

    node_hour: float | None = None
    gb_month: float | None = None
