"""What a figure is called, on which scale it lies, and how values of items become one number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.figures import ColumnKind

M = TypeVar("M", bound="Metric")


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One column of an outcome table: an item has one value of it under a system, or none."""

    name: str
    """What a user writes; `str` gives it."""
    title: str
    share: bool = True
    """Values lie between 0 and 1 and are shown in per cent."""
    chance: float | None = None
    """What a system that guesses gets."""
    range: tuple[float, float] | None = None
    """The ends of the scale of a metric that is not a share, where it has ends."""
    average: Literal["mean", "median"] = "mean"
    """How the values of items become one figure; a median for ranks, since what was not found has none."""
    lower_is_better: bool = False
    own_unit: bool = False
    """In the unit of the system's own scores: never compared between systems."""

    def __str__(self) -> str:
        return self.name

    @property
    def kind(self) -> ColumnKind:
        """How its figures are shown."""
        return "share" if self.share else "number"

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest possible value, None for a scale without ends."""
        return (0.0, 1.0) if self.share else self.range


def find_metric(metrics: Mapping[str, M], name: str) -> M:
    """The metric that a user named; an unknown one is a UserError that names the nearest."""
    if name not in metrics:
        raise UserError(f"No metric named {name!r}. {hint_for(name, metrics)}")
    return metrics[name]
