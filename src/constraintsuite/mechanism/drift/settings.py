"""How drift is measured."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.mechanism.contrasts.records import ContrastSide
from constraintsuite.records.examples import SPLITS, Split

LIMIT, TOP = 256, 10


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """What is asked of the checkpoints."""

    splits: tuple[Split, ...] = SPLITS
    """A model that was trained on a suite should be asked its `test` alone."""
    sides: tuple[ContrastSide, ...] = ("query",)
    """Where clean and corrupt differ; what reads a negation in a query need not be what reads one in a text."""
    independent: bool = False
    """Only contrasts of which no two share a document."""
    limit: int | None = LIMIT
    """Most contrasts, dealt evenly over sides and slices."""
    top: int = TOP
    """Sites of a circuit."""
    seed: int = 0
    memory: int | None = None
    """MiB for activations; decides no figure."""
