"""What a drift costs before it is begun: forward passes of one row, where a backward pass counts as two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.mechanism.contrasts.records import ContrastHalf
from constraintsuite.mechanism.drift.crossing import CROSSED
from constraintsuite.mechanism.effects.records import DIRECTIONS

_ROWS = 2  # better and worse
_BOTH = 2 * _ROWS  # clean and corrupt
_BACKWARD = 2


@dataclass(frozen=True, slots=True)
class DriftPlan:
    """Of all checkpoints together."""

    checkpoints: tuple[str, ...]
    suites: tuple[str, ...]
    contrasts: int
    rejects: dict[str, int]
    behaviour: int
    """Pairs of the suites, once a checkpoint."""
    attribution: int
    """Both runs forward and backward."""
    representation: int
    crossing: int
    """From the first checkpoint into each later one: three donors a patch and direction."""

    @property
    def forwards(self) -> int:
        """All of them."""
        return self.behaviour + self.attribution + self.representation + self.crossing


def plan_drift(
    checkpoints: Sequence[str],
    suites: Sequence[str],
    pairs: int,
    halves: Mapping[ContrastHalf, int],
    rejects: dict[str, int],
    layers: int,
) -> DriftPlan:
    """From counts alone; a model is not loaded for it."""
    contrasts = sum(halves.values())
    count, later = len(checkpoints), len(checkpoints) - 1
    patches = layers + 2  # the residuals, embeddings among them, and the circuit
    return DriftPlan(
        checkpoints=tuple(checkpoints),
        suites=tuple(suites),
        contrasts=contrasts,
        rejects=rejects,
        behaviour=pairs * count,
        attribution=contrasts * _BOTH * (1 + _BACKWARD) * count,
        representation=contrasts * _BOTH * count,
        crossing=min(halves["check"], CROSSED) * len(DIRECTIONS) * (2 * _BOTH + 3 * patches * _ROWS) * later,
    )
