"""A metric: its name, its scale, and how the values of items become one figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.figures import ColumnKind

M = TypeVar("M", bound="Metric")


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One column of an outcome table: under each system an item has one value of it, or none."""

    name: str
    """The name that a user writes."""
    title: str
    share: bool = True
    """Whether values lie between 0 and 1 and are shown in percent."""
    chance: float | None = None
    """The chance level: what a system that guesses gets."""
    range: tuple[float, float] | None = None
    """The bounds of the scale of a metric that is not a share, if it has bounds."""
    average: Literal["mean", "median"] = "mean"
    """The median is for ranks, because an item that was not found has no rank."""
    lower_is_better: bool = False
    own_unit: bool = False
    """Whether it is in the unit of the system's own scores, which cannot be compared between systems."""

    def __str__(self) -> str:
        return self.name

    @property
    def kind(self) -> ColumnKind:
        """The kind of column that shows it."""
        return "share" if self.share else "number"

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The smallest and the largest possible value; None for a scale without bounds."""
        return (0.0, 1.0) if self.share else self.range


def find_metric(metrics: Mapping[str, M], name: str) -> M:
    """The metric that a user named. Raises UserError that suggests the nearest name if this one is unknown."""
    if name not in metrics:
        raise UserError(f"No metric named {name!r}. {hint_for(name, metrics)}")
    return metrics[name]
