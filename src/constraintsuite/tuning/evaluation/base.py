"""The contracts of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from constraintsuite.models.base import Scorer
from constraintsuite.records.scores import Interval


class EvaluationFigure(NamedTuple):
    """One number of a checkpoint."""

    part: str
    metric: str
    interval: Interval


class Measurement(Protocol):
    """Something that a checkpoint is measured on; opening it reads all that it needs."""

    @property
    def name(self) -> str:
        """What the recipe calls it."""

    def figures(self, scorer: Scorer) -> Iterator[EvaluationFigure]:
        """What the model gets."""
