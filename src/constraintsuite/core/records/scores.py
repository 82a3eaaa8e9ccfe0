"""Numbers that carry their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the bounds of its 95 % interval and its number of items; undefined is None."""

    value: float | None
    low: float | None
    high: float | None
    n: int
